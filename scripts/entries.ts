/**
 * The code entries of the package, from its manifest.
 *
 * @module
 */
import manifest from '../package.json' with { type: 'json' };

/** Returns their files below `dist`: the code or the declarations. */
export function entryFiles(condition: 'default' | 'types'): readonly string[] {
  return Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : entry[condition].replace('./dist/', ''),
  );
}
