/**
 * Counts in sentences.
 *
 * @module
 */

/** Writes a count with its noun, such as `1 phase` and `2 phases`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Writes a number of times: `once`, `2 times`. */
export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
