/**
 * The unified diff of one file as rows of a side-by-side view.
 *
 * @module
 */
import { type DiffRow, markerOf, pairRows, sameRows } from '../../parts/diff-rows.ts';

/** Lines that follow each other in both versions of a file. */
export interface Hunk {
  /** The text after the line numbers, such as the name of a function; '' if there is none. */
  readonly context: string;
  readonly rows: readonly DiffRow[];
}

/** The change of one file. */
export interface FileHunks {
  readonly hunks: readonly Hunk[];
  /** Kinds of the file that need words, such as `a symbolic link`. The first is the earlier one if there are two. */
  readonly kinds: readonly string[];
  /** True if the text says that lines are left out, or more lines follow than are read. */
  readonly isCut: boolean;
}

/** Reads the diff of one file, as git writes it. Lines that are not part of a diff are left out. */
export function hunksOf(text: string): FileHunks {
  const hunks: Hunk[] = [];
  const kinds: string[] = [];
  const mark = markerOf('words');
  let open: OpenHunk | undefined;
  let isCut = false;
  let read = 0;
  for (const line of linesOf(text)) {
    read += 1;
    if (read > MOST_LINES) {
      isCut = true;
      break;
    }
    const heading = HEADING.exec(line);
    if (heading) {
      if (open) hunks.push(closed(open, mark));
      const [, before, after, context = ''] = heading;
      open = { context: context.trim(), before: Number(before), after: Number(after), rows: [], gone: [], came: [] };
    } else if (open) isCut = take(open, line, mark) || isCut;
    else kinds.push(...kindIn(line));
  }
  if (open) hunks.push(closed(open, mark));
  return { hunks, kinds, isCut };
}

/** Cuts hunks to a number of rows in all. */
export function firstRows(hunks: readonly Hunk[], most: number): readonly Hunk[] {
  const shown: Hunk[] = [];
  let left = most;
  for (const { context, rows } of hunks) {
    if (left <= 0) break;
    shown.push({ context, rows: rows.slice(0, left) });
    left -= rows.length;
  }
  return shown;
}

// --- internal ---

/** Most lines of a diff that are shown. */
const MOST_LINES = 20_000;
const HEADING = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@(.*)$/u;
const NO_LINE_END = '⟨no line end⟩';

type Mark = ReturnType<typeof markerOf>;

/** A hunk that is being read, with the changed lines that are not in its rows yet. */
interface OpenHunk {
  readonly context: string;
  /** The numbers of the next lines. */
  before: number;
  after: number;
  readonly rows: DiffRow[];
  gone: string[];
  came: string[];
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    yield text.slice(at, end === -1 ? text.length : end);
    at = end === -1 ? text.length : end + 1;
  }
}

/** Adds a line to a hunk. @returns True if the line says that others are left out. */
function take(hunk: OpenHunk, line: string, mark: Mark): boolean {
  const rest = line.slice(1);
  switch (line.charAt(0)) {
    case '-':
      if (hunk.came.length > 0) flush(hunk, mark);
      hunk.gone.push(rest);
      return false;
    case '+':
      hunk.came.push(rest);
      return false;
    case ' ':
      flush(hunk, mark);
      hunk.rows.push(...sameRows([rest], hunk.before, hunk.after));
      hunk.before += 1;
      hunk.after += 1;
      return false;
    case '\\':
      endWithout(hunk);
      return false;
    default:
      return line.startsWith('[…');
  }
}

/** Notes that the latest line has no line end. */
function endWithout({ gone, came }: OpenHunk): void {
  const side = came.length > 0 ? came : gone;
  const last = side.pop();
  if (last !== undefined) side.push(`${last}${NO_LINE_END}`);
}

function flush(hunk: OpenHunk, mark: Mark): void {
  hunk.rows.push(...pairRows(hunk.gone, hunk.came, [hunk.before, hunk.after], mark));
  hunk.before += hunk.gone.length;
  hunk.after += hunk.came.length;
  hunk.gone = [];
  hunk.came = [];
}

function closed(hunk: OpenHunk, mark: Mark): Hunk {
  flush(hunk, mark);
  return { context: hunk.context, rows: hunk.rows };
}

/** The kind of a file in a line before the first hunk, unless it is an ordinary one. */
function kindIn(line: string): readonly string[] {
  const [, mode = ''] = /^(?:old mode|new mode|new file mode|deleted file mode) (\d{6})$/u.exec(line) ?? [];
  const kind = KINDS[mode];
  return kind === undefined ? [] : [kind];
}

const KINDS: Readonly<Record<string, string>> = {
  100644: 'an ordinary file',
  100755: 'an executable file',
  120000: 'a symbolic link',
  160000: 'a submodule',
};
