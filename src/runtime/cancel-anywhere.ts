/**
 * Cancelling of a stored run, in this process or by a message to the process that has its lease.
 *
 * @module
 */
import { refuseDamaged } from '../store/damage.ts';
import type { ListedRun, RunStore } from '../store/port.ts';
import { runUnknown } from '../store/refusals.ts';
import { cancelRun, hasEnded } from './cancel.ts';
import { patientStore } from './records/patient-store.ts';

/** Options of {@link cancelAnywhere}. */
export interface CancelAnywhereOptions {
  readonly reason: string;
  /** Name of the caller, under which it takes the lease of the run. */
  readonly holder: string;
  /** Name of the sender of the message to another process. @default the holder */
  readonly by?: string | undefined;
  /** Frees the run of a process that is gone. Throws if the run must not be taken. */
  readonly free: (run: ListedRun) => Promise<void>;
  /** Called once, after the store has the message for the process that has the run. */
  readonly onPosted?: ((holder: string) => void) | undefined;
  /** Waits until the next look at the run. @returns False to give up. */
  readonly wait: () => Promise<boolean>;
}

/**
 * Cancels a run here if no process has its lease. Otherwise asks the process that has it to cancel the run.
 *
 * @returns The run as listed at the end. It is still running if `wait` gave up first.
 * @throws PhasegateError `RUN_UNKNOWN`, `RUN_ENDED`, and the errors of `free`.
 */
export async function cancelAnywhere(
  given: RunStore,
  runId: string,
  options: CancelAnywhereOptions,
): Promise<ListedRun> {
  const store = patientStore(given);
  const { reason, holder, by = holder, free, onPosted, wait } = options;
  const first = await listed(store, runId);
  if (first.status !== 'running') throw hasEnded(first);
  let isPosted = false;
  for (;;) {
    const before = await listed(store, runId);
    if (before.status !== 'running') return before;
    await free(before);
    const run = await listed(store, runId);
    if (run.status !== 'running') return run;
    if (!run.lease) {
      await cancelRun(store, runId, reason, { holder });
      continue;
    }
    if (!isPosted) {
      await store.post({ runId, kind: 'cancel', body: reason, by, time: Date.now() });
      isPosted = true;
      onPosted?.(run.lease.holder);
    }
    if (!(await wait())) return run;
  }
}

// --- internal ---

async function listed(store: RunStore, runId: string): Promise<ListedRun> {
  const run = await store.run(runId);
  if (!run) throw runUnknown('cancel', runId);
  refuseDamaged('cancel', run);
  return run;
}
