/**
 * A run that can be recorded, and gone on with from any beginning of what was recorded.
 *
 * @module
 */
import type { Answer, Pipeline, Redact, ResumeOptions, RunOptions } from '../../src/index.ts';
import type { InboxItem, Reply } from '../../src/inbox.ts';
import type { RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import type { VirtualClock } from '../../src/testing/rehearsal/virtual-clock.ts';

/** The time of the first record of every run, in milliseconds since 1970. */
export const BEGIN = 1_800_000_000_000;

/** The state that handlers read besides their context. */
export interface Stage {
  readonly clock: VirtualClock;
  /** True if that many milliseconds have passed since the first record. */
  readonly past: (ms: number) => boolean;
}

/** A person's reply. */
export interface Say {
  readonly reply: Reply;
  readonly by?: string;
}

/** The next step of a run that no process works on, because it was suspended or has ended. */
export type Next =
  | { readonly how: 'resume' | 'retry'; readonly options?: ResumeOptions }
  /** A person answers before it is resumed. The answer is no good if `refused`. */
  | { readonly how: 'answer'; readonly say: Say };

/**
 * One run of the corpus.
 *
 * Its handlers, its people and its other acts go by what they are given, by the time and by the records up to now, and
 * keep nothing in mind: so that a run that goes on from any record comes to the same end.
 */
export interface Recording {
  readonly name: string;
  /** Made for each process that works on the run. `records` are those up to then. */
  readonly pipeline: (stage: Stage, records: readonly RunRecord[]) => Pipeline<unknown>;
  readonly start?: Omit<RunOptions, 'clock' | 'store' | 'runId' | 'redact'>;
  readonly redact?: Redact;
  /** Answers an open item; `undefined` leaves it open. */
  readonly people?: (item: InboxItem, records: readonly RunRecord[]) => Say | undefined;
  /** Cancels or suspends the run, once nothing happens any more without time. */
  readonly act?: (records: readonly RunRecord[]) => 'cancel' | 'suspend' | undefined;
  /** Goes on with a run that nobody works on; `undefined` leaves it so. */
  readonly next?: (records: readonly RunRecord[]) => Next | undefined;
  /** Fills the store before anybody works on the run. */
  readonly before?: (store: RunStore, clock: VirtualClock) => Promise<unknown>;
  /** Makes the run itself, as a fork of one that is in the store then. */
  readonly fork?: (store: RunStore) => Promise<unknown>;
  /** If a process that takes the run over comes to other readings, so that other phases run again: only its outputs are the same. */
  readonly isLoose?: true;
}

/** A recording with the types of its pipeline left open. */
export function recording(made: Recording): Recording {
  return made;
}

/** Says so and nothing else. */
export function decide(decision: Answer, more: { readonly by?: string; readonly outputs?: object } = {}): Say {
  const { by, outputs } = more;
  return {
    reply: { type: 'decide', decision: decision as string, ...(outputs && { outputs: { ...outputs } }) },
    ...(by !== undefined && { by }),
  };
}

/** Counts the records with an event of a type. */
export function count(records: readonly RunRecord[], type: RunRecord['event']['type']): number {
  return records.filter(({ event }) => event.type === type).length;
}
