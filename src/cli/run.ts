/**
 * `phasegate run`.
 *
 * @module
 */
import { resolve } from 'node:path';
import { startRun } from '../runtime/run.ts';
import { drive, isAttended, type DriveFlags } from './drive.ts';
import type { ExitCode } from './exit-code.ts';
import { thisHolder } from './holder.ts';
import { loadPipeline } from './load.ts';
import { readInput, type InputFlags } from './read-input.ts';
import { openStoreToRun, type StoreFlags } from './store-option.ts';

/** What `phasegate run` takes beside the file. */
export interface RunFlags extends InputFlags, StoreFlags, DriveFlags {
  readonly runId?: string | undefined;
}

/** Runs the pipeline of a file and shows how it goes. */
export async function runFile(file: string, flags: RunFlags): Promise<ExitCode> {
  const input = await readInput(flags);
  const pipeline = await loadPipeline(file);
  const attended = isAttended() && flags.inputFile !== '-';
  const kept = openStoreToRun(flags);
  const run = startRun(pipeline, {
    input,
    runId: flags.runId,
    attended,
    ...(kept && { store: kept.store, holder: thisHolder(), source: resolve(file) }),
  });
  return drive({ run, kept, attended }, flags);
}
