/**
 * Checks that a changed definition agrees with the work that a run has already done.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { EventOf, RunEvent, RunRecord } from '../../model/events/event.ts';
import type { Redact } from '../../model/events/redact.ts';
import { changeLines, phaseChangesOf } from '../../model/plan/plan-diff.ts';
import type { Plan } from '../../model/plan/plan.ts';

/**
 * Refuses a definition that lacks tasks that have started, or adds tasks to phases that were approved. Replay does not notice
 * this, as machines decide on phases and never look at the names of tasks.
 *
 * @throws PhasegateError `JOURNAL_DIVERGED`
 */
export function checkStartedPhases(runId: string, { phases }: Plan, records: readonly RunRecord[]): void {
  const tasks = new Map(phases.map((phase) => [phase.name, phase.tasks.map(({ name }) => name)]));
  for (const { seq, event } of records) {
    const why = contradictionOf(event, tasks);
    if (why === undefined) continue;
    const problem = `Cannot resume run ${runId} with another definition as it contradicts record ${seq}: ${why}`;
    throw new PhasegateError('JOURNAL_DIVERGED', problem, { hint: HINT });
  }
}

/**
 * Refuses a definition that changes a phase that has begun. That includes its gate and its remaining work, as both are part of
 * the agreed definition. On a retry, a phase that was not approved may change.
 *
 * @param plans The current plan of the run, and the plan to continue with, both masked as records are.
 * @param how Resumes an unfinished run, or retries one that has ended.
 * @throws PhasegateError `JOURNAL_DIVERGED` with the phases and their differences.
 */
export function checkUnchanged(
  runId: string,
  [before, after]: readonly Plan[],
  records: readonly RunRecord[],
  how: 'resume' | 'retry',
): void {
  const changes = before && after ? phaseChangesOf(before, after, begunIn(records, how)) : [];
  if (changes.length === 0) return;
  const problem = `Cannot resume run ${runId} with another definition as a phase that has begun differs:${changeLines(changes)}`;
  throw new PhasegateError('JOURNAL_DIVERGED', problem, { hint: HINT });
}

/** Masks plans as they are masked in records. */
export function maskedBy(redact: Redact, started: EventOf<'run.started'>): (plan: Plan) => Plan {
  return (plan) => {
    const event = redact({ ...started, plan });
    return event.type === 'run.started' ? event.plan : plan;
  };
}

// --- internal ---

const HINT = 'Leave phases that have begun unchanged, or fork the run before that phase with forkRun().';

/** Names of the phases that must not change: those that have started, or on a retry those that were approved. */
function begunIn(records: readonly RunRecord[], how: 'resume' | 'retry'): ReadonlySet<string> {
  const type = how === 'retry' ? 'phase.approved' : 'phase.started';
  return new Set(records.flatMap(({ event }) => (event.type === type ? event.phase : [])));
}

function contradictionOf(event: RunEvent, tasks: ReadonlyMap<string, readonly string[]>): string | undefined {
  if (event.type === 'task.started') {
    const { phase, task } = event;
    return tasks.get(phase)?.includes(task) === false ? `phase "${phase}" has no task "${task}" any more` : undefined;
  }
  if (event.type !== 'phase.approved') return undefined;
  const { phase, outputs } = event;
  const missing = tasks.get(phase)?.find((name) => !Object.hasOwn(outputs, name));
  return missing === undefined ? undefined : `phase "${phase}" was approved without its task "${missing}"`;
}
