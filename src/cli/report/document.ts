/**
 * A report as headings and tables of plain text, whatever it is written as.
 *
 * @module
 */
import { cut, oneLine } from '../terminal/text.ts';

/** A report. No text in it is markup of any kind. */
export interface ReportDocument {
  readonly title: string;
  readonly sections: readonly Section[];
}

/** A part of a report, with what is to be said where its table is empty. */
export interface Section {
  readonly heading: string;
  /** What the figures mean, in a sentence. */
  readonly note?: string;
  readonly table: Table;
}

/** Rows of cells. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** Rows that are left out. */
  readonly left: number;
  /** Instead of a table without rows. */
  readonly none: string;
}

/** The head of a column. */
export interface Column {
  readonly name: string;
  /** Numbers stand at the right. */
  readonly isNumber: boolean;
}

/** Rows that are shown of one table. */
export const MOST_ROWS = 200;

/** A column of words, or of numbers where its name begins with `#`. */
export function columns(...names: readonly string[]): readonly Column[] {
  return names.map((name) => ({ name: name.replace(/^#/u, ''), isNumber: name.startsWith('#') }));
}

/**
 * A table of at most {@link MOST_ROWS} things.
 *
 * @param matters Which of them are shown first where there are more; the order stays. @default the latest
 */
export function tableOf<T>(
  heads: readonly Column[],
  all: readonly T[],
  row: (one: T) => readonly string[],
  none: string,
  matters: (one: T) => boolean = () => false,
): Table {
  const left = Math.max(0, all.length - MOST_ROWS);
  return { columns: heads, rows: shown(all, matters).map((one) => row(one).map(cell)), left, none };
}

/** Text of a run in one line that is not too long, and nothing that a terminal or an editor would obey. */
export function cell(text: string): string {
  return cut(oneLine(text.slice(0, LONGEST_READ)), LONGEST_CELL);
}

// --- internal ---

const LONGEST_CELL = 240;
const LONGEST_READ = 4000;

function shown<T>(all: readonly T[], matters: (one: T) => boolean): readonly T[] {
  if (all.length <= MOST_ROWS) return all;
  const first = all.filter(matters).slice(-MOST_ROWS);
  const rest = all.filter((one) => !matters(one));
  const kept = new Set([...first, ...rest.slice(Math.min(rest.length, rest.length - (MOST_ROWS - first.length)))]);
  return all.filter((one) => kept.has(one));
}
