/**
 * Which records are looked for.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../../../../src/model/events/event.ts';

/** What records are looked for by. */
export interface RecordFilter {
  /** A part of the name of the phase, in any case; '' for all. */
  readonly find: string;
  /** The type; '' for all. */
  readonly only: string;
}

/** Whether a record is one that is looked for. A rewind is one of the phase that is sent back as well. */
export function isRecordWanted({ event }: RunRecord, { find, only }: RecordFilter): boolean {
  if (only !== '' && event.type !== only) return false;
  const part = find.toLowerCase();
  return part === '' || phasesOf(event).some((name) => name.toLowerCase().includes(part));
}

/** The types that records have, with how many have each, by name. */
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
