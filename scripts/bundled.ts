/**
 * The dependencies that the build contains. Why: docs/decisions/code.md#why-are-two-dependencies-bundled
 *
 * @module
 */

/** Their names, in alphabetical order. */
export const BUNDLED: readonly string[] = ['safe-stable-stringify', 'zod'];

/** Returns the file of a module of such a dependency: one for each. The command line alone makes schemas of JSON Schemas, which needs all of zod. */
export function bundledFile(id: string): string | null {
  const [, name = ''] = /node_modules[\\/]([^\\/]+)[\\/](?!.*from-json-schema)/u.exec(id) ?? [];
  return BUNDLED.includes(name) ? name : null;
}
