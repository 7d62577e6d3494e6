/**
 * Handing records to a store, in order and in batches.
 *
 * @module
 */
import { PhasegateError } from '../model/errors.ts';
import type { RunRecord } from '../model/event.ts';

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
  write(records: readonly RunRecord[]): void;
  /** Resolves when everything is kept, or cannot be. */
  flush(): Promise<void>;
}

/** @param onFailure Called once, when the store refuses records. */
export function createJournal(
  store: RunStore | undefined,
  runId: string,
  onFailure: (error: PhasegateError) => void,
): Journal {
  let sent = 0;
  let failed = false;
  let all: readonly RunRecord[] = [];
  let writing: Promise<void> | undefined;

  async function drain(target: RunStore): Promise<void> {
    while (sent < all.length && !failed) {
      const batch = all.slice(sent);
      sent = all.length;
      try {
        // One batch at a time keeps the order; what comes meanwhile is the next batch.
        // oxlint-disable-next-line no-await-in-loop
        await target.append(runId, batch);
      } catch (cause) {
        failed = true;
        const hint = 'Repair the store and start the run again.';
        onFailure(
          new PhasegateError(
            'STORE_FAILED',
            `Cannot go on with run ${runId} as its store refused ${batch.length} records`,
            { hint, cause },
          ),
        );
      }
    }
    writing = undefined;
  }

  return {
    write(records) {
      all = records;
      if (store && !failed) writing ??= Promise.resolve().then(() => drain(store));
    },
    async flush() {
      await writing;
    },
  };
}
