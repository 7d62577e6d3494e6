/**
 * The entries of the package that are code, as its manifest has them.
 *
 * @module
 */
import manifest from '../package.json' with { type: 'json' };

/** Their files below `dist`: the code, or the declarations. */
export function entryFiles(condition: 'default' | 'types'): readonly string[] {
  return Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : entry[condition].replace('./dist/', ''),
  );
}
