/**
 * Handing records to a store, in order and in batches.
 *
 * @module
 */
import { PhasegateError } from '../model/errors.ts';
import type { RunRecord } from '../model/event.ts';
import { recordAt, type RecordLog } from './records.ts';

/** Where records are kept. */
export interface RunStore {
  /**
   * Keeps records that follow those before them without a gap. Called again only after it has ended.
   * Throwing ends the run with `STORE_FAILED`: a run that cannot be recorded does not go on, and one whose end cannot be
   * recorded has failed. The result waits for what this returns, for as long as that takes.
   */
  append(runId: string, records: readonly RunRecord[]): void | Promise<void>;
}

/** The way of one run's records into its store. */
export interface Journal {
  /** Sends what was not sent yet. */
  write(): void;
  /** Resolves when everything is kept, or with the error because of which it is not. */
  flush(): Promise<PhasegateError | undefined>;
}

/** @param onFailure Called once, when the store refuses records. */
export function createJournal(store: RunStore, log: RecordLog, onFailure: (error: PhasegateError) => void): Journal {
  let sent = 0;
  let failure: PhasegateError | undefined;
  let writing: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (sent < log.events.length && !failure) {
      const batch = log.events.slice(sent).flatMap((_, index) => recordAt(log, sent + index) ?? []);
      sent += batch.length;
      try {
        // One batch at a time keeps the order; what comes meanwhile is the next batch.
        await store.append(log.runId, batch);
      } catch (cause) {
        const problem = `Cannot go on with run ${log.runId} as its store refused ${batch.length} records`;
        failure = new PhasegateError('STORE_FAILED', problem, {
          hint: 'Repair the store and start the run again.',
          cause,
        });
        onFailure(failure);
      }
    }
    writing = undefined;
  }

  return {
    write() {
      if (!failure) writing ??= Promise.resolve().then(drain);
    },
    async flush() {
      await writing;
      return failure;
    },
  };
}
