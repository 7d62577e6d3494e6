import { describe, expect, it } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import type { FleetOptions, LevelReview } from '../../src/fleet/fleet-options.ts';
import { approve, requestChanges, startRun, type Decision } from '../../src/index.ts';
import { useFolder } from '../workspaces/rig.ts';
import { makeFleet, type Act, type FleetLab } from './rig.ts';

const folder = useFolder();

const PLAN = {
  goal: 'Write a text.',
  subtasks: ['x', 'y'].map((id) => ({ id, title: `Write ${id}`, description: '' })),
};

/** Sends subtasks back, by attempt: each list has the ids for one attempt. */
function naming(...rounds: readonly (readonly string[])[]): (level: LevelReview) => Decision {
  return ({ context: { attempt } }) => {
    const ids = rounds[attempt] ?? [];
    const issues = ids.map((id) => ({
      severity: 'high' as const,
      description: `${id} is wrong.`,
      affectedTask: id,
      requiredChange: `Correct ${id}.`,
    }));
    return issues.length === 0 ? approve() : requestChanges(issues);
  };
}

async function runIt(lab: FleetLab, options: Partial<FleetOptions>) {
  const result = await startRun(compilePlan(PLAN, { ...lab.options, ...options }), { runId: 'run' }).result;
  const counts = await Promise.all(['x', 'y'].map(async (id) => (await lab.calls(id)).length));
  return { ...result, counts };
}

describe('work on top of another subtask, which changes later', () => {
  const first: Act = { files: { 'a.txt': 'x\n', 'old.txt': 'x\n', 'seen.txt': 'x\n' } };
  const second: Act = { files: { 'a.txt': 'x 2\n', 'seen.txt': 'x 2\n' } };

  it('is put on top of the new version, and brings nothing of the old one', async () => {
    const lab = await makeFleet(folder.path, {
      x: [first, second],
      y: [{ files: { 'a.txt': 'y\n' } }, { files: { 'y.txt': 'y\n' } }],
    });
    const reviewers = [{ name: 'judge', review: naming([], ['x']) }];
    const { status, counts } = await runIt(lab, { reviewers, maxAttempts: 3 });
    expect({ status, counts }).toEqual({ status: 'completed', counts: [2, 2] });
    const files = await lab.filesAt('phasegate/run');
    expect(files).toMatchObject({ 'a.txt': 'x 2', 'y.txt': 'y' });
    expect(files).not.toHaveProperty('old.txt');
    // The history has no version that a review has refused.
    expect(await lab.git('log', '--format=%H', '--full-history', 'phasegate/run', '--', 'old.txt')).toBe('');
  });

  it('is made again if it does not fit the new version', async () => {
    const lab = await makeFleet(folder.path, {
      x: [first, second],
      y: ['y', 'x and y', 'x 2 and y'].map((text) => ({ files: { 'a.txt': `${text}\n` } })),
    });
    const reviewers = [{ name: 'judge', review: naming([], ['x']) }];
    const { status, counts } = await runIt(lab, { reviewers, maxAttempts: 4 });
    expect({ status, counts }).toEqual({ status: 'completed', counts: [2, 3] });
    expect((await lab.calls('y')).map(({ seen }) => seen)).toEqual([null, 'x\n', 'x 2\n']);
    const files = await lab.filesAt('phasegate/run');
    expect(files).toMatchObject({ 'a.txt': 'x 2 and y' });
    expect(files).not.toHaveProperty('old.txt');
  });

  it('starts again from the same commit if a review names it', async () => {
    const lab = await makeFleet(folder.path, {
      x: [first],
      y: ['y', 'x and y', 'x and y 2'].map((text) => ({ files: { 'a.txt': `${text}\n` } })),
    });
    const reviewers = [{ name: 'judge', review: naming([], ['y']) }];
    const { status, counts } = await runIt(lab, { reviewers, maxAttempts: 3 });
    expect({ status, counts }).toEqual({ status: 'completed', counts: [1, 3] });
    const [, , third] = await lab.calls('y');
    expect(third).toMatchObject({ seen: 'x\n', prompt: expect.stringContaining('Correct y.') as string });
    expect(await lab.filesAt('phasegate/run')).toMatchObject({ 'a.txt': 'x and y 2' });
  });
});

describe('a subtask that works again', () => {
  it.each([
    ['reset', null, 'It is not in the working directory', ['a.txt', 'second.txt']],
    ['continue', 'x\n', 'The working directory has it', ['a.txt', 'first.txt', 'second.txt', 'seen.txt']],
  ] as const)('has with rework: %s the files %j', async (rework, seen, said, paths) => {
    const lab = await makeFleet(folder.path, {
      x: [
        { files: { 'a.txt': 'x\n', 'first.txt': 'x\n', 'seen.txt': 'x\n' } },
        { files: { 'a.txt': 'x 2\n', 'second.txt': 'x\n' } },
      ],
      y: [{ files: { 'y.txt': 'y\n' } }],
    });
    const levels: LevelReview[] = [];
    const review = (level: LevelReview) => {
      levels.push(level);
      return naming(['x'])(level);
    };
    const { status, counts } = await runIt(lab, { rework, reviewers: [{ name: 'judge', review }] });
    expect({ status, counts }).toEqual({ status: 'completed', counts: [2, 1] });
    const [, second] = await lab.calls('x');
    expect(second).toMatchObject({ seen, prompt: expect.stringContaining(said) as string });
    expect(levels[1]?.difference.files.map(({ path }) => path)).toEqual([...paths, 'y.txt']);
    expect(levels[1]?.context.outputs['x']).toMatchObject({ files: [...paths], start: levels[1]?.base, contains: {} });
    expect(await lab.filesAt('phasegate/run')).toMatchObject({ 'a.txt': 'x 2' });
  });
});
