/**
 * The plan that a stored run follows.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';

/** The current plan of a run: its first, or that of its latest resume with another definition. */
export function currentPlan(records: readonly RunRecord[]): Plan {
  const planned = records.findLast((record): record is RunRecord & { readonly event: Planned } =>
    hasPlan(record.event),
  );
  if (!planned) throw new RangeError('A run has a plan from its first record on');
  return planned.event.plan;
}

// --- internal ---

type Planned = RunEvent & { readonly plan: Plan };

function hasPlan(event: RunEvent): event is Planned {
  return (event.type === 'run.started' || event.type === 'run.resumed') && event.plan !== undefined;
}
