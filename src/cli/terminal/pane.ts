/**
 * The lines at the bottom of a terminal that are drawn again and again, in the place of those before.
 *
 * @module
 */
import type { ProgramIo } from './program-io.ts';
import { rowsOf } from './text.ts';

/** How large a terminal is, in characters. */
export interface PaneSize {
  readonly columns: number;
  readonly rows: number;
}

/** One line: its text, and how it is written, with codes for colours. */
export interface PaneLine {
  readonly text: string;
  readonly painted: string;
}

/** Lines that are drawn again. The cursor is hidden, and stands below the last of them. */
export interface Pane {
  /** Draws lines, which must be narrower than the terminal, and fewer than its rows. Writes only what has changed. */
  draw(lines: readonly PaneLine[]): void;
  /** Erases them; what is written then stands in their place. */
  clear(): void;
  /** Erases them, and shows the cursor. */
  close(): void;
}

/**
 * @param write Writes to the terminal itself.
 * @param size How large the terminal is at that moment.
 * @param env Tells which terminal it is.
 */
export function createPane(write: (text: string) => void, size: () => PaneSize, env: ProgramIo['env']): Pane {
  let drawn: readonly PaneLine[] = [];
  let drawnAt = size();
  let isOpen = false;

  /** What erases all that was drawn. */
  function erasing(): string {
    const { columns, rows } = size();
    // Of lines that have left at the top nothing can be erased.
    const height = Math.min(heightOf(drawn, drawnAt.columns, columns, env), rows - 1);
    drawn = [];
    return height === 0 ? '' : `${up(height)}\r${ERASE_BELOW}`;
  }

  return {
    draw(lines) {
      const now = size();
      const isResized = now.columns !== drawnAt.columns || now.rows !== drawnAt.rows;
      const erased = isResized ? erasing() : '';
      drawnAt = now;
      const text = erased + changing(drawn, lines);
      drawn = lines;
      if (text !== '') write(`${isOpen ? '' : HIDE_CURSOR}${BEGIN_FRAME}${text}${END_FRAME}`);
      if (text !== '') isOpen = true;
    },
    clear() {
      const text = erasing();
      if (text !== '') write(`${BEGIN_FRAME}${text}${END_FRAME}`);
    },
    close() {
      const text = erasing();
      if (isOpen) write(`${BEGIN_FRAME}${text}${END_FRAME}${SHOW_CURSOR}`);
      isOpen = false;
    },
  };
}

// --- internal ---

const ESC = '\u001B';
const HIDE_CURSOR = `${ESC}[?25l`;
const SHOW_CURSOR = `${ESC}[?25h`;
/** Terminals that know of frames show what is between these two at once. */
const BEGIN_FRAME = `${ESC}[?2026h`;
const END_FRAME = `${ESC}[?2026l`;
const ERASE_BELOW = `${ESC}[J`;
const ERASE_REST = `${ESC}[K`;

function up(count: number): string {
  return count === 0 ? '' : `${ESC}[${count}A`;
}

/** What turns lines into others; empty where they are the same. Lines are overwritten and not erased first, so nothing flickers. */
function changing(before: readonly PaneLine[], after: readonly PaneLine[]): string {
  const isSame = (at: number) => before[at]?.painted === after[at]?.painted;
  let first = 0;
  while (first < after.length && isSame(first)) first += 1;
  if (first === after.length && before.length === after.length) return '';
  const written = after
    .slice(first)
    .map(({ painted }, index) => (isSame(first + index) ? '\n' : `${painted}${ERASE_REST}\n`))
    .join('');
  return `${up(before.length - first)}\r${written}${before.length > after.length ? ERASE_BELOW : ''}`;
}

/** The rows that lines take on a terminal whose width has changed since. Most terminals break lines that are too wide then. */
function heightOf(lines: readonly PaneLine[], from: number, to: number, env: ProgramIo['env']): number {
  if (to >= from || !breaksLines(env)) return lines.length;
  return lines.reduce((sum, { text }) => sum + rowsOf(text, to), 0);
}

/** xterm, the console of Linux and GNU screen cut them off. */
function breaksLines({ XTERM_VERSION, TERM, STY }: ProgramIo['env']): boolean {
  return XTERM_VERSION === undefined && STY === undefined && TERM !== 'linux';
}
