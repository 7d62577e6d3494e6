/**
 * Events that end a run without its machine: before the machine has started, or after it has failed.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import { EDITION } from '../../model/plan/edition.ts';
import { fingerprint } from '../../model/plan/plan.ts';
import type { PhaseStatus, RunSnapshot } from '../../projections/run/run-result.ts';

/**
 * Yields the last events of a run, its first event included if it has none.
 *
 * @param snapshot Returns the state of the run. It is called after the first event was taken.
 */
export function* eventsWithoutMachine(
  pipeline: Pick<Pipeline, 'plan'>,
  isEmpty: boolean,
  snapshot: () => RunSnapshot,
  last: Omit<EventOf<'run.ended'>, 'type'>,
): Generator<RunEvent, void, undefined> {
  if (isEmpty) yield startedEvent(pipeline, null);
  yield* unfinished(snapshot(), last.reason ?? `the run ${last.status}`);
  yield { type: 'run.ended', ...last };
}

// --- internal ---

function startedEvent({ plan }: Pick<Pipeline, 'plan'>, input: unknown): RunEvent {
  return { type: 'run.started', plan, fingerprint: fingerprint(plan), input, edition: EDITION };
}

/** The final events of the phases that are unfinished at the end of the run. */
function unfinished({ phases }: RunSnapshot, because: string): readonly RunEvent[] {
  return Object.entries(phases).flatMap(([phase, { status, attempts }]): readonly RunEvent[] => {
    if (ENDED.has(status)) return [];
    return [{ type: status === 'pending' && attempts === 0 ? 'phase.skipped' : 'phase.cancelled', phase, because }];
  });
}

const ENDED: ReadonlySet<PhaseStatus> = new Set(['approved', 'rejected', 'failed', 'skipped', 'cancelled']);
