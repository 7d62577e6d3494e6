/**
 * Runs of fleets, by what a store lists of them.
 *
 * @module
 */
import { PLAN } from '../../fleet/approval.ts';
import type { ListedRun } from '../../store/port.ts';

/** True for a run of a fleet: its file is the only definition in JSON. */
export function isFleet({ source = '' }: ListedRun): boolean {
  return source.endsWith('.json');
}

/** True for a run of `phasegate plan`. */
export function hasOnlyPlanned(run: ListedRun): boolean {
  return run.pipeline === PLAN && isFleet(run);
}
