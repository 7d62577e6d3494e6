/**
 * The definition that a run has now, from its records.
 *
 * @module
 */
import type { EventOf, RunRecord } from './event.ts';

/** The definition of a run. */
export type RunDefinition = Pick<EventOf<'run.started'>, 'plan' | 'fingerprint'>;

/** The current definition of a run: its first, or that of its latest resume with another one. */
export function definitionOf(records: readonly RunRecord[], first: EventOf<'run.started'>): RunDefinition {
  const changed = records.findLast(({ event }) => event.type === 'run.resumed' && event.plan)?.event;
  if (changed?.type !== 'run.resumed' || !changed.plan || changed.fingerprint === undefined) return first;
  return { plan: changed.plan, fingerprint: changed.fingerprint };
}
