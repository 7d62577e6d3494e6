/**
 * A pane: the lines at the bottom of a terminal, which are redrawn in place.
 *
 * @module
 */
import type { ProgramIo } from './program-io.ts';
import { rowsOf } from './text.ts';

/** The size of a terminal in characters. */
export interface PaneSize {
  readonly columns: number;
  readonly rows: number;
}

/** One line: its plain text, and the same text with escape codes for colours. */
export interface PaneLine {
  readonly text: string;
  readonly painted: string;
}

/** Lines that are redrawn in place. The cursor is hidden and stands below the last line. */
export interface Pane {
  /** Draws lines, which must be narrower than the terminal and fewer than its rows. Writes only lines that changed. */
  draw(lines: readonly PaneLine[]): void;
  /** Erases the lines; later output takes their place. */
  clear(): void;
  /** Erases the lines and shows the cursor. */
  close(): void;
  /** Leaves the lines where they are, and shows the cursor below them. Lines that are drawn later are new ones. */
  leave(): void;
}

/**
 * Creates a pane.
 *
 * @param write Writes to the terminal itself.
 * @param size Returns the current size of the terminal.
 * @param env Identifies the terminal program.
 */
export function createPane(write: (text: string) => void, size: () => PaneSize, env: ProgramIo['env']): Pane {
  let drawn: readonly PaneLine[] = [];
  let drawnAt = size();
  let isOpen = false;

  /** Returns the codes that erase all drawn lines. */
  function erasing(): string {
    const { columns, rows } = size();
    // Lines that scrolled off the top cannot be erased.
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
    leave() {
      if (isOpen) write(SHOW_CURSOR);
      drawn = [];
      isOpen = false;
    },
  };
}

// --- internal ---

const ESC = '\u001B';
const HIDE_CURSOR = `${ESC}[?25l`;
const SHOW_CURSOR = `${ESC}[?25h`;
/** Terminals with synchronized output show everything between these two codes at once. */
const BEGIN_FRAME = `${ESC}[?2026h`;
const END_FRAME = `${ESC}[?2026l`;
const ERASE_BELOW = `${ESC}[J`;
const ERASE_REST = `${ESC}[K`;

function up(count: number): string {
  return count === 0 ? '' : `${ESC}[${count}A`;
}

/** Returns the codes that change drawn lines into others; empty if they are equal. Lines are overwritten without erasing, to avoid flicker. */
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

/** Counts the rows of drawn lines after the width has changed. Most terminals wrap lines that have become too wide. */
function heightOf(lines: readonly PaneLine[], from: number, to: number, env: ProgramIo['env']): number {
  if (to >= from || !breaksLines(env)) return lines.length;
  return lines.reduce((sum, { text }) => sum + rowsOf(text, to), 0);
}

/** True if the terminal wraps lines after a resize. xterm, the Linux console and GNU screen cut them off. */
function breaksLines({ XTERM_VERSION, TERM, STY }: ProgramIo['env']): boolean {
  return XTERM_VERSION === undefined && STY === undefined && TERM !== 'linux';
}
