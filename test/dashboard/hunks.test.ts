import { describe, expect, it } from 'vitest';
import type { DiffRow, DiffSide } from '../../visualizations/dashboard/src/parts/diff-rows.ts';
import { hunksOf } from '../../visualizations/dashboard/src/run/work/hunks.ts';

describe('hunksOf()', () => {
  it('numbers the lines of both versions, and puts changed lines next to each other', () => {
    const { hunks, kinds, isCut } = hunksOf(
      `${HEAD}@@ -1,3 +1,4 @@
 one
-two cats sit here
+two dogs sit here
+more
 three
@@ -40,2 +41,1 @@ function fn() {
-forty
 last
\\ No newline at end of file
`,
    );
    expect(hunks.map(({ context, rows }) => [context, ...rows.map(shown)])).toEqual([
      [
        '',
        'same 1 one | 1 one',
        'changed 2 two [cats] sit here | 2 two [dogs] sit here',
        'added | 3 [more]',
        'same 3 three | 4 three',
      ],
      ['function fn() {', 'removed 40 [forty] |', 'same 41 last | 41 last'],
    ]);
    expect({ kinds, isCut }).toEqual({ kinds: [], isCut: false });
  });

  it('takes lines that look like headers for lines', () => {
    const { hunks } = hunksOf(`${HEAD}@@ -1,2 +1,2 @@\n--- a/x\n-@@ -1 +1 @@\n+++ b/x\n+diff --git a/y b/y\n`);
    expect(hunks.map(({ rows }) => rows.map(({ before, after }) => [textIn(before), textIn(after)]))).toEqual([
      [
        ['1 -- a/x', '1 ++ b/x'],
        ['2 @@ -1 +1 @@', '2 diff --git a/y b/y'],
      ],
    ]);
  });

  it('says if lines are left out, by git or here', () => {
    expect(hunksOf(`${HEAD}@@ -1,9 +1,9 @@\n a\n[… 8 lines left out …]\n`).isCut).toBe(true);
    const { hunks, isCut } = hunksOf(`${HEAD}@@ -0,0 +1,30000 @@\n${'+\n'.repeat(30_000)}`);
    expect([isCut, (hunks[0]?.rows.length ?? 0) > 19_000, (hunks[0]?.rows.length ?? 0) < 20_000]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('marks a missing line end, which may be the only change', () => {
    const { hunks } = hunksOf(`${HEAD}@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n`);
    expect(hunks[0]?.rows.map(({ before, after }) => [textIn(before), textIn(after)])).toEqual([
      ['1 a⟨no line end⟩', '1 a'],
    ]);
  });

  it('tells the kinds of a file', () => {
    expect(hunksOf('diff --git a/x b/x\nold mode 100644\nnew mode 100755\n').kinds).toEqual([
      'an ordinary file',
      'an executable file',
    ]);
    expect(
      hunksOf('diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n').kinds,
    ).toEqual(['a symbolic link']);
    expect(hunksOf('')).toEqual({ hunks: [], kinds: [], isCut: false });
  });
});

// --- internal ---

const HEAD = 'diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n';

function shown({ kind, before, after }: DiffRow): string {
  return [kind, marked(before), '|', marked(after)].filter((one) => one !== '').join(' ');
}

function marked(side: DiffSide | undefined): string {
  return side
    ? `${side.line} ${side.parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')}`
    : '';
}

function textIn(side: DiffSide | undefined): string {
  return side ? `${side.line} ${side.parts.map(({ text }) => text).join('')}` : '';
}
