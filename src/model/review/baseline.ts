/**
 * How checks stood before a phase set to work, and what of a failure after it is the phase's own.
 *
 * @module
 */
import { contentHash } from '../values/content-hash.ts';
import type { FailedCheck } from './check.ts';

/** A check that failed before the phase set to work. */
export interface FailedBefore {
  readonly check: string;
  /** A mark of everything that failed, where the check has said what; a mark tells nothing but whether two are the same. */
  readonly marks?: readonly string[] | undefined;
}

/** What a failure is: as it was before the phase set to work; partly so; or the phase's own. */
export type Fault =
  | { readonly type: 'preexisting' }
  | { readonly type: 'own' }
  /** Some of it failed before; `added` did not. */
  | { readonly type: 'added'; readonly added: readonly string[] };

/** What a baseline keeps of a failure. */
export function failedBefore({ name, failures }: FailedCheck): FailedBefore {
  const distinct = [...new Set(failures)];
  const isKept = distinct.length > 0 && distinct.length <= MOST_MARKS;
  return isKept ? { check: name, marks: distinct.map(markOf) } : { check: name };
}

/**
 * Whose fault a failure is. Where the check said before what had failed, whatever has failed since is the phase's own, and
 * so is a failure that does not say; else the outcome as a whole counts.
 *
 * @param before What failed at the baseline; `undefined` where none was taken.
 */
export function faultOf({ name, failures }: FailedCheck, before: readonly FailedBefore[] | undefined): Fault {
  const known = before?.find((one) => one.check === name);
  if (!known) return { type: 'own' };
  if (!known.marks) return { type: 'preexisting' };
  if (!failures) return { type: 'own' };
  const marks = new Set(known.marks);
  const added = [...new Set(failures)].filter((one) => !marks.has(markOf(one)));
  return added.length === 0 ? { type: 'preexisting' } : { type: 'added', added };
}

/** A failure of which some was there before, such that it asks for no more than is the phase's own. */
export function onlyAdded(failed: FailedCheck, added: readonly string[]): FailedCheck {
  const few = added.slice(0, FEW);
  const more = added.length > FEW ? `, and ${added.length - FEW} more` : '';
  const names = `${few.map(brief).join(', ')}${more}`;
  const { name, details, failures } = failed;
  const requiredChange = `Fix what check "${name}" finds and did not find before this phase began: ${names}.`;
  return { name, requiredChange, details: `${details}\n\nNot found before this phase began: ${names}`, failures };
}

// --- internal ---

/** More are not kept: then the outcome as a whole counts. */
const MOST_MARKS = 2000;
/** Names that are told. */
const FEW = 10;
const LONGEST_NAME = 200;

/** Marks rather than names: names may be secrets, which are masked in records, and a run is resumed from them. */
function markOf(failure: string): string {
  return contentHash(failure).slice(0, 16);
}

function brief(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}
