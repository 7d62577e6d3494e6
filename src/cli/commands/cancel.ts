/**
 * `phasegate cancel`.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { cancelHeld } from '../../runtime/cancel-anywhere.ts';
import { thisHolder } from '../../store/holder.ts';
import { findRun } from '../options/find-run.ts';
import { releaseDeadLease } from '../options/run-owner.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** What `phasegate cancel` takes beside the run. */
export interface CancelFlags extends StoreFlags {
  readonly reason?: string | undefined;
}

/** Ends a run: whoever works on it is told to, and waited for, else it is ended here. */
export async function cancelKept(wanted: string, flags: CancelFlags, io: ProgramIo): Promise<ExitCode> {
  const kept = openStore(flags, 'write', io);
  const { runId } = await findRun(kept, wanted);
  const { status } = await cancelHeld(kept.store, runId, {
    reason: flags.reason ?? 'Cancelled by phasegate cancel',
    holder: thisHolder(),
    free: (run) => releaseDeadLease(kept, run),
    onTold: (holder) => void io.stderr.write(`phasegate: ${oneLine(holder)} works on it, and is told to stop\n`),
    wait: () => setTimeout(LOOK_MS, true),
  });
  await kept.store.close();
  io.stdout.write(`run ${oneLine(runId)} ${status}\n`);
  return exitCode.completed;
}

// --- internal ---

/** Milliseconds between looks at whether it has stopped. */
const LOOK_MS = 100;
