/**
 * Limits of one run, beside those of its pipeline: they can lower those, and never raise them.
 *
 * @module
 */
import { PhasegateError } from './errors.ts';
import type { Plan } from './plan.ts';
import { limitsSchema, type LimitName, type Limits } from './policy.ts';

/** The plan with limits of one run: of each, the smaller one counts. The plan itself where nothing is given, or no limits are. */
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

/** @throws PhasegateError `INPUT_INVALID` for what are no limits of a run. */
export function checkLimits(given: unknown): void {
  const read = limitsSchema.optional().safeParse(given);
  if (read.success) return;
  const found = read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ');
  throw new PhasegateError('INPUT_INVALID', `Cannot start a run as its \`limits\` are no limits: ${found}`, {
    hint: 'Give numbers from 0 on, such as { costUsd: 5, attemptsPerPhase: 20 }.',
  });
}

/**
 * Tells why a run cannot go on with limits.
 *
 * @param error Refuses to go on with them.
 */
export function limitsTooLow(runId: string, error: unknown): unknown {
  if (!PhasegateError.is(error) || error.code !== 'JOURNAL_DIVERGED') return error;
  return new PhasegateError(error.code, `Cannot resume run ${runId} with other limits as its records do not allow it`, {
    hint: 'Give limits that are above what it has used, and do not raise one that was reached; or fork it before that.',
    cause: error,
  });
}

// --- internal ---

function namesIn(limits: Limits): readonly LimitName[] {
  return limitsSchema
    .unwrap()
    .keyof()
    .options.filter((name) => limits[name] !== undefined);
}
