import { describe, expect, it } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import type { LevelReview } from '../../src/fleet/fleet-options.ts';
import { approve, retry, startRun } from '../../src/index.ts';
import { foldFleet } from '../../src/records.ts';
import { useFolder } from '../workspaces/rig.ts';
import { makeFleet } from './rig.ts';

const folder = useFolder();

const plan = { goal: 'Write a text.', subtasks: [{ id: 'x', title: 'Write x', description: 'All of it.' }] };

describe('a level with more subtasks than there may be folders', () => {
  it('does them one after the other', async () => {
    const names = ['a', 'b', 'c'];
    const lab = await makeFleet(
      folder.path,
      Object.fromEntries(names.map((name) => [name, [{ files: { [`${name}.txt`]: name } }]])),
    );
    const subtasks = names.map((id) => ({ id, title: id, description: '' }));
    const workspace = lab.workspaces({ maxCount: 1 });
    const pipeline = compilePlan({ goal: 'Write.', subtasks }, { ...lab.options, workspace, concurrency: 'unlimited' });
    expect(await startRun(pipeline, { runId: 'few' }).result).toMatchObject({ status: 'completed', error: null });
    expect(await lab.filesAt('phasegate/few')).toMatchObject({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
  });
});

describe('the second attempt of a level', () => {
  it('starts from the commit before the level, without files of the first, and with its feedback', async () => {
    const lab = await makeFleet(folder.path, {
      x: [{ files: { 'seen.txt': 'first\n', 'a.txt': null } }, { files: { 'x.txt': 'second\n' } }],
    });
    const head = await lab.git('rev-parse', 'HEAD');
    const review = ({ context }: LevelReview) => (context.attempt === 0 ? retry('It deletes a.txt.') : approve());
    const fold = foldFleet();
    const run = startRun(compilePlan(plan, { ...lab.options, reviewers: [{ name: 'judge', review }] }), { runId: 'r' });
    const bases = new Set<string | null | undefined>();
    for await (const record of run) {
      fold.apply(record);
      bases.add(fold.levels()[0]?.prePhaseCommit);
    }
    expect((await run.result).status).toBe('completed');
    expect([...bases]).toEqual([null, head]);

    const [first, second] = await lab.calls('x');
    expect(second?.seen).toBe(null);
    expect(second?.cwd).not.toBe(first?.cwd);
    expect(second?.prompt).toContain('It deletes a.txt.');
    expect(second?.prompt).toMatch(/Your earlier attempt is commit [0-9a-f]{40}\./u);
    const files = await lab.filesAt('phasegate/r');
    expect(files).toMatchObject({ 'a.txt': 'a', 'x.txt': 'second' });
    expect(files).not.toHaveProperty('seen.txt');
  });

  it('is the last one', async () => {
    const lab = await makeFleet(folder.path, { x: [{ files: { 'x.txt': 'x\n' } }] });
    const review = () => retry('No.');
    const pipeline = compilePlan(plan, { ...lab.options, reviewers: [{ name: 'judge', review }] });
    const { status, phases } = await startRun(pipeline).result;
    expect([status, phases['phase-1']?.attempts, (await lab.calls('x')).length]).toEqual(['rejected', 2, 2]);
  });
});
