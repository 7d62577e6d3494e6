/**
 * Cases: the start of a run, and new workspaces.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { baseOf, get, placeOf, put, signal, type WorkspaceCaseBody } from './trial.ts';

/** Claims, with their tests. */
export const openCases: Readonly<Record<string, WorkspaceCaseBody>> = {
  'returns the same base when a run is started again': async ({ workspaces, open }) => {
    const first = await workspaces.start({ run: 'run', signal });
    assert.deepEqual(await workspaces.start({ run: 'run', signal }), first);
    assert.deepEqual(await (await open()).start({ run: 'run', signal }), first);
    const [one, two] = await Promise.all([baseOf(workspaces, 'other'), baseOf(await open(), 'other')]);
    assert.equal(one, two);
  },

  'opens a folder with the files of the base': async ({ workspaces, read }) => {
    const base = await baseOf(workspaces);
    const workspace = await workspaces.open(placeOf('one'), { base, signal });
    const text = await get(workspace, 'a.txt');
    assert.notEqual(text, undefined);
    assert.equal(text, await read(base, 'a.txt'));
    assert.equal(workspace.env['PHASEGATE_WORKSPACE'], workspace.path);
  },

  'opens a new folder for each try, without what an earlier try has left': async ({ workspaces }) => {
    const base = await baseOf(workspaces);
    const first = await workspaces.open(placeOf('one'), { base, signal });
    await put(first, 'left', 'x');
    const second = await workspaces.open(placeOf('one'), { base, signal });
    assert.notEqual(first.path, second.path);
    assert.equal(await get(second, 'left'), undefined);
    assert.equal(await get(first, 'left'), 'x');
  },

  'separates the workspaces of tasks': async ({ workspaces, picture }) => {
    const base = await baseOf(workspaces);
    const before = await picture();
    const both = await Promise.all(['one', 'two'].map((task) => workspaces.open(placeOf(task), { base, signal })));
    for (const [index, workspace] of both.entries()) await put(workspace, 'a.txt', String(index));
    assert.deepEqual(await Promise.all(both.map((one) => get(one, 'a.txt'))), ['0', '1']);
    assert.deepEqual(await picture(), before);
  },

  'refuses a commit that does not exist': async ({ workspaces }) => {
    await baseOf(workspaces);
    const place = placeOf('one');
    await assert.rejects(() => workspaces.open(place, { base: '0'.repeat(40), signal }), { code: 'WORKSPACE_REFUSED' });
    assert.deepEqual(await workspaces.list(signal), []);
  },

  'distinguishes runs and tasks, even with unusual ids': async ({ workspaces }) => {
    const commits = new Set<string>();
    for (const id of ODD_IDS) {
      const base = await baseOf(workspaces, id);
      const place = placeOf(id, { run: id, phase: id });
      assert.equal(await workspaces.kept(place, signal), undefined);
      const workspace = await workspaces.open(place, { base, signal });
      await put(workspace, 'x', `${commits.size}`);
      commits.add((await workspace.keep({ title: id, signal })).commit);
      await workspace.close();
    }
    assert.equal(commits.size, ODD_IDS.length);
  },
};

// --- internal ---

const ODD_IDS = ['r', 'R', '../r', '.lock', '-rf', '\n', '😀', 'x'.repeat(2000)];
