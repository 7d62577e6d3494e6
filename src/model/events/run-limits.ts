/**
 * Limits of one run, in addition to those of its pipeline. They can lower those, and never raise them.
 *
 * @module
 */
import { hasCode, PhasegateError } from '../errors/phasegate-error.ts';
import type { Plan } from '../plan/plan.ts';
import { limitsSchema, type LimitName, type Limits } from '../plan/policy-schema.ts';
import { isSameJson } from '../values/json.ts';
import type { RunRecord } from './event.ts';

/**
 * Applies limits of one run to a plan: for each limit, the smaller one counts. Returns the plan itself if none are given, or if they are
 * invalid.
 */
export function lowered(plan: Plan, given: Limits = {}): Plan {
  const read = limitsSchema.safeParse(given);
  const names = read.success ? namesIn(read.data) : [];
  if (!read.success || names.length === 0) return plan;
  const limits = { ...plan.limits };
  const runLimits: Record<string, number> = {};
  for (const name of names) {
    const most = read.data[name] ?? Infinity;
    runLimits[name] = most;
    limits[name] = Math.min(most, limits[name] ?? Infinity);
  }
  return Object.freeze({ ...plan, limits: Object.freeze(limits), runLimits: Object.freeze(runLimits) });
}

/** @throws PhasegateError `INPUT_INVALID` if the value is not a set of limits. */
export function checkLimits(given: unknown, how: 'start' | 'resume' | 'retry'): void {
  const read = limitsSchema.optional().safeParse(given);
  if (read.success) return;
  const found = read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ');
  throw new PhasegateError('INPUT_INVALID', `Cannot ${how} a run as its \`limits\` are no limits: ${found}`, {
    hint: 'Give numbers from 0 on, such as { costUsd: 5, attemptsPerPhase: 20 }.',
  });
}

/**
 * Explains that the records of a run do not allow it to resume with other limits.
 *
 * @param error The error of resuming the run. Any but `JOURNAL_DIVERGED` is returned as it is.
 */
export function limitsTooLow(runId: string, error: unknown): unknown {
  if (!hasCode(error, 'JOURNAL_DIVERGED')) return error;
  return new PhasegateError(error.code, `Cannot resume run ${runId} with other limits as its records do not allow it`, {
    hint: 'Give limits that are above what it has used, and do not raise one that was reached; or fork it before that.',
    cause: error,
  });
}

/**
 * Returns the limits of each part of a run: from its start to its end, and from each time that it was retried to the next end.
 *
 * Limits of a resumed run count from the beginning of the current part, as its records are compatible with that.
 */
export function limitsOfParts(records: readonly Pick<RunRecord, 'event'>[]): readonly Limits[] {
  const parts: Limits[] = [];
  let latest: Limits = {};
  let hasEnded = true;
  for (const { event } of records) {
    if (event.type === 'run.started' || event.type === 'run.reopened') {
      if (event.type === 'run.started') latest = event.plan.limits;
      parts.push(latest);
      hasEnded = false;
    } else if (event.type === 'run.resumed' && event.plan) {
      latest = event.plan.limits;
      // `run.resumed` with the new plan comes before `run.reopened`, and belongs to the next part.
      if (!hasEnded) parts[parts.length - 1] = latest;
    } else if (event.type === 'run.ended') hasEnded = true;
  }
  return parts;
}

/** Returns the plan with other limits; the plan itself if they are the same. */
export function withLimits(plan: Plan, limits: Limits): Plan {
  return isSameJson(plan.limits, limits) ? plan : Object.freeze({ ...plan, limits });
}

// --- internal ---

function namesIn(limits: Limits): readonly LimitName[] {
  return limitsSchema
    .unwrap()
    .keyof()
    .options.filter((name) => limits[name] !== undefined);
}
