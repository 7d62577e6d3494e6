/**
 * Loops without issues: attempts with the same outputs, and demands in the same words.
 *
 * @module
 */
import type { Outputs } from '../../model/handlers/task.ts';
import type { Judgement } from '../../model/review/open-issues.ts';
import { decisionIn, isDemand } from '../../model/review/verdict.ts';
import { contentHash } from '../../model/values/content-hash.ts';
import { isSameJson } from '../../model/values/json.ts';

/** The latest demand of a gate, if it has no issues. JSON. */
export interface RepeatedDemand {
  /** A hash of its text and its target. */
  readonly hash: string;
  /** Number of equal demands before it, in a row. */
  readonly repeats: number;
}

/** Bounds for a number of equal demands. */
export interface RepeatBounds {
  readonly least: number;
  readonly most: number;
}

/** True if an attempt has the outputs of the attempt before it. Outputs that are all `null` do not count. */
export function isUnchanged(outputs: Outputs, previous: Outputs | undefined): boolean {
  return previous !== undefined && !Object.values(outputs).every(isNothing) && isSameJson(outputs, previous);
}

/** Returns the latest demand of a gate after a judgement. A worker's, or an unavailable one, changes nothing. A person's ends the row. */
export function demandAfter(
  before: RepeatedDemand | undefined,
  { verdict, by, repeats }: Judgement & { readonly repeats?: RepeatBounds | undefined },
): RepeatedDemand | undefined {
  if (by === 'person') return undefined;
  if (by === 'worker' || !decisionIn(verdict)) return before;
  if (!isDemand(verdict) || (verdict.issues ?? []).length > 0) return undefined;
  const { feedback, requiredChange = '' } = verdict;
  if (feedback === '' && requiredChange === '') return undefined;
  const hash = contentHash([verdict.type === 'retry' ? null : verdict.phase, feedback, requiredChange]);
  const counted = hash === before?.hash ? before.repeats + 1 : 0;
  return { hash, repeats: repeats ? Math.min(Math.max(counted, repeats.least), repeats.most) : counted };
}

// --- internal ---

function isNothing(output: unknown): boolean {
  return output === null || output === undefined;
}
