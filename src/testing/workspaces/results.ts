/**
 * Cases: integration, differences, and the branch of a run.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { baseOf, placeOf, signal, workOf, type WorkspaceCaseBody } from './trial.ts';

/** Claims, with their tests. */
export const resultCases: Readonly<Record<string, WorkspaceCaseBody>> = {
  'folds commits in order, and leaves out those that conflict': async ({ workspaces, read }) => {
    const base = await baseOf(workspaces);
    const works = [{ one: '1' }, { 'a.txt': 'two' }, { 'a.txt': 'three', three: '3' }, { four: '4' }];
    const parts = [];
    for (const [index, files] of works.entries()) {
      const { commit } = await workOf(workspaces, base, placeOf(`t${index}`), files);
      parts.push({ name: `t${index}`, title: `Do ${index}`, commit });
    }
    const { commit, conflicts } = await workspaces.integrate({ place: placeOf('integrate'), base, parts, signal });
    assert.deepEqual(conflicts, [{ name: 't2', paths: ['a.txt'] }]);
    const texts = await Promise.all(['one', 'a.txt', 'three', 'four'].map((name) => read(commit, name)));
    assert.deepEqual(texts, ['1', 'two', undefined, '4']);
  },

  'integrates an attempt once': async ({ workspaces, open }) => {
    const base = await baseOf(workspaces);
    const { commit } = await workOf(workspaces, base, placeOf('one'), { x: '1' });
    const place = placeOf('integrate');
    const parts = [{ name: 'one', title: 'One', commit }];
    const first = await workspaces.integrate({ place, base, parts, signal });
    assert.deepEqual(await (await open()).integrate({ place, base, parts: [], signal }), first);
    const none = await workspaces.integrate({ place: placeOf('integrate', { attempt: 1 }), base, parts: [], signal });
    assert.deepEqual(none, { commit: base, conflicts: [] });
  },

  'integrates only the changes since a start, which another version may replace': async ({ workspaces, read }) => {
    const base = await baseOf(workspaces);
    const old = await workOf(workspaces, base, placeOf('one'), { x: 'old', gone: 'old' });
    const next = await workOf(workspaces, base, placeOf('one', { attempt: 1 }), { x: 'new' });
    const top = await workOf(workspaces, old.commit, placeOf('two'), { y: '2' });
    const parts = [
      { name: 'one', title: 'One', commit: next.commit, start: base },
      { name: 'two', title: 'Two', commit: top.commit, start: old.commit },
    ];
    const { commit, conflicts } = await workspaces.integrate({ place: placeOf('integrate'), base, parts, signal });
    assert.deepEqual(conflicts, []);
    const texts = await Promise.all(['x', 'y', 'gone'].map((name) => read(commit, name)));
    assert.deepEqual(texts, ['new', '2', undefined]);
  },

  'has the integrated commit as the base of the next level': async ({ workspaces, read }) => {
    const base = await baseOf(workspaces);
    const { commit } = await workOf(workspaces, base, placeOf('one'), { x: '1' });
    const parts = [{ name: 'one', title: 'One', commit }];
    const merged = await workspaces.integrate({ place: placeOf('integrate'), base, parts, signal });
    const next = await workOf(workspaces, merged.commit, placeOf('next', { phase: 'next' }), { y: '2' });
    assert.deepEqual([next.base, next.files], [merged.commit, [{ path: 'y', status: 'added' }]]);
    assert.equal(await read(next.commit, 'x'), '1');
  },

  'shows a difference as text of a limited size': async ({ workspaces }) => {
    const base = await baseOf(workspaces);
    const large = 'line\n'.repeat(20_000);
    const { commit } = await workOf(workspaces, base, placeOf('one'), { large, small: 'small\n' });
    const whole = await workspaces.diff({ from: base, to: commit, signal });
    assert.deepEqual(
      whole.files.map(({ path, status, added }) => [path, status, added]),
      [
        ['large', 'added', 20_000],
        ['small', 'added', 1],
      ],
    );
    assert.equal(whole.isCut, false);
    const cut = await workspaces.diff({ from: base, to: commit, maxBytes: 5000, signal });
    assert.equal(cut.isCut, true);
    assert.equal(Buffer.byteLength(cut.text) <= 5000, true);
    assert.match(cut.text, /^\+small$/mu);
    const some = await workspaces.diff({ from: base, to: commit, paths: ['small'], signal });
    assert.deepEqual(
      some.files.map(({ path }) => path),
      ['small'],
    );
    assert.deepEqual(await workspaces.diff({ from: base, to: commit, maxBytes: 0, signal }), {
      ...whole,
      text: '',
      isCut: true,
    });
  },

  'moves the branch of a run': async ({ workspaces, open, picture }) => {
    const { base, branch } = await workspaces.start({ run: 'run', signal });
    const before = await picture();
    const { commit } = await workOf(workspaces, base, placeOf('one'), { x: '1' });
    const published = { branch, commit };
    assert.deepEqual(await workspaces.publish({ run: 'run', commit, signal }), published);
    assert.deepEqual(await (await open()).publish({ run: 'run', commit, signal }), published);
    await assert.rejects(() => workspaces.publish({ run: 'unknown', commit, signal }), { code: 'WORKSPACE_REFUSED' });
    assert.deepEqual(await picture(), before);
  },
};
