/**
 * What has begun of a run, under another definition than it began with.
 *
 * @module
 */
import { PhasegateError } from '../model/errors.ts';
import type { RunEvent, RunRecord } from '../model/event.ts';
import type { Plan } from '../model/plan.ts';

/**
 * Refuses a definition that lacks, or adds to, what phases have done: machines decide on phases and never look at what tasks
 * are called, so to tell the records again does not find that out.
 *
 * @throws PhasegateError `JOURNAL_DIVERGED`
 */
export function checkBegun(runId: string, { phases }: Plan, records: readonly RunRecord[]): void {
  const tasks = new Map(phases.map((phase) => [phase.name, phase.tasks.map(({ name }) => name)]));
  for (const { seq, event } of records) {
    const why = strangeness(event, tasks);
    if (why === undefined) continue;
    const problem = `Cannot resume run ${runId} with another definition as record ${seq} could not have come of it: ${why}`;
    throw new PhasegateError('JOURNAL_DIVERGED', problem, {
      hint: 'Leave what has begun as it was, or fork the run before that phase.',
    });
  }
}

// --- internal ---

function strangeness(event: RunEvent, tasks: ReadonlyMap<string, readonly string[]>): string | undefined {
  if (event.type === 'task.started') {
    const { phase, task } = event;
    return tasks.get(phase)?.includes(task) === false ? `phase "${phase}" has no task "${task}" any more` : undefined;
  }
  if (event.type !== 'phase.approved') return undefined;
  const { phase, outputs } = event;
  const missing = tasks.get(phase)?.find((name) => !Object.hasOwn(outputs, name));
  return missing === undefined ? undefined : `phase "${phase}" was approved without its task "${missing}"`;
}
