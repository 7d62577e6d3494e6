/**
 * Cases: work that is kept, and the end of workspaces.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { baseOf, get, placeOf, put, signal, workOf, type WorkspaceCaseBody } from './trial.ts';

/** Claims, with their tests. */
export const keepCases: Readonly<Record<string, WorkspaceCaseBody>> = {
  'keeps added, changed and deleted files': async ({ workspaces, read, picture }) => {
    const base = await baseOf(workspaces);
    const before = await picture();
    const first = await workOf(workspaces, base, placeOf('one'), { 'new/x': 'x', 'a.txt': 'changed' });
    assert.deepEqual(first.files, [
      { path: 'a.txt', status: 'modified' },
      { path: 'new/x', status: 'added' },
    ]);
    assert.equal(first.base, base);
    assert.equal(await read(first.commit, 'new/x'), 'x');
    const workspace = await workspaces.open(placeOf('two'), { base: first.commit, signal });
    await rm(join(workspace.path, 'new'), { recursive: true });
    const second = await workspace.keep({ title: 'Two', signal });
    assert.deepEqual(second.files, [{ path: 'new/x', status: 'deleted' }]);
    assert.equal(await read(second.commit, 'a.txt'), 'changed');
    assert.deepEqual(await picture(), before);
  },

  'keeps files with unusual names': async ({ workspaces, read }) => {
    const files = { '-rf': '1', 'two\nlines': '2', ' ': '3', 'q"\\\t': '4', 'ü/😀': '5', ':(top)x': '6' };
    const { commit, fileCount } = await workOf(workspaces, await baseOf(workspaces), placeOf('one'), files);
    assert.equal(fileCount, Object.keys(files).length);
    for (const [name, text] of Object.entries(files)) assert.equal(await read(commit, name), text);
  },

  'never replaces what an attempt has kept': async ({ workspaces, open }) => {
    const base = await baseOf(workspaces);
    const place = placeOf('one');
    assert.equal(await workspaces.kept(place, signal), undefined);
    const first = await workOf(workspaces, base, place, { x: '1' });
    assert.deepEqual(await workOf(await open(), base, place, { x: '2' }), first);
    assert.deepEqual(await (await open()).kept(place, signal), first);
    assert.equal(await workspaces.kept(placeOf('one', { attempt: 1 }), signal), undefined);
    assert.equal(await workspaces.kept(placeOf('one', { generation: 1 }), signal), undefined);
    assert.equal(await workspaces.kept(placeOf('two'), signal), undefined);
  },

  'remembers a commit as the work of another place, the last one': async ({ workspaces, open }) => {
    const base = await baseOf(workspaces);
    const [one, two] = [
      await workOf(workspaces, base, placeOf('one'), { x: '1' }),
      await workOf(workspaces, base, placeOf('two'), { x: '2' }),
    ];
    for (const { commit } of [one, one, two]) {
      await workspaces.remember(placeOf('other'), commit, signal);
      assert.equal((await (await open()).kept(placeOf('other'), signal))?.commit, commit);
    }
    assert.deepEqual((await workspaces.kept(placeOf('other'), signal))?.files, two.files);
    await assert.rejects(() => workspaces.remember(placeOf('other'), '0'.repeat(40), signal), {
      code: 'WORKSPACE_REFUSED',
    });
  },

  'keeps the work of an agent that has changed nothing': async ({ workspaces }) => {
    const { files, base, commit } = await workOf(workspaces, await baseOf(workspaces), placeOf('one'), {});
    assert.deepEqual(files, []);
    assert.notEqual(commit, base);
  },

  'removes a folder whose content is kept, and no other': async ({ workspaces }) => {
    const base = await baseOf(workspaces);
    const kept = await workspaces.open(placeOf('kept'), { base, signal });
    await put(kept, 'x', 'x');
    await kept.keep({ title: 'X', signal });
    const unkept = await workspaces.open(placeOf('unkept'), { base, signal });
    await put(unkept, 'x', 'x');
    const unchanged = await workspaces.open(placeOf('unchanged'), { base, signal });
    assert.deepEqual(await Promise.all([kept.close(), unchanged.close()]), [{ removed: true }, { removed: true }]);
    const { removed, reason } = await unkept.close();
    assert.equal(removed, false);
    assert.equal(typeof reason, 'string');
    assert.equal(await get(unkept, 'x'), 'x');
    assert.equal(await get(kept, 'x'), undefined);
  },

  'counts changes from the base in a folder with the files of another commit': async ({ workspaces, read }) => {
    const base = await baseOf(workspaces);
    const { commit } = await workOf(workspaces, base, placeOf('one'), { x: '1', 'a.txt': 'changed' });
    const next = await workspaces.open(placeOf('two'), { base, files: commit, signal });
    assert.equal(await get(next, 'x'), '1');
    await put(next, 'a.txt', (await read(base, 'a.txt')) ?? '');
    const kept = await next.keep({ title: 'Two', signal });
    assert.deepEqual([kept.base, kept.files], [base, [{ path: 'x', status: 'added' }]]);
    const unchanged = await workspaces.open(placeOf('three'), { base, files: commit, signal });
    assert.deepEqual(await unchanged.changes({ signal }), { files: [], fileCount: 0 });
    assert.deepEqual(await unchanged.close(), { removed: true });
  },

  'removes a disposable folder with all that is in it': async ({ workspaces, open }) => {
    const base = await baseOf(workspaces);
    const both = await Promise.all(
      ['one', 'two'].map((task) => workspaces.open(placeOf(task), { base, disposable: true, signal })),
    );
    for (const one of both) await put(one, 'a.txt', 'changed');
    const [first] = both;
    assert.deepEqual(await first?.changes({ signal }), {
      files: [{ path: 'a.txt', status: 'modified' }],
      fileCount: 1,
    });
    assert.deepEqual(await first?.close(), { removed: true });
    assert.equal(await workspaces.kept(placeOf('one'), signal), undefined);
    const states = (await (await open()).list(signal)).map(({ place, state }) => [place.task, state]);
    assert.deepEqual(states, [['two', 'inUse']]);
  },

  'lists workspaces, and removes content that nobody has kept only after keeping it': async ({ workspaces, open }) => {
    const base = await baseOf(workspaces);
    const used = await workspaces.open(placeOf('used'), { base, signal });
    const left = await workspaces.open(placeOf('left'), { base, signal });
    await put(left, 'x', 'x');
    await left.close();
    const states = (await (await open()).list(signal)).map(({ path, place, state }) => [place.task, { path, state }]);
    assert.deepEqual(Object.fromEntries(states), {
      left: { path: left.path, state: 'left' },
      used: { path: used.path, state: 'inUse' },
    });
    assert.deepEqual((await workspaces.prune({ signal })).removed, []);
    assert.equal(await get(left, 'x'), 'x');
    assert.deepEqual((await workspaces.prune({ signal, rescue: true })).removed, [left.path]);
    assert.equal(await get(left, 'x'), undefined);
    assert.notEqual(await get(used, 'a.txt'), undefined);
  },
};
