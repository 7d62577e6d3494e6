/**
 * A model of a terminal screen. It interprets the text and the escape codes that the live tree writes.
 *
 * @module
 */
import stringWidth from 'string-width';

/** The size of a screen, in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The visible state of a screen. */
export interface ScreenModel {
  /** @throws Error if it meets an unknown code. */
  write(text: string): void;
  resize(size: ScreenSize): void;
  /** Returns the visible lines, down to the last one that is not empty. */
  lines(): readonly string[];
  /** Returns the lines that have left the screen at the top. */
  history(): readonly string[];
  /** True if the cursor is visible. */
  readonly hasCursor: boolean;
}

/**
 * @param options `reflows`: true if lines that become too wide wrap when the screen becomes narrower, as on most
 * terminals.
 * @default true
 */
export function createScreen(size: ScreenSize, options: { readonly reflows?: boolean } = {}): ScreenModel {
  const { reflows = true } = options;
  let { columns, rows } = size;
  /** All rows that were ever written. The last `rows` of them are visible. */
  let all: Row[] = Array.from({ length: rows }, emptyRow);
  let row = 0;
  let column = 0;
  let pending = '';
  let hasCursor = true;

  const top = () => all.length - rows;
  const here = (): Row => (all[row] ??= emptyRow());

  function feed(isSoft: boolean): void {
    if (row === all.length - 1) all.push(emptyRow());
    row += 1;
    here().isSoft = isSoft;
  }

  function put(character: string): void {
    const width = stringWidth(character);
    if (column + width > columns) {
      feed(true);
      column = 0;
    }
    const { cells } = here();
    while (cells.length < column) cells.push(' ');
    cells.splice(column, width, character, ...Array.from({ length: width - 1 }, () => ''));
    column += width;
  }

  function obey(mode: string, value: string, code: string): void {
    const count = Number(value || 1);
    const at = Math.min(column, columns - 1);
    if (mode + code === '?h' || mode + code === '?l') {
      if (value === '25') hasCursor = code === 'h';
      else if (value !== '2026') throw new Error(`The screen does not know the mode ${value}`);
    } else if (code === 'A') row = Math.max(top(), row - count);
    else if (code === 'B') row = Math.min(all.length - 1, row + count);
    else if (code === 'G') column = count - 1;
    else if (code === 'K' && value === '2') here().cells = [];
    else if (code === 'K' && value === '') here().cells.splice(at);
    else if (code === 'J' && value === '') {
      here().cells.splice(at);
      for (let below = row + 1; below < all.length; below++) all[below] = emptyRow();
    } else if (code !== 'm') throw new Error(`The screen does not know the code ${mode}${value}${code}`);
  }

  return {
    write(text) {
      const pieces = (pending + text).split(CODES);
      pending = pieces.pop() ?? '';
      // A possible start of a code stays pending until the rest arrives.
      const open = pending.indexOf('\u001B');
      if (open === -1) pieces.push(pending);
      else pieces.push(pending.slice(0, open));
      pending = open === -1 ? '' : pending.slice(open);
      for (const [at, piece] of pieces.entries()) {
        const code = at % 2 === 1 ? CODE.exec(piece) : null;
        if (code) obey(code[1] ?? '', code[2] ?? '', code[3] ?? '');
        else {
          for (const { segment } of graphemes.segment(piece)) {
            if (/\n/u.test(segment)) {
              feed(false);
              column = 0;
            } else if (segment === '\r') column = 0;
            else put(segment);
          }
        }
      }
    },
    resize(next) {
      if (reflows && next.columns !== columns) ({ all, row } = reflowed(all, row, next.columns));
      else if (next.columns < columns) for (const one of all) one.cells.splice(next.columns);
      ({ columns, rows } = next);
      column = Math.min(column, columns - 1);
      // Empty lines below the cursor are the first to be removed, and the last to be added.
      while (all.length > Math.max(rows, row + 1) && all.at(-1)?.cells.length === 0) all.pop();
      while (all.length < rows) all.push(emptyRow());
    },
    lines: () => textOf(all.slice(top())),
    history: () => textOf(all.slice(0, top())),
    get hasCursor() {
      return hasCursor;
    },
  };
}

// --- internal ---

interface Row {
  cells: string[];
  /** True if the row continues the one above. */
  isSoft: boolean;
}

// oxlint-disable-next-line no-control-regex -- the codes of terminals begin with one
const CODES = /(\u001B\[\??[\d;]*[A-Za-z])/u;
const CODE = /\[(\??)([\d;]*)([A-Za-z])/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function emptyRow(): Row {
  return { cells: [], isSoft: false };
}

function textOf(rows: readonly Row[]): readonly string[] {
  const lines = rows.map(({ cells }) => cells.join('').trimEnd());
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

/** Wraps the lines for a screen of another width. The cursor must be in the first column. */
function reflowed(rows: readonly Row[], cursor: number, columns: number): { all: Row[]; row: number } {
  const all: Row[] = [];
  let row = 0;
  let whole: string[] = [];
  for (const [at, { cells }] of rows.entries()) {
    if (at === cursor) row = all.length;
    whole = [...whole, ...cells];
    if (rows[at + 1]?.isSoft) continue;
    let start = 0;
    do {
      // A wide character is not split.
      const end = whole[start + columns] === '' ? start + columns - 1 : start + columns;
      all.push({ cells: whole.slice(start, end), isSoft: start > 0 });
      start = end;
    } while (start < whole.length);
    whole = [];
  }
  return { all, row };
}
