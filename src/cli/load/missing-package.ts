/**
 * Advice on failed imports of packages and of library exports.
 *
 * @module
 */
import * as phasegate from '../../index.ts';
import { nearest } from '../../model/values/nearest.ts';
import { entryNames, entryWith } from './virtual-modules.ts';

/**
 * Returns a hint for a name that `phasegate` does not export: the entry that exports it, or a similar name.
 *
 * @returns `undefined` if the message is about something else.
 */
export async function missingExport(message: string): Promise<string | undefined> {
  const [, wanted] = /^\(0 , _phasegate\.(\w{1,100})\) is not a function$/u.exec(message) ?? [];
  if (wanted === undefined) return undefined;
  const entry = await entryWith(wanted);
  if (entry !== undefined) return `Import ${wanted} from '${entry}'.`;
  const meant = nearest(wanted, Object.keys(phasegate));
  return `phasegate has no export "${wanted}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`;
}

/** Returns a hint for a package that was not found; `undefined` if the message is about something else. */
export function missingPackage(message: string): string | undefined {
  const [, wanted] = /^Cannot find (?:module|package) '([^'./][^']*)'/u.exec(message) ?? [];
  if (wanted === undefined) return undefined;
  const [scope = '', name = ''] = wanted.split('/');
  if (scope === 'phasegate') {
    const meant = nearest(wanted, entryNames());
    return meant === undefined ? `The entries are ${entryNames().join(', ')}.` : `Did you mean "${meant}"?`;
  }
  const given = wanted.startsWith('@') ? `${scope}/${name}` : scope;
  return `Install it in the project of the file: npm install ${given}`;
}
