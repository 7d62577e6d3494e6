/**
 * `phasegate cancel`.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { cancelAnywhere } from '../../runtime/cancel-anywhere.ts';
import { thisHolder } from '../../store/holder.ts';
import { attempt } from '../options/attempt.ts';
import { findRun } from '../options/find-run.ts';
import { releaseDeadLease } from '../options/run-owner.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate cancel`. */
export interface CancelFlags extends StoreFlags {
  readonly reason?: string | undefined;
}

/** Cancels a run. Asks the process that works on it to stop and waits for it; without such a process, ends the run itself. */
export async function cancelStored(wanted: string, flags: CancelFlags, io: ProgramIo): Promise<ExitCode> {
  const opened = openStore(flags, 'write', io);
  const { runId } = await findRun(opened, wanted);
  const { status } = await attempt(`cancel run ${runId}`, () =>
    cancelAnywhere(opened.store, runId, {
      reason: flags.reason ?? 'Cancelled by phasegate cancel',
      holder: thisHolder(),
      free: (run) => releaseDeadLease(opened, run),
      onPosted: (holder) => void io.stderr.write(`phasegate: ${oneLine(holder)} works on it and is asked to stop\n`),
      wait: () => setTimeout(POLL_MS, true),
    }),
  );
  await opened.store.close();
  io.stdout.write(`run ${oneLine(runId)} ${status}\n`);
  return exitCode.completed;
}

// --- internal ---

/** Milliseconds between polls for the end of the run. */
const POLL_MS = 100;
