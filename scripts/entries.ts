/**
 * The code entries of the package, from its manifest.
 *
 * @module
 */
import { basename } from 'node:path';
import manifest from '../package.json' with { type: 'json' };

/** Returns their names, such as `index`. */
export function entryNames(): readonly string[] {
  return Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : basename(entry.default, '.js'),
  );
}
