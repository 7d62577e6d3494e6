/**
 * Loops beside those of issues: attempts that put out the same, and demands that are made in the same words.
 *
 * @module
 */
import type { Outputs } from '../../model/handlers/task.ts';
import type { Judgement } from '../../model/review/open-issues.ts';
import { decisionIn, isDemand } from '../../model/review/verdict.ts';
import { contentHash } from '../../model/values/content-hash.ts';
import { isSameJson } from '../../model/values/json.ts';

/** The latest demand of a gate, where it has no issues. JSON. */
export interface RepeatedDemand {
  /** A hash of what it says, and of whom. */
  readonly hash: string;
  /** Demands before it, in a row, that said the same. */
  readonly repeats: number;
}

/** True if an attempt has put out what the attempt before it had. Outputs that are all `null` do not tell. */
export function isUnchanged(outputs: Outputs, previous: Outputs | undefined): boolean {
  return previous !== undefined && !Object.values(outputs).every(isNothing) && isSameJson(outputs, previous);
}

/** The latest demand of a gate after a judgement. One that could not be had, or that is a worker's, changes nothing; a person's ends the row. */
export function demandAfter(
  before: RepeatedDemand | undefined,
  { verdict, by }: Judgement,
): RepeatedDemand | undefined {
  if (by === 'person') return undefined;
  if (by === 'worker' || !decisionIn(verdict)) return before;
  if (!isDemand(verdict) || (verdict.issues ?? []).length > 0) return undefined;
  const { feedback, requiredChange = '' } = verdict;
  if (feedback === '' && requiredChange === '') return undefined;
  const hash = contentHash([verdict.type === 'retry' ? null : verdict.phase, feedback, requiredChange]);
  return { hash, repeats: hash === before?.hash ? before.repeats + 1 : 0 };
}

// --- internal ---

function isNothing(output: unknown): boolean {
  return output === null || output === undefined;
}
