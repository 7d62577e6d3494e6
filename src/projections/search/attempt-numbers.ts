/**
 * The numbers of the attempts of each phase in a run, from 1 over all its generations.
 *
 * @module
 */
import type { RunEvent } from '../../model/events/event.ts';
import type { PackedEvent, PackedRecord } from '../../model/events/large-values.ts';

/** The fold over the records of one run. */
export interface AttemptNumbers {
  /** Applies the next record. */
  apply(record: Pick<PackedRecord, 'event'>): void;
  /** Returns the number of the attempt that an event belongs to; `null` if it belongs to none, or its start is not known. */
  of(event: PackedEvent): number | null;
}

/** Starts the fold, with the first record of a run. */
export function foldAttemptNumbers(): AttemptNumbers {
  const counts = new Map<string, number>();
  const numbers = new Map<string, number>();
  return {
    apply({ event }) {
      if (event.type !== 'phase.started') return;
      const number = (counts.get(event.phase) ?? 0) + 1;
      counts.set(event.phase, number);
      numbers.set(keyOf(event), number);
    },
    of: (event) => ('attempt' in event ? (numbers.get(keyOf(event)) ?? null) : null),
  };
}

// --- internal ---

/** Numbers come first, as the name of a phase may have any character. */
function keyOf({ phase, generation, attempt }: Extract<RunEvent, { readonly attempt: number }>): string {
  return `${generation} ${attempt} ${phase}`;
}
