import { describe, expect, it } from 'vitest';
import { commandAgent } from '../../src/agents.ts';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import type { LevelReview } from '../../src/fleet/fleet-options.ts';
import { planGoal } from '../../src/fleet/plan-goal.ts';
import { analyze, approve, requestChanges, retry, startRun } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { gitWorkspace } from '../../src/workspaces/operations/git-workspace.ts';
import { makeDirty, pictureOf, useFolder } from '../workspaces/rig.ts';
import { BLOG, BLOG_SCRIPTS, makeFleet } from './rig.ts';

const folder = useFolder();

/** The names of the phases that have started, in order, with their attempts. */
async function startsOf(run: AsyncIterable<RunRecord>): Promise<readonly string[]> {
  const starts: string[] = [];
  for await (const { event } of run) if (event.type === 'phase.started') starts.push(`${event.phase} ${event.attempt}`);
  return starts;
}

describe('compilePlan()', () => {
  it('makes a pipeline of levels, with bounds before anything runs', async () => {
    const { options } = await makeFleet(folder.path, {});
    const pipeline = compilePlan(BLOG, options);
    expect(pipeline.plan.phases.map(({ name, tasks }) => [name, ...tasks.map((one) => one.name)])).toEqual([
      ['phase-1', 'base', '1', 'integrate'],
      ['phase-2', 'base', '2a', '2b', '2c', 'integrate'],
      ['phase-3', 'base', '3', 'integrate'],
      ['hand-over', 'publish'],
    ]);
    const { bounds } = analyze(pipeline);
    // One retry of each level, and no way back to an earlier one.
    expect(bounds.map(({ phase, attempts }) => [phase, attempts])).toEqual([
      ['phase-1', 2],
      ['phase-2', 2],
      ['phase-3', 2],
      ['hand-over', 1],
    ]);
    expect(pipeline.plan).toMatchObject({
      onFailure: 'halt',
      phases: [{ gate: { maxRetries: 1, onExhausted: 'reject' } }, {}, {}, {}],
    });
  });

  it('does each subtask in a fresh folder with the work of the levels before, and leaves the user alone', async () => {
    const lab = await makeFleet(folder.path, BLOG_SCRIPTS);
    await makeDirty(lab);
    const before = await pictureOf(lab.user);
    const result = await startRun(compilePlan(BLOG, lab.options), { runId: 'blog' }).result;
    expect(result).toMatchObject({
      status: 'completed',
      outputs: { 'hand-over': { publish: { branch: 'phasegate/blog' } } },
    });
    const note =
      "The user's uncommitted work is not part of the run: 4 changed files and 1 untracked path. Nobody may assume that it is there.";
    expect(result.warnings).toEqual([{ phase: 'phase-1', code: 'WORKSPACE_NOTE', message: note }]);
    expect(await pictureOf(lab.user)).toEqual(before);
    expect(await lab.filesAt('phasegate/blog')).toMatchObject({
      'a.txt': 'a',
      'models/user.txt': 'user',
      'api/routes.txt': 'routes',
      'cli/main.txt': 'main',
      'test/unit/user.txt': 'unit',
      'test/all/blog.txt': 'all',
    });
    const calls = (await Promise.all(['1', '2a', '2b', '2c', '3'].map((id) => lab.calls(id)))).flat();
    expect(calls.map(({ seen }) => seen)).toEqual([null, '1\n', '1\n', '1\n', '1\n']);
    expect(new Set(calls.map(({ cwd }) => cwd)).size).toBe(5);
    expect(calls.every(({ marked }) => marked === '1')).toBe(true);
    expect(calls[1]?.prompt).toMatchInlineSnapshot(`
      "## Overall Plan

      # Blog

      First the models, then all that uses them.

      ## Your Assignment

      You are executing subtask: Create REST API endpoints

      Write the API.

      The codebase reflects work from prior phases.
      Read the relevant files to understand current state.

      ## Rules

      - Other subtasks may work at the same time, each in a folder of its own. Their changes are not in yours.
      - You are expected to change only these files: api/.
      - Leave your changes as files in the working directory. Do not commit, push or stash.
      - The user's uncommitted work is not part of the run: 4 changed files and 1 untracked path. Nobody may assume that it is there."
    `);
    // Every workspace is gone, as all of its work is kept.
    expect(await lab.options.workspace.list(new AbortController().signal)).toEqual([]);
  });

  it.each([
    ['concurrency', 0],
    ['concurrency', Number.NaN],
    ['concurrency', 1.5],
    ['maxAttempts', 0],
    ['timeout', -1],
    ['timeout', '1h'],
    ['conflicts', 'ask'],
    ['rework', 'again'],
    ['onFailure', 'go-on'],
    ['overlaps', 'ignore'],
    ['permissions', { commands: 'yes' }],
    ['agent', 'claude'],
    ['workspace', 'clone'],
  ])('refuses the option %s: %j, which only JavaScript can give', (name, value) => {
    const invalid = { workspace: gitWorkspace(), agent: commandAgent(['true']), [name]: value };
    const refused = expect.objectContaining({
      code: 'DEFINITION_INVALID',
      message: expect.stringContaining(`Cannot make a fleet as its options are invalid: \`${name}`) as string,
    }) as Error;
    expect(() => compilePlan(BLOG, invalid)).toThrow(refused);
    expect(() => planGoal('Add a blog.', { ...invalid, planOnly: true })).toThrow(refused);
  });

  it('does one subtask for a plan without any', async () => {
    const lab = await makeFleet(folder.path, { goal: [{ files: { 'blog.txt': 'blog\n' } }] });
    const result = await startRun(compilePlan({ goal: 'Add a blog.' }, lab.options), { runId: 'one' }).result;
    expect(result.status).toBe('completed');
    expect(await lab.filesAt('phasegate/one')).toMatchObject({ 'blog.txt': 'blog' });
  });

  it('keeps the work of an agent that writes more than an answer may have', async () => {
    const lab = await makeFleet(folder.path, {
      goal: [{ files: { 'blog.txt': 'blog\n' }, say: `Begun.${'x'.repeat(1_100_000)}Done.` }],
    });
    const result = await startRun(compilePlan({ goal: 'Add a blog.' }, lab.options), { runId: 'long' }).result;
    expect(result.status).toBe('completed');
    expect(await lab.filesAt('phasegate/long')).toMatchObject({ 'blog.txt': 'blog' });
    const summary: unknown = expect.stringMatching(/^Begun\.x{1,4000}[^x]+x{1,4000}Done\.$/u);
    expect(result.outputs['phase-1']).toMatchObject({ goal: { summary } });
  });

  it('lets only the subtasks work again that a review names, with the required change in their prompt', async () => {
    const lab = await makeFleet(folder.path, {
      ...BLOG_SCRIPTS,
      '2b': [{ files: { 'cli/main.txt': 'main\n' } }, { files: { 'cli/main.txt': 'main --help\n' } }],
    });
    const requiredChange = 'Add a --help flag to `main`, and say $& what it does.';
    const seen: LevelReview[] = [];
    const review = (level: LevelReview) => {
      seen.push(level);
      return level.context.phase === 'phase-2' && level.context.attempt === 0
        ? requestChanges([{ severity: 'high', description: 'There is no help.', affectedTask: '2b', requiredChange }])
        : approve();
    };
    const run = startRun(compilePlan(BLOG, { ...lab.options, reviewers: [{ name: 'judge', review }] }), {
      runId: 'named',
    });
    expect(await startsOf(run)).toEqual(['phase-1 0', 'phase-2 0', 'phase-2 1', 'phase-3 0', 'hand-over 0']);
    expect((await run.result).status).toBe('completed');
    const counts = await Promise.all(['1', '2a', '2b', '2c', '3'].map(async (id) => (await lab.calls(id)).length));
    expect(counts).toEqual([1, 1, 2, 1, 1]);
    const [first, second] = await lab.calls('2b');
    expect(first?.prompt).not.toContain(requiredChange);
    expect(second?.prompt).toContain(requiredChange);
    expect(second?.cwd).not.toBe(first?.cwd);
    expect(await lab.filesAt('phasegate/named')).toMatchObject({ 'cli/main.txt': 'main --help' });
    expect(seen[1]?.difference.files.map(({ path }) => path).toSorted()).toEqual([
      'api/routes.txt',
      'cli/main.txt',
      'test/unit/user.txt',
    ]);
    expect(seen.map(({ outOfScope }) => outOfScope)).toEqual([{ 1: ['seen.txt'] }, {}, {}, {}]);
  });

  it('lets all of a level work again if a review names none', async () => {
    const lab = await makeFleet(folder.path, BLOG_SCRIPTS);
    const unchanged: number[] = [];
    const review = ({ context }: LevelReview) => {
      if (context.phase === 'phase-2') unchanged.push(context.unchanged);
      return context.phase === 'phase-2' && context.attempt === 0 ? retry('Do it all again.') : approve();
    };
    await startRun(compilePlan(BLOG, { ...lab.options, reviewers: [{ name: 'judge', review }] })).result;
    expect((await lab.calls('2a')).map(({ prompt }) => prompt.includes('Do it all again.'))).toEqual([false, true]);
    expect(await lab.calls('2c')).toHaveLength(2);
    // The agents did the same again, and the reviewer is told so.
    expect(unchanged).toEqual([0, 1]);
  });

  it('halts after the last attempt, with the branch at the approved level', async () => {
    const lab = await makeFleet(folder.path, BLOG_SCRIPTS);
    const review = ({ context }: LevelReview) => (context.phase === 'phase-2' ? retry('No.') : approve());
    const result = await startRun(compilePlan(BLOG, { ...lab.options, reviewers: [{ name: 'judge', review }] }), {
      runId: 'halt',
    }).result;
    expect(result.status).toBe('rejected');
    expect(await lab.calls('2a')).toHaveLength(2);
    expect(await lab.calls('3')).toEqual([]);
    const files = await lab.filesAt('phasegate/halt');
    expect(files).toHaveProperty('models/user.txt');
    expect(files).not.toHaveProperty('api/routes.txt');
  });
});

