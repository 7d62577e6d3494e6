/**
 * The end of a phase whose budget was spent.
 *
 * @module
 */
import { isDemand } from '../../model/review/verdict.ts';
import type { PhaseResult } from './run-result.ts';

/** True if a phase was approved or rejected although the last verdict of its gate asks for changes. */
export function isExhausted({ status, decisions, because }: PhaseResult): boolean {
  if (status !== 'rejected') return because === 'exhausted';
  const verdict = decisions.at(-1)?.verdict;
  return verdict !== undefined && isDemand(verdict);
}
