/** The changes of agents: real fleets in real repositories, read by the commits that their records name. */
import { describe, expect, it } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import type { WorkPlanInput } from '../../src/fleet/work-plan.ts';
import { definePipeline, phase, startRun, task } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import { makeFleet } from '../fleet/rig.ts';
import { git, makeLab, useFolder } from '../workspaces/rig.ts';
import { ownStore, served } from './rig.ts';

const folder = useFolder();

const PLAN: WorkPlanInput = {
  goal: 'Change.',
  subtasks: [
    { id: 'a', title: 'Change a', description: '', files_touched: ['a.txt', 'new/'] },
    { id: 'b', title: 'Change b', description: '' },
  ],
};

const SCRIPTS = {
  a: [{ files: { 'a.txt': 'A\n', 'new/file.txt': '1\n2\n', 'other.txt': 'x\n' } }],
  b: [{ files: { 'src/b.txt': null, bin: 'x\0y' } }],
};

/** Runs the fleet. @returns A function for the address of the changes of a task. */
async function fleet(store: RunStore) {
  const lab = await makeFleet(folder.path, SCRIPTS);
  const result = await startRun(compilePlan(PLAN, lab.options), { store, runId: 'r:1' }).result;
  expect(result.status).toBe('completed');
  const records = await store.read('r:1');
  const seqOf = (name: string) =>
    records.find(({ event }) => event.type === 'task.completed' && event.task === name)?.seq ?? 0;
  return { lab, address: (name: string) => `/api/runs/r%3A1/records/${seqOf(name)}/changes` };
}

describe('changes', () => {
  it('are those of an agent, with the files that the plan does not expect, and those of the whole level', async () => {
    const { store } = await ownStore();
    const { lab, address } = await fleet(store);
    const { get } = await served({ store, workspaces: lab.workspaces() });
    expect(await get(address('a'))).toMatchObject({
      status: 200,
      body: {
        commit: expect.stringMatching(/^[0-9a-f]{40}$/u) as unknown,
        files: [
          { path: 'a.txt', status: 'modified', added: 1, deleted: 1, isUnexpected: false },
          { path: 'new/file.txt', status: 'added', added: 2, isUnexpected: false },
          { path: 'other.txt', status: 'added', isUnexpected: true },
        ],
        fileCount: 3,
      },
    });
    expect(await get(address('integrate'))).toMatchObject({ body: { fileCount: 5 } });
    expect((await get(`${address('a')}/file?path=a.txt`)).body).toMatchObject({
      text: expect.stringContaining('@@ -1 +1 @@\n-a\n+A\n') as unknown,
      isCut: false,
    });
    expect((await get(`${address('b')}/file?path=bin`)).body).toMatchObject({
      text: expect.stringContaining('Binary files') as unknown,
    });
    // A path stands for itself, and for nothing outside of the two commits.
    for (const path of ['*', ':/', '..%2F..%2Fetc%2Fpasswd', '%2Fetc%2Fpasswd', '--output%3Dx']) {
      const { body } = await get(`${address('a')}/file?path=${path}`);
      expect(JSON.stringify(body)).toMatch(/^\{"text":"","isCut":false\}$|GIT_FAILED/u);
    }
    expect(await get(`${address('a')}/file?path=%00`)).toMatchObject({ status: 400 });
    expect(await get(`${address('a')}/file`)).toMatchObject({ status: 400 });
  });

  it('name the files of the record, and the problem, if there is no such commit, repository or git', async () => {
    const { store } = await ownStore();
    const { address } = await fleet(store);
    const other = await makeLab(folder.path);
    const plain = other.workspaces({ repository: folder.path });
    const bare = `${folder.path}/bare`;
    await git(folder.path, 'init', '-q', '--bare', bare);
    for (const [workspaces, code] of [
      [undefined, 'REPOSITORY_UNUSABLE'],
      [plain, 'REPOSITORY_UNUSABLE'],
      [other.workspaces({ repository: bare }), 'REPOSITORY_UNUSABLE'],
      [other.workspaces(), 'WORKSPACE_REFUSED'],
    ] as const) {
      const { get } = await served({ store, workspaces });
      expect(await get(address('a'))).toMatchObject({
        status: 200,
        body: {
          files: [
            { path: 'a.txt', isUnexpected: false },
            { path: 'new/file.txt', isUnexpected: false },
            { path: 'other.txt', isUnexpected: true },
          ],
          fileCount: 3,
          problem: { code, hint: expect.stringContaining('phasegate ui') as unknown },
        },
      });
      expect(await get(`${address('a')}/file?path=a.txt`)).toMatchObject({ status: 409, body: { error: { code } } });
    }
  });

  it('are refused for a record without a commit', async () => {
    const { store, get } = await served();
    const run = task('t', { run: () => ({ commit: 'HEAD', base: 'HEAD' }) });
    await startRun(definePipeline({ name: 'p', phases: [phase('p', { tasks: [run] })] }), { store, runId: 'r' }).result;
    const { length } = await store.read('r');
    for (let seq = 1; seq <= length + 1; seq += 1)
      expect(await get(`/api/runs/r/records/${seq}/changes`)).toMatchObject({ status: 404 });
    expect(await get('/api/runs/none/records/1/changes')).toMatchObject({ status: 404 });
    expect(await get('/api/runs/r/records/0/changes')).toMatchObject({ status: 404 });
  });
});
