/**
 * Baselines of checks: failures that existed before a phase began, and the comparison with failures after it.
 *
 * @module
 */
import { contentHash } from '../values/content-hash.ts';
import { cutList } from '../values/counts.ts';
import type { FailedCheck } from './check.ts';

/** A check that failed before the phase began. */
export interface FailedBefore {
  readonly check: string;
  /** A hash of each failure, if the check has named them. Hashes only show if two failures are the same. */
  readonly marks?: readonly string[] | undefined;
}

/** The fault of a failure: it existed before, part of it is new, or all of it is the phase's own. */
export type Fault =
  | { readonly type: 'preexisting' }
  | { readonly type: 'own' }
  /** Part of it failed before; `added` did not. */
  | { readonly type: 'added'; readonly added: readonly string[] };

/** Reduces a failure to what a baseline stores. */
export function failedBefore({ name, failures }: FailedCheck): FailedBefore {
  const distinct = [...new Set(failures)];
  const isKept = distinct.length > 0 && distinct.length <= MOST_MARKS;
  return isKept ? { check: name, marks: distinct.map(markOf) } : { check: name };
}

/**
 * Finds out if a failure is the phase's own fault. If the baseline names its failures, any other failure is the phase's own, and so
 * is one without names. Otherwise the outcome as a whole counts.
 *
 * @param before Failures of the baseline; `undefined` if none was taken.
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

/** Reduces a failure to its new part, so that it only requires the phase to fix that. */
export function onlyAdded(failed: FailedCheck, added: readonly string[]): FailedCheck {
  const names = cutList(added, FEW, brief).join(', ');
  const { name, details, failures } = failed;
  const requiredChange = `Fix what check "${name}" finds and did not find before this phase began: ${names}.`;
  return { name, requiredChange, details: `${details}\n\nNot found before this phase began: ${names}`, failures };
}

// --- internal ---

/** Most failures that are stored by name: beyond that the outcome as a whole counts. */
const MOST_MARKS = 2000;
/** Most names in a message. */
const FEW = 10;
const LONGEST_NAME = 200;

/** Hashes a failure. Its name may be a secret that records mask, and a run is resumed from records. */
function markOf(failure: string): string {
  return contentHash(failure).slice(0, 16);
}

function brief(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}
