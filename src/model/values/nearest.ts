/**
 * Suggestions for misspelt words.
 *
 * @module
 */

/** Longest word that is compared, in characters: the cost of a comparison is the product of both lengths. */
const LONGEST = 100;

/** Returns the candidate that differs from a word by the fewest keystrokes; `undefined` if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined;
  const [best] = candidates
    .filter(({ length }) => length <= LONGEST)
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3)))
    .toSorted((a, b) => a.far - b.far);
  return best?.candidate;
}

// --- internal ---

/** Counts the letters to insert, drop, replace or swap with their neighbour. */
function distance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, next];
  }
  return last[to.length] ?? 0;
}
