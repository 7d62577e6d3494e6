/**
 * A report as headings and tables of plain text, independent of the output format.
 *
 * @module
 */
import { cut, oneLine } from '../terminal/text.ts';

/** A report. All its texts are plain text without markup. */
export interface ReportDocument {
  readonly title: string;
  readonly sections: readonly Section[];
}

/** A section of a report. */
export interface Section {
  readonly heading: string;
  /** An explanation of the figures in a sentence. */
  readonly note?: string;
  readonly table: Table;
}

/** Rows of cells. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** The number of rows that are left out. */
  readonly left: number;
  /** The text that replaces a table without rows. */
  readonly none: string;
}

/** The head of a column. */
export interface Column {
  readonly name: string;
  /** True if the cells are numbers, which are aligned to the right. */
  readonly isNumber: boolean;
}

/** The most rows of one table. */
export const MOST_ROWS = 200;

/** Creates columns. A name that begins with `#` makes a column of numbers. */
export function columns(...names: readonly string[]): readonly Column[] {
  return names.map((name) => ({ name: name.replace(/^#/u, ''), isNumber: name.startsWith('#') }));
}

/**
 * Creates a table of at most {@link MOST_ROWS} rows.
 *
 * @param matters Selects the values that are kept first if there are too many; the order stays. @default the latest are kept
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

/** Converts a text of a run to one short line without anything that a terminal or an editor interprets. */
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
