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
   * Throwing ends the run with `STORE_FAILED`: a run that cannot be recorded does not go on.
   */
  append(runId: string, records: readonly RunRecord[]): void | Promise<void>;
}

/** The way of one run's records into its store. */
export interface Journal {
  /** Sends what was not sent yet. */
  write(): void;
  /** Resolves when everything is kept, or cannot be. */
  flush(): Promise<void>;
}

/** @param onFailure Called once, when the store refuses records. */
export function createJournal(store: RunStore, log: RecordLog, onFailure: (error: PhasegateError) => void): Journal {
  let sent = 0;
  let failed = false;
  let writing: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (sent < log.events.length && !failed) {
      const batch = log.events.slice(sent).flatMap((_, index) => recordAt(log, sent + index) ?? []);
      sent += batch.length;
      try {
        // One batch at a time keeps the order; what comes meanwhile is the next batch.
        // oxlint-disable-next-line no-await-in-loop
        await store.append(log.runId, batch);
      } catch (cause) {
        failed = true;
        const problem = `Cannot go on with run ${log.runId} as its store refused ${batch.length} records`;
        onFailure(
          new PhasegateError('STORE_FAILED', problem, { hint: 'Repair the store and start the run again.', cause }),
        );
      }
    }
    writing = undefined;
  }

  return {
    write() {
      if (!failed) writing ??= Promise.resolve().then(drain);
    },
    async flush() {
      await writing;
    },
  };
}
