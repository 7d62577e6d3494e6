/**
 * The rows that a long table shows at first.
 *
 * @module
 */

/** Selects rows that matter first, up to a number, in their original order. */
export function cutTo<T extends { readonly matters?: boolean | undefined }>(
  rows: readonly T[],
  most: number,
): readonly T[] {
  if (rows.length <= most) return rows;
  const first = rows.filter(({ matters }) => matters).slice(0, most);
  const rest = rows.filter(({ matters }) => !matters).slice(0, most - first.length);
  const kept = new Set([...first, ...rest]);
  return rows.filter((row) => kept.has(row));
}
