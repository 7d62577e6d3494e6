/**
 * Events that a pipeline sends to the actor that has invoked or spawned it.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import type { RunEvent } from '../../model/events/event.ts';
import { isActive } from '../phase/clock.ts';
import { openServices } from '../phase/run-services.ts';

/**
 * Selection of the events that a pipeline sends to its parent. `waits`: those that wait for somebody, and the end of the run. `all`: each
 * event. `none`: no event.
 */
export type Upward = 'waits' | 'all' | 'none';

/** An event of a run as its parent gets it, with the id of the run. */
export type PipelineUpdate = RunEvent & { readonly run: string };

/** Holds events back until the turn in which a pipeline starts is over. A listener that is added right after `start()` misses none. */
export function beginTurn(pipeline: AnyActorRef): void {
  const services = openServices(pipeline);
  services.isFirstTurn = true;
  queueMicrotask(() => {
    services.isFirstTurn = false;
    if (isActive(pipeline)) pipeline.send({ type: 'publish' });
  });
}

/** True if a pipeline sends an event to its parent. */
export function isSentUp({ type }: RunEvent, upward: Upward): boolean {
  return upward === 'all' || (upward === 'waits' && WAITS.has(type));
}

// --- internal ---

const WAITS: ReadonlySet<RunEvent['type']> = new Set(['phase.escalated', 'task.asked', 'limit.reached', 'run.ended']);
