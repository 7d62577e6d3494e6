/**
 * The start of a run.
 *
 * @module
 */
import { fingerprint } from '../../model/plan/plan.ts';
import { endIfDone } from './completion.ts';
import { canStart } from './readiness.ts';
import { enqueue, type RunState } from './run-state.ts';
import { scheduleStarts } from './scheduler.ts';

/** Begins the run: the phases without predecessors start. @param mark The fingerprint of its plan. @default computed */
export function beginRun(state: RunState, mark = fingerprint(state.plan)): void {
  const { plan, input = null, given, graph, attended, kept, memory, edition, marks } = state;
  const more = {
    ...(given !== undefined && { given }),
    ...(attended && { attended }),
    ...(kept && { kept }),
    ...(memory !== undefined && { memory }),
    ...(edition > 1 && { edition }),
    ...marks,
  };
  state.outbox.push({ type: 'run.started', plan, fingerprint: mark, input, ...more });
  enqueue(
    state,
    [...graph.names.keys()].filter((index) => canStart(state.readiness, index)),
  );
  scheduleStarts(state);
  endIfDone(state);
}
