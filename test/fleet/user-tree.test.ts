/** A whole fleet leaves the files, the index, the branches and the stash of the user as they are, however it ends. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import { approve, reject, startRun } from '../../src/index.ts';
import { makeDirty, pictureOf, signal, useFolder } from '../workspaces/rig.ts';
import { makeFleet, type Act } from './rig.ts';

const folder = useFolder();

const plan = {
  goal: 'Write a text.',
  subtasks: [
    { id: 'x', title: 'Write x', description: '' },
    { id: 'y', title: 'Write y', description: '' },
    { id: 'z', title: 'Write z', description: '', depends_on: ['x', 'y'] },
  ],
};

const write: readonly Act[] = [{ files: { 'a.txt': 'mine\n', 'new.txt': 'mine\n', 'u/half.txt': null } }];
const scripts = { x: write, y: [{ files: { 'y.txt': 'y\n', '.gitignore': '' } }], z: [{ files: { 'z.txt': 'z\n' } }] };

describe('the tree of the user', () => {
  it.each(['clone', 'worktree'] as const)('is the same after a fleet in a %s has completed', async (isolation) => {
    const lab = await makeFleet(folder.path, scripts);
    await makeDirty(lab);
    const before = await pictureOf(lab.user);
    const pipeline = compilePlan(plan, { ...lab.options, workspace: lab.workspaces({ isolation }) });
    expect((await startRun(pipeline).result).status).toBe('completed');
    expect(await pictureOf(lab.user)).toEqual(before);
  });

  it('is the same after a fleet was rejected', async () => {
    const lab = await makeFleet(folder.path, scripts);
    await makeDirty(lab);
    const before = await pictureOf(lab.user);
    const review = () => reject('No.');
    const pipeline = compilePlan(plan, { ...lab.options, reviewers: [{ name: 'judge', review }] });
    expect((await startRun(pipeline).result).status).toBe('rejected');
    expect(await pictureOf(lab.user)).toEqual(before);
  });

  it('is the same after a fleet was cancelled with agents at work', async () => {
    const lab = await makeFleet(folder.path, { ...scripts, z: [{ ...scripts.z[0], wait: true }] });
    await makeDirty(lab);
    const before = await pictureOf(lab.user);
    const run = startRun(compilePlan(plan, { ...lab.options, reviewers: [{ name: 'judge', review: approve }] }));
    for await (const { event } of run) if (event.type === 'task.started' && event.task === 'z') break;
    while ((await lab.calls('z')).length === 0) await setImmediate();
    run.cancel('It takes too long.');
    expect((await run.result).status).toBe('cancelled');
    // The folders are left in order after the end of the run.
    const { workspace } = lab.options;
    while ((await workspace.list(signal)).some(({ state }) => state === 'inUse'));
    expect(await pictureOf(lab.user)).toEqual(before);
  });
});
