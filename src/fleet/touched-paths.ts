/**
 * Paths that subtasks are expected to touch: files, folders and patterns.
 *
 * @module
 */

/**
 * Returns a path in its plain form: with `/`, without `./` and double or trailing slashes. `undefined` if it is absolute, or leads out
 * of the repository.
 */
export function plainPath(path: string): string | undefined {
  const slashed = path.replaceAll('\\', '/');
  if (slashed.startsWith('/') || /^[a-z]:/iu.test(slashed) || slashed.includes('\0')) return undefined;
  const parts = slashed.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? undefined : parts.join('/');
}

/**
 * Returns the first path of each list that may have a file in common; `undefined` if no two have.
 *
 * A folder has all that is in it. A pattern counts as the folder before its first wildcard, so two patterns of one folder may overlap.
 * Case does not matter, as file systems differ there.
 */
export function commonFiles(own: readonly string[], others: readonly string[]): readonly [string, string] | undefined {
  for (const one of own) {
    const other = others.find((path) => mayOverlap(folderOf(one), folderOf(path)));
    if (other !== undefined) return [one, other];
  }
  return undefined;
}

/** True if a file is expected: one of the paths names it, or a folder or pattern that has it. No paths expect every file. */
export function isExpected(file: string, paths: readonly string[]): boolean {
  return paths.length === 0 || paths.some((path) => isWithin(file, folderOf(path, false)));
}

// --- internal ---

const WILDCARDS = ['*', '?', '[', '{'];

/** The part of a path before its first wildcard, up to a folder. '' is the whole repository. */
function folderOf(path: string, folded = true): string {
  const plain = plainPath(path) ?? '';
  const cuts = WILDCARDS.map((mark) => plain.indexOf(mark)).filter((at) => at !== -1);
  const fixed = cuts.length === 0 ? plain : plain.slice(0, plain.lastIndexOf('/', Math.min(...cuts)) + 1);
  const folder = fixed.endsWith('/') ? fixed.slice(0, -1) : fixed;
  return folded ? folder.toLowerCase() : folder;
}

function mayOverlap(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
