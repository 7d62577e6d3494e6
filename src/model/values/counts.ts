/**
 * Counts in messages: of things, of times, and of the entries of a list that are left out.
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

/**
 * Writes the first entries of a list. If there are others, the last text is `and 7 more`.
 *
 * @param most Most entries that are written.
 * @param write Writes an entry. @default `String`
 * @param count Number of all entries, if the list has only some. @default the length of the list
 */
export function cutList<T>(
  list: readonly T[],
  most: number,
  write: (entry: T) => string = String,
  count = list.length,
): readonly string[] {
  const written = list.slice(0, most).map((entry) => write(entry));
  return count > written.length ? [...written, `and ${count - written.length} more`] : written;
}
