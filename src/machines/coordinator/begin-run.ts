/**
 * The start of a run.
 *
 * @module
 */
import { fingerprint } from '../../model/plan/plan.ts';
import type { EventOf } from '../../model/events/event.ts';
import { EDITION } from '../../model/plan/edition.ts';
import { endIfDone } from './completion.ts';
import { canStart } from './readiness.ts';
import { enqueue, type PipelineInput, type RunState } from './run-state.ts';
import { scheduleStarts } from './scheduler.ts';

/** Begins the run: the phases without predecessors start. @param mark The fingerprint of its plan. @default computed */
export function beginRun(state: RunState, mark = fingerprint(state.plan)): void {
  const { graph } = state;
  state.outbox.push(startOf(state, mark));
  enqueue(
    state,
    [...graph.names.keys()].filter((index) => canStart(state.readiness, index)),
  );
  scheduleStarts(state);
  endIfDone(state);
}

/** The first event of a run. @param mark The fingerprint of its plan. @default computed */
export function startOf(begun: Begun, mark = fingerprint(begun.plan)): EventOf<'run.started'> {
  const { plan, input = null, given, attended, kept, memory, tags, edition = EDITION, marks } = begun;
  return {
    type: 'run.started',
    plan,
    fingerprint: mark,
    input,
    ...(given !== undefined && { given }),
    ...(attended && { attended }),
    ...(kept && { kept }),
    ...(memory !== undefined && { memory }),
    ...(tags && { tags }),
    ...(edition > 1 && { edition }),
    ...marks,
  };
}

// --- internal ---

/** The input of a run at its start, and the marks of its first record. */
type Begun = Omit<PipelineInput, 'run' | 'upward'> & { readonly marks?: RunState['marks'] };
