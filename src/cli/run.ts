/**
 * `phasegate run`.
 *
 * @module
 */
import { resolve } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { PhasegateError, type ErrorInfo } from '../model/errors.ts';
import { startRun, type Run } from '../runtime/run.ts';
import { drive, isAttended, type DriveFlags } from './drive.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { thisHolder } from './holder.ts';
import { loadPipeline } from './load.ts';
import { readInput, type InputFlags } from './read-input.ts';
import { advised } from './show/error-text.ts';
import { harmless } from './show/harmless.ts';
import { openStoreToRun, type OpenStore, type StoreFlags } from './store-option.ts';

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
  if (kept && flags.runId !== undefined) await requireFree(kept, flags.runId);
  const run = startRun(pipeline, {
    input,
    runId: flags.runId,
    attended,
    ...(kept && { store: kept.store, holder: thisHolder(), source: resolve(file) }),
  });
  const refusal = kept && (await refusalOf(run));
  if (!refusal) return drive({ run, kept, attended }, flags);
  process.stderr.write(`${harmless(advised(refusal.code, refusal.message))}\n`);
  return exitCode.usage;
}

// --- internal ---

/** @throws PhasegateError `RUN_EXISTS`, before the run of that id could be taken for this one. */
async function requireFree({ store, file }: OpenStore, runId: string): Promise<void> {
  if (!(await store.run(runId))) return;
  throw new PhasegateError('RUN_EXISTS', `Cannot start run ${runId} as the store ${file} has a run of that id`, {
    hint: 'Go on with it, or start another.',
  });
}

/**
 * Why a run has not begun as its store does not take it: its records are kept nowhere then, and its id may be that of
 * another. `undefined` once it has begun, or has ended otherwise.
 */
async function refusalOf(run: Run<unknown>): Promise<ErrorInfo | undefined> {
  await firstValueFrom(run.events$, { defaultValue: undefined });
  if (run.snapshot().status === 'running') return undefined;
  const { error, metrics } = await run.result;
  return error && metrics.attempts === 0 && OF_THE_STORE.test(error.code) ? error : undefined;
}

const OF_THE_STORE = /^(?:STORE_|RUN_EXISTS$|RUN_LEASED$|LEASE_LOST$)/u;
