import { describe, expect, it } from 'vitest';
import {
  diffRows,
  foldedRows,
  type DiffRow,
  type DiffSide,
} from '../../visualizations/dashboard/src/parts/diff-rows.ts';

describe('diffRows()', () => {
  it('aligns lines, numbered in each text, and marks the words that differ', () => {
    const { rows, removed, added, isRough } = diffRows(
      'one\ntwo cats sit here\nthree',
      'zero\none\ntwo dogs sit here\nthree\n',
      'words',
    );
    expect(rows.map(shown)).toEqual([
      'added | 1 [zero]',
      'same 1 one | 2 one',
      'changed 2 two [cats] sit here | 3 two [dogs] sit here',
      'same 3 three | 4 three',
    ]);
    expect({ removed, added, isRough }).toEqual({ removed: 1, added: 2, isRough: false });
  });

  it('marks whole lines on request', () => {
    const { rows } = diffRows('two cats sit', 'two dogs sit', 'lines');
    expect(rows.map(shown)).toEqual(['changed 1 [two cats sit] | 1 [two dogs sit]']);
  });

  it('marks whole lines with next to nothing in common', () => {
    const { rows } = diffRows('the quick brown fox', 'a lazy dog sleeps the', 'words');
    expect(rows.map(shown)).toEqual(['changed 1 [the quick brown fox] | 1 [a lazy dog sleeps the]']);
  });

  it('keeps lines without a counterpart', () => {
    expect(diffRows('a\nb\nc', 'a', 'words').rows.map(shown)).toEqual([
      'same 1 a | 1 a',
      'removed 2 [b] |',
      'removed 3 [c] |',
    ]);
    expect(diffRows('', 'a\nb', 'words').rows.map(shown)).toEqual(['added | 1 [a]', 'added | 2 [b]']);
  });

  it('ignores the kind of line ends', () => {
    const { rows, removed, added } = diffRows('a\r\nb', 'a\nb\n', 'words');
    expect(rows.map(shown)).toEqual(['same 1 a | 1 a', 'same 2 b | 2 b']);
    expect([removed, added]).toEqual([0, 0]);
  });

  it('shows both texts whole if they are too long and too different', () => {
    const text = (seed: number) => Array.from({ length: 30_000 }, (_, at) => `${(at * seed) % 49_999}`).join('\n');
    const { rows, isRough, removed, added } = diffRows(text(7), text(11), 'words');
    expect({ isRough, removed, added, rows: rows.length }).toEqual({
      isRough: true,
      removed: 30_000,
      added: 30_000,
      rows: 30_000,
    });
  });
});

describe('foldedRows()', () => {
  const same = (count: number) => Array.from({ length: count }, (_, at) => `${at}`).join('\n');

  it('keeps three lines around each difference, and folds the rest', () => {
    const before = `${same(10)}\nold\n${same(10)}\nold\n${same(10)}`;
    const folded = foldedRows(diffRows(before, before.replaceAll('old', 'new'), 'words').rows);
    const kinds = folded.map((row) => (row.kind === 'gap' ? `(${row.rows.length})` : row.kind));
    expect(kinds.join(' ')).toBe(
      '(7) same same same changed same same same (4) same same same changed same same same (7)',
    );
  });

  it('loses no row and changes no order', () => {
    const { rows } = diffRows(same(50), same(50).replace('20', 'x').replace('27', 'y').replace('49', 'z'), 'words');
    expect(foldedRows(rows).flatMap((row) => (row.kind === 'gap' ? row.rows : row))).toEqual(rows);
  });

  it('folds only more lines than the fold itself takes', () => {
    const { rows } = diffRows(`old\n${same(7)}\nold`, `new\n${same(7)}\nnew`, 'words');
    expect(foldedRows(rows)).toEqual(rows);
  });

  it('folds everything if nothing differs', () => {
    const { rows } = diffRows(same(5), same(5), 'words');
    expect(foldedRows(rows)).toEqual([{ kind: 'gap', rows }]);
  });
});

// --- internal ---

/** Formats a row with its changed parts in brackets. */
function shown({ kind, before, after }: DiffRow): string {
  const side = (one: DiffSide | undefined) =>
    one ? ` ${one.line} ${one.parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')}` : '';
  return `${kind}${side(before)} |${side(after)}`;
}
