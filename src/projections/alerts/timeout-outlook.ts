/**
 * Forecast if a timeout will end silent work.
 *
 * @module
 */
import { DEFAULT_TIMEOUT } from '../../model/definition/plan-task.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { spanText, type Alert } from './alert.ts';

/** The work in progress in a phase. */
export interface AtWork {
  readonly kind: 'attempt' | 'review';
  /** The running task; absent before the first task, and in a review. */
  readonly task?: string | undefined;
  /** True if a reviewer is known to be a person, who may take any time. */
  readonly isPerson: (reviewer: string) => boolean;
}

/** Returns the timeout of a task, or else the longest of the work that may be running, in milliseconds; 0 if one of them has none. */
export function timeoutOf(plan: Plan | undefined, phase: string, { kind, task, isPerson }: AtWork): number {
  const found = plan?.phases.find(({ name }) => name === phase);
  if (task !== undefined) return found?.tasks.find(({ name }) => name === task)?.timeout ?? 0;
  const { reviewers = [], reflect, checks = [], baseline = [] } = found?.gate ?? {};
  const calls = kind === 'review' ? reviewers.filter(({ name }) => !isPerson(name)) : reflect ? [reflect] : [];
  // A plan has no timeouts of checks: this is their default.
  const ofChecks = (kind === 'review' ? checks : baseline).map(() => DEFAULT_TIMEOUT);
  const timeouts = [...calls.map(({ timeout }) => timeout), ...ofChecks];
  return timeouts.includes(0) ? 0 : Math.max(0, ...timeouts);
}

/**
 * Returns the severity and advice for silent work. Nobody has to act while a timeout is going to end it.
 *
 * @param from Start of the work, in milliseconds since 1970.
 * @param timeout Milliseconds; 0 for none.
 */
export function outlook(now: number, from: number, timeout: number): Pick<Alert, 'severity' | 'advice'> {
  if (timeout === 0) return { severity: 'problem', advice: 'See what it works on; a timeout would end it by itself.' };
  const span = spanText(timeout);
  return now < from + timeout + GRACE_MS
    ? { severity: 'notice', advice: `Each try has a timeout of ${span}.` }
    : { severity: 'problem', advice: `See what it works on: its timeout of ${span} should have ended it.` };
}

// --- internal ---

/** Milliseconds for aborted work to stop, and to be recorded. */
const GRACE_MS = 60_000;
