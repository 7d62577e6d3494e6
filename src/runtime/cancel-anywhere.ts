/**
 * Ending a run that is kept, whoever works on it.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { ListedRun, RunStore } from '../store/port.ts';
import { runUnknown } from '../store/refusals.ts';
import { cancelRun } from './cancel.ts';

/** How to end it. */
export interface CancelHeldOptions {
  readonly reason: string;
  /** Who ends it. */
  readonly holder: string;
  /** Who says so to whoever works on it. @default the holder */
  readonly by?: string | undefined;
  /** Frees the run of who is gone; throws where it must not be taken. */
  readonly free: (run: ListedRun) => Promise<void>;
  /** Called once whoever works on it was told to end it. */
  readonly onTold?: ((holder: string) => void) | undefined;
  /** Waits until the next look. @returns Whether there is to be one. */
  readonly wait: () => Promise<boolean>;
}

/**
 * Ends a run here where nobody works on it; else has whoever does end it.
 *
 * @returns The run as it stands then: it goes on where `wait` has given up first.
 * @throws PhasegateError `RUN_UNKNOWN`, `RUN_ENDED`, and what `free` throws.
 */
export async function cancelHeld(store: RunStore, runId: string, options: CancelHeldOptions): Promise<ListedRun> {
  const { reason, holder, by = holder, free, onTold, wait } = options;
  const first = await listed(store, runId);
  if (first.status !== 'running') throw hasEnded(first);
  let isTold = false;
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
    if (!isTold) {
      await store.post({ runId, kind: 'cancel', body: reason, by, time: Date.now() });
      isTold = true;
      onTold?.(run.lease.holder);
    }
    if (!(await wait())) return run;
  }
}

// --- internal ---

async function listed(store: RunStore, runId: string): Promise<ListedRun> {
  const run = await store.run(runId);
  if (run) return run;
  throw runUnknown('cancel', runId);
}

function hasEnded({ runId, status }: ListedRun): PhasegateError {
  return new PhasegateError('RUN_ENDED', `Cannot cancel run ${runId} as it has ended: ${status}`, {
    hint: 'There is nothing left to cancel.',
  });
}