describe('a conflict of two subtasks', () => {
  const plan = {
    goal: 'Write a text.',
    subtasks: ['x', 'y', 'z'].map((id) => ({ id, title: `Write ${id}`, description: '' })),
  };
  const scripts = {
    x: [{ files: { 'a.txt': 'x\n', 'seen.txt': 'x\n' } }],
    y: [{ files: { 'a.txt': 'y\n' } }, { files: { 'a.txt': 'x and y\n' } }],
    z: [{ files: { 'z.txt': 'z\n' } }],
  };

  it('lets the later one work again, on top of the others', async () => {
    const lab = await makeFleet(folder.path, scripts);
    const run = startRun(compilePlan(plan, lab.options), { runId: 'clash' });
    expect(await startsOf(run)).toEqual(['phase-1 0', 'phase-1 1', 'hand-over 0']);
    expect((await run.result).status).toBe('completed');
    const counts = await Promise.all(['x', 'y', 'z'].map(async (id) => (await lab.calls(id)).length));
    expect(counts).toEqual([1, 2, 1]);
    const [, second] = await lab.calls('y');
    expect(second?.seen).toBe('x\n');
    expect(second?.prompt).toContain('Make your changes again on top of them, in these files:\n- a.txt');
    expect(await lab.filesAt('phasegate/clash')).toMatchObject({ 'a.txt': 'x and y', 'z.txt': 'z' });
  });

  it('does not hide the failure of a check from the others', async () => {
    const lab = await makeFleet(folder.path, {
      ...scripts,
      x: [{ files: { 'a.txt': 'x\n', 'seen.txt': 'x\n', 'bad.txt': '' } }, { files: { 'a.txt': 'x\n' } }],
    });
    const checks = [{ name: 'clean', line: ['test', '!', '-e', 'bad.txt'] }] as const;
    const result = await startRun(compilePlan(plan, { ...lab.options, checks })).result;
    const [, second] = await lab.calls('x');
    expect(second?.prompt).toContain('Check "clean" failed.');
    expect(result.status).toBe('completed');
  });

  it('is for a person if the same subtask conflicts again', async () => {
    const three = { ...plan, subtasks: ['x', 'y', 'z'].map((id) => ({ id, title: `Write ${id}`, description: '' })) };
    const lab = await makeFleet(folder.path, {
      ...scripts,
      z: [{ files: { 'a.txt': 'z\n' } }, { files: { 'a.txt': 'x and z\n' } }],
    });
    let reviews = 0;
    const review = () => {
      reviews += 1;
      return approve();
    };
    const pipeline = compilePlan(three, { ...lab.options, reviewers: [{ name: 'judge', review }] });
    const run = startRun(pipeline, { attended: true });
    for await (const { event } of run) if (event.type === 'phase.escalated') break;
    expect(run.inbox()).toMatchObject([{ reason: expect.stringContaining('Subtask "z" conflicts') as string }]);
    await run.decide('phase-1', approve());
    expect((await run.result).status).toBe('completed');
    expect(reviews).toBe(0);
  });

  it.each([
    ['halt', 'rejected'],
    ['review', 'completed'],
  ] as const)('with conflicts: %s ends %s', async (conflicts, status) => {
    const lab = await makeFleet(folder.path, scripts);
    const seen: unknown[] = [];
    const review = (level: LevelReview) => {
      seen.push(level.conflicts);
      return approve();
    };
    const pipeline = compilePlan(plan, { ...lab.options, conflicts, reviewers: [{ name: 'judge', review }] });
    expect((await startRun(pipeline).result).status).toBe(status);
    expect(await lab.calls('y')).toHaveLength(1);
    expect(seen).toEqual(conflicts === 'review' ? [[{ name: 'y', paths: ['a.txt'] }]] : []);
  });
});
