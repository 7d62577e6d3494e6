/**
 * Filters of records.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../../../../src/model/events/event.ts';

/** The conditions of the filter. */
export interface RecordFilter {
  /** A part of the name of the phase, in any case; '' for all. */
  readonly find: string;
  /** The type; '' for all. */
  readonly only: string;
}

/** True if a record matches the filter. A rewind also belongs to the phase that is sent back. */
export function isRecordWanted({ event }: RunRecord, { find, only }: RecordFilter): boolean {
  if (only !== '' && event.type !== only) return false;
  const part = find.toLowerCase();
  return part === '' || phasesOf(event).some((name) => name.toLowerCase().includes(part));
}

/** The types of these records by name, with the number of records of each. */
export function typesOf(records: readonly RunRecord[]): readonly (readonly [type: RunEvent['type'], count: number])[] {
  const counts = new Map<RunEvent['type'], number>();
  for (const { event } of records) counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

// --- internal ---

function phasesOf(event: RunEvent): readonly string[] {
  if (!('phase' in event)) return [];
  return event.type === 'phase.rewinding' ? [event.phase, event.target] : [event.phase];
}
