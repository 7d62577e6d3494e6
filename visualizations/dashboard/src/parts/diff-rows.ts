/**
 * Two texts as rows for a side-by-side view.
 *
 * @module
 */
import { type Change, diffLines, diffWordsWithSpace } from 'diff';

/** A piece of a line. */
export interface DiffPart {
  readonly text: string;
  /** True if the other line does not have it. */
  readonly isChanged: boolean;
}

/** A line of one of the texts. */
export interface DiffSide {
  /** The line number, from 1. */
  readonly line: number;
  readonly parts: readonly DiffPart[];
}

/** A line of the first text next to a line of the second. One of them may be missing. */
export interface DiffRow {
  readonly kind: 'same' | 'changed' | 'removed' | 'added';
  readonly before: DiffSide | undefined;
  readonly after: DiffSide | undefined;
}

/** The difference between two texts. */
export interface TextDiff {
  readonly rows: readonly DiffRow[];
  /** Numbers of lines that only one text has, or that differ. */
  readonly removed: number;
  readonly added: number;
  /** True if the texts are too long and too different to be compared. */
  readonly isRough: boolean;
}

/** A gap: equal lines that are not shown. */
export interface DiffGap {
  readonly kind: 'gap';
  readonly rows: readonly DiffRow[];
}

/** Compares two texts. @param by `words` marks words within changed lines; `lines` marks whole lines only. */
export function diffRows(before: string, after: string, by: 'words' | 'lines'): TextDiff {
  const [one, other] = [lineEnded(before), lineEnded(after)];
  const changes = one === other ? [] : diffLines(one, other, { timeout: LINES_MS });
  if (one === other) return { rows: sameRows(linesOf(one), 1, 1), removed: 0, added: 0, isRough: false };
  if (!changes) return roughly(linesOf(one), linesOf(other));
  const rows: DiffRow[] = [];
  const mark = markerOf(by);
  let [removed, added] = [0, 0];
  let gone: readonly string[] = [];
  const line = () => [removedLine(rows), addedLine(rows)] as const;
  const flush = (came: readonly string[]) => {
    rows.push(...pairRows(gone, came, line(), mark));
    removed += gone.length;
    added += came.length;
    gone = [];
  };
  for (const change of changes) {
    const lines = linesOf(change.value);
    if (change.removed) gone = lines;
    else if (change.added) flush(lines);
    else {
      flush([]);
      rows.push(...sameRows(lines, ...line()));
    }
  }
  flush([]);
  return { rows, removed, added, isRough: false };
}

/** Folds equal lines into gaps. @param around Equal lines to show around changed ones. @default 3 */
export function foldedRows(rows: readonly DiffRow[], around = 3): readonly (DiffRow | DiffGap)[] {
  const folded: (DiffRow | DiffGap)[] = [];
  for (let at = 0; at < rows.length;) {
    const start = at;
    while (rows[at]?.kind === 'same') at += 1;
    const [head, tail] = [start === 0 ? start : start + around, at === rows.length ? at : at - around];
    // A gap of one line would be as long as the line.
    if (tail - head > 1) {
      folded.push(...rows.slice(start, head), { kind: 'gap', rows: rows.slice(head, tail) }, ...rows.slice(tail, at));
    } else folded.push(...rows.slice(start, at));
    const row = rows[at];
    if (row) folded.push(row);
    at += 1;
  }
  return folded;
}

// --- internal ---

/** Time limits in milliseconds, for comparing all lines, and the words of one line. */
const LINES_MS = 1000;
const WORDS_MS = 50;
/** Limits for comparing words: changed lines in all, and characters of a line. */
const MOST_MARKED = 400;
const LONGEST_MARKED = 10_000;
/** The least common share of the longer line, without spaces. */
const LEAST_COMMON = 0.25;

type Mark = (before: string, after: string) => readonly [readonly DiffPart[], readonly DiffPart[]];

function lineEnded(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`;
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/u, '').split('\n');
}

/** The number of the next line of the first text. */
function removedLine(rows: readonly DiffRow[]): number {
  return (rows.findLast((row) => row.before)?.before?.line ?? 0) + 1;
}

function addedLine(rows: readonly DiffRow[]): number {
  return (rows.findLast((row) => row.after)?.after?.line ?? 0) + 1;
}

/** Pairs lines with themselves. @param before, after Line numbers of the first. */
export function sameRows(lines: readonly string[], before: number, after: number): readonly DiffRow[] {
  return lines.map((text, index) => {
    const parts = [{ text, isChanged: false }];
    return { kind: 'same', before: { line: before + index, parts }, after: { line: after + index, parts } };
  });
}

/** Pairs removed lines with added lines, in order. */
export function pairRows(
  gone: readonly string[],
  came: readonly string[],
  [before, after]: readonly [number, number],
  mark: Mark,
): readonly DiffRow[] {
  return Array.from({ length: Math.max(gone.length, came.length) }, (_, index): DiffRow => {
    const [one, other] = [gone[index], came[index]];
    const [left, right] = one !== undefined && other !== undefined ? mark(one, other) : wholly(one ?? '', other ?? '');
    return {
      kind: one === undefined ? 'added' : other === undefined ? 'removed' : 'changed',
      before: one === undefined ? undefined : { line: before + index, parts: left },
      after: other === undefined ? undefined : { line: after + index, parts: right },
    };
  });
}

function wholly(before: string, after: string): ReturnType<Mark> {
  return [[{ text: before, isChanged: true }], [{ text: after, isChanged: true }]];
}

/** Creates a function that marks the differences of two lines, up to a number of lines. */
export function markerOf(by: 'words' | 'lines'): Mark {
  let marked = 0;
  return (before, after) => {
    marked += 1;
    if (by === 'lines' || marked > MOST_MARKED || before.length + after.length > LONGEST_MARKED)
      return wholly(before, after);
    const changes = diffWordsWithSpace(before, after, { timeout: WORDS_MS });
    if (!changes || !isAlike(changes)) return wholly(before, after);
    const left = changes.filter((change) => !change.added);
    const right = changes.filter((change) => !change.removed);
    return [
      left.map(({ value, removed }) => part(value, removed)),
      right.map(({ value, added }) => part(value, added)),
    ];
  };
}

/** Lines with little in common are easier to read without marked words. */
function isAlike(changes: readonly Change[]): boolean {
  const lengthOf = (some: readonly Change[]) => some.reduce((sum, { value }) => sum + value.trim().length, 0);
  const common = lengthOf(changes.filter(({ added, removed }) => !added && !removed));
  const longest = Math.max(
    lengthOf(changes.filter(({ added }) => !added)),
    lengthOf(changes.filter(({ removed }) => !removed)),
  );
  return common >= longest * LEAST_COMMON;
}

function part(text: string, isChanged: boolean): DiffPart {
  return { text, isChanged };
}

function roughly(gone: readonly string[], came: readonly string[]): TextDiff {
  const rows = pairRows(gone, came, [1, 1], wholly);
  return { rows, removed: gone.length, added: came.length, isRough: true };
}
