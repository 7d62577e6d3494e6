/**
 * `phasegate cancel`.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { PhasegateError } from '../model/errors.ts';
import { cancelRun } from '../runtime/cancel.ts';
import type { ListedRun } from '../store/port.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { findRun } from './find-run.ts';
import { freeFromTheDead, thisHolder } from './holder.ts';
import { oneLine } from './show/text.ts';
import { openStore, type OpenStore, type StoreFlags } from './store-option.ts';

/** What `phasegate cancel` takes beside the run. */
export interface CancelFlags extends StoreFlags {
  readonly reason?: string | undefined;
}

/** Ends a run: whoever works on it is told to, else it is ended here. */
export async function cancelKept(wanted: string, flags: CancelFlags): Promise<ExitCode> {
  const { reason = 'Cancelled by phasegate cancel' } = flags;
  const kept = openStore(flags, 'write');
  const { runId, status: before } = await findRun(kept, wanted);
  if (before !== 'running') {
    throw new PhasegateError('RUN_ENDED', `Cannot cancel run ${runId} as it has ended: ${before}`, {
      hint: 'There is nothing left to cancel; remove it with phasegate rm.',
    });
  }
  let told = false;
  for (let run = await listed(kept, runId); run.status === 'running'; run = await listed(kept, runId)) {
    await freeFromTheDead(kept, run);
    const { lease } = await listed(kept, runId);
    if (!lease) {
      await cancelRun(kept.store, runId, reason, { holder: thisHolder() });
    } else {
      if (!told) {
        process.stderr.write(`phasegate: ${oneLine(lease.holder)} works on it, and is told to stop\n`);
        await kept.store.post({ runId, kind: 'cancel', body: reason, by: thisHolder(), time: Date.now() });
        told = true;
      }
      await setTimeout(LOOK_MS);
    }
  }
  const { status } = await listed(kept, runId);
  await kept.store.close();
  process.stdout.write(`run ${oneLine(runId)} ${status}\n`);
  return exitCode.completed;
}

// --- internal ---

/** Milliseconds between looks at whether it has stopped. */
const LOOK_MS = 100;

async function listed({ store }: OpenStore, runId: string): Promise<ListedRun> {
  const run = await store.run(runId);
  if (run) return run;
  throw new PhasegateError('RUN_UNKNOWN', `Cannot cancel run ${runId} as it was removed meanwhile`);
}
