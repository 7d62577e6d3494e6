import { describe, expect, it } from 'vitest';
import {
  diffRows,
  foldedRows,
  type DiffRow,
  type DiffSide,
} from '../../visualizations/dashboard/src/parts/diff-rows.ts';

describe('diffRows()', () => {
  it('puts lines beside each other, numbered in each text, with the words that differ', () => {
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

  it('marks whole lines where that is asked for', () => {
    const { rows } = diffRows('two cats sit', 'two dogs sit', 'lines');
    expect(rows.map(shown)).toEqual(['changed 1 [two cats sit] | 1 [two dogs sit]']);
  });

  it('marks whole lines that have next to nothing in common', () => {
    const { rows } = diffRows('the quick brown fox', 'a lazy dog sleeps the', 'words');
    expect(rows.map(shown)).toEqual(['changed 1 [the quick brown fox] | 1 [a lazy dog sleeps the]']);
  });

  it('leaves over what has no counterpart', () => {
    expect(diffRows('a\nb\nc', 'a', 'words').rows.map(shown)).toEqual([
      'same 1 a | 1 a',
      'removed 2 [b] |',
      'removed 3 [c] |',
    ]);
    expect(diffRows('', 'a\nb', 'words').rows.map(shown)).toEqual(['added | 1 [a]', 'added | 2 [b]']);
  });

  it('takes no notice of how lines end', () => {
    const { rows, removed, added } = diffRows('a\r\nb', 'a\nb\n', 'words');
    expect(rows.map(shown)).toEqual(['same 1 a | 1 a', 'same 2 b | 2 b']);
    expect([removed, added]).toEqual([0, 0]);
  });

  it('shows both whole where they are too long and too different', () => {
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

  it('keeps three lines around what differs, and leaves out the rest', () => {
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

  it('leaves out nothing that is no longer than what would stand for it', () => {
    const { rows } = diffRows(`old\n${same(7)}\nold`, `new\n${same(7)}\nnew`, 'words');
    expect(foldedRows(rows)).toEqual(rows);
  });

  it('leaves out all of what is the same', () => {
    const { rows } = diffRows(same(5), same(5), 'words');
    expect(foldedRows(rows)).toEqual([{ kind: 'gap', rows }]);
  });
});

// --- internal ---

/** Changed parts in brackets. */
function shown({ kind, before, after }: DiffRow): string {
  const side = (one: DiffSide | undefined) =>
    one ? ` ${one.line} ${one.parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')}` : '';
  return `${kind}${side(before)} |${side(after)}`;
}
