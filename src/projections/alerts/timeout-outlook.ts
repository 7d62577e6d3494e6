/**
 * Whether a timeout will end what says nothing.
 *
 * @module
 */
import { DEFAULT_TIMEOUT } from '../../model/definition/compile.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { spanText, type Alert } from './alert.ts';

/** What is at work in a phase. */
export interface AtWork {
  readonly kind: 'attempt' | 'review';
  /** The task that is tried; absent for what comes before tasks, and for a review. */
  readonly task?: string | undefined;
  /** Whether a reviewer is known to be a person, who has all the time there is. */
  readonly isPerson: (reviewer: string) => boolean;
}

/** The timeout of a task, or else the longest of what may be at work, in milliseconds; 0 where one of them has none. */
export function timeoutOf(plan: Plan | undefined, phase: string, { kind, task, isPerson }: AtWork): number {
  const found = plan?.phases.find(({ name }) => name === phase);
  if (task !== undefined) return found?.tasks.find(({ name }) => name === task)?.timeout ?? 0;
  const { reviewers = [], reflect, checks = [], baseline = [] } = found?.gate ?? {};
  const calls = kind === 'review' ? reviewers.filter(({ name }) => !isPerson(name)) : reflect ? [reflect] : [];
  // A plan does not have the timeouts of checks: it is this one where they say nothing else.
  const ofChecks = (kind === 'review' ? checks : baseline).map(() => DEFAULT_TIMEOUT);
  const timeouts = [...calls.map(({ timeout }) => timeout), ...ofChecks];
  return timeouts.includes(0) ? 0 : Math.max(0, ...timeouts);
}

/**
 * Whether somebody has to do something, and what: nobody has to while a timeout will end it.
 *
 * @param from When what it works on began, in milliseconds since 1970.
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

/** Milliseconds for what was aborted to come to rest, and to be kept. */
const GRACE_MS = 60_000;
