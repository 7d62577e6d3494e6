/**
 * Advice on packages that a module imports and that are not there.
 *
 * @module
 */
import { nearest } from '../model/nearest.ts';
import { entryNames } from './virtual-modules.ts';

/** What to do about a package that was not found; `undefined` where the message is about something else. */
export function missingPackage(message: string): string | undefined {
  const [, wanted] = /^Cannot find (?:module|package) '([^'./][^']*)'/u.exec(message) ?? [];
  if (wanted === undefined) return undefined;
  const [scope = '', name = ''] = wanted.split('/');
  if (scope === 'phasegate') {
    const meant = nearest(wanted, entryNames());
    return `There ${meant === undefined ? `is ${entryNames().join(', ')}` : `is "${meant}"`}.`;
  }
  const given = wanted.startsWith('@') ? `${scope}/${name}` : scope;
  return `Install it in the project of the file: npm install ${given}`;
}
