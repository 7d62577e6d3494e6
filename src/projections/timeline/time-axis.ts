/**
 * Positions of times on a line. Long stretches without work are drawn short, so that the rest stays visible: a run may wait for a
 * person all night.
 *
 * @module
 */

/** A stretch of time. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A line for a stretch of time. One unit is a millisecond, except in cuts. */
export interface TimeAxis {
  /** Length from the beginning of the stretch to its end. */
  readonly length: number;
  /** Returns the distance of a time from the beginning; negative if it is earlier. */
  placeOf(time: number): number;
  /** Returns the time at a place. */
  timeAt(place: number): number;
  /** Stretches that are drawn short, in order. */
  readonly cuts: readonly Stretch[];
}

/**
 * Makes an axis.
 *
 * @param busy Stretches of work; they may overlap. If there are none, nothing is drawn short.
 */
export function createTimeAxis({ from, to }: Stretch, busy: readonly Stretch[]): TimeAxis {
  const pieces = piecesOf({ from, to }, busy);
  const atWork = pieces.reduce((sum, piece) => sum + (piece.isBusy ? piece.to - piece.from : 0), 0);
  const longest = atWork === 0 ? Infinity : atWork / PART;
  let length = 0;
  const placed = pieces.map((piece) => {
    const start = length;
    length += piece.isBusy ? piece.to - piece.from : Math.min(piece.to - piece.from, longest);
    return { ...piece, start, end: length };
  });
  return {
    length,
    placeOf(time) {
      const piece = firstWith(placed, (one) => time <= one.to);
      if (!piece || time <= from) return time - from;
      if (time >= to) return length + time - to;
      return piece.start + ((time - piece.from) / (piece.to - piece.from)) * (piece.end - piece.start);
    },
    timeAt(place) {
      const piece = firstWith(placed, (one) => place <= one.end);
      if (!piece || place <= 0) return from + place;
      if (place >= length) return to + place - length;
      return piece.from + ((place - piece.start) / (piece.end - piece.start)) * (piece.to - piece.from);
    },
    cuts: placed
      .filter((piece) => piece.to - piece.from > piece.end - piece.start)
      .map((piece) => ({ from: piece.from, to: piece.to })),
  };
}

// --- internal ---

/** Longest stretch without work, as a divisor of all work. */
const PART = 8;

interface Piece extends Stretch {
  readonly isBusy: boolean;
}

/** Binary search: returns the first element that satisfies a monotonic condition; the last element if none does. */
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
