/**
 * Where times are on a line of columns. Long stretches in which nothing is at work are drawn short, so that the rest can be seen.
 *
 * @module
 */

/** A stretch of time. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A line of columns for a stretch of time. */
export interface TimeAxis {
  /** Columns from the left, with fractions. */
  columnOf(time: number): number;
  /** The time at a column. */
  timeAt(column: number): number;
  /** Stretches that are drawn short. */
  readonly cuts: readonly Stretch[];
}

/**
 * Makes an axis.
 *
 * @param busy When something was at work; they may overlap.
 */
export function createTimeAxis({ from, to }: Stretch, columns: number, busy: readonly Stretch[]): TimeAxis {
  const pieces = piecesOf({ from, to }, busy);
  const atWork = pieces.reduce((sum, piece) => sum + (piece.isBusy ? piece.to - piece.from : 0), 0);
  const longest = atWork === 0 ? Infinity : atWork / PART;
  let at = 0;
  const placed = pieces.map((piece) => {
    const length = piece.isBusy ? piece.to - piece.from : Math.min(piece.to - piece.from, longest);
    const start = at;
    at += length;
    return { ...piece, start, length };
  });
  const scale = at === 0 ? 0 : columns / at;
  return {
    columnOf(time) {
      const piece = firstWith(placed, (one) => time <= one.to);
      if (!piece) return 0;
      const share = piece.to === piece.from ? 0 : (Math.max(time, piece.from) - piece.from) / (piece.to - piece.from);
      return Math.min(columns, (piece.start + Math.min(1, share) * piece.length) * scale);
    },
    timeAt(column) {
      const place = scale === 0 ? 0 : column / scale;
      const piece = firstWith(placed, (one) => place <= one.start + one.length);
      if (!piece) return from;
      const share = piece.length === 0 ? 0 : Math.min(1, (place - piece.start) / piece.length);
      return piece.from + share * (piece.to - piece.from);
    },
    cuts: placed
      .filter((piece) => piece.to - piece.from > piece.length)
      .map((piece) => ({ from: piece.from, to: piece.to })),
  };
}

// --- internal ---

/** A stretch without work is at most as long as this part of all work. */
const PART = 8;

interface Piece extends Stretch {
  readonly isBusy: boolean;
}

/** The first of which something holds that holds of all behind it, too; the last where it holds of none. */
function firstWith<T>(all: readonly T[], holds: (one: T) => boolean): T | undefined {
  let [low, high] = [0, all.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = all[middle];
    if (one !== undefined && holds(one)) high = middle;
    else low = middle + 1;
  }
  return all[low];
}

function piecesOf({ from, to }: Stretch, busy: readonly Stretch[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (const one of busy.toSorted((a, b) => a.from - b.from)) {
    const start = Math.max(at, one.from);
    const end = Math.min(to, one.to);
    if (end <= start) continue;
    if (start > at) pieces.push({ from: at, to: start, isBusy: false });
    const last = pieces.at(-1);
    if (last?.isBusy && last.to === start) pieces[pieces.length - 1] = { ...last, to: end };
    else pieces.push({ from: start, to: end, isBusy: true });
    at = end;
  }
  if (at < to) pieces.push({ from: at, to, isBusy: false });
  return pieces;
}
