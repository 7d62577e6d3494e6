/**
 * Removal of unneeded declarations. The compiler writes one for every module, but users can reach only those that the entries
 * refer to.
 *
 * @module
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * Removes the declarations in a folder that no entry refers to, directly or indirectly.
 *
 * @param entries Paths of the declarations of the entries.
 */
export function pruneTypes(folder: string, entries: readonly string[]): void {
  const kept = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (kept.has(file)) continue;
    kept.add(file);
    open.push(...modulesIn(file));
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !kept.has(path)) rmSync(path);
  }
}

// --- internal ---

/** Returns the declarations that a declaration refers to. @throws Error if the file does not exist. */
function modulesIn(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  const { module } = parseSync(file, text);
  const named = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    // Inline types such as `import('./other.ts').Other`.
    ...[...text.matchAll(/\bimport\(["']([^"']+)["']\)/gu)].map(([, name = '']) => name),
  ];
  return named
    .filter((name) => name.startsWith('.'))
    .map((name) => resolve(dirname(file), name.replace(/\.[jt]s$/u, '.d.ts')));
}
