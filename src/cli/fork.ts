/**
 * `phasegate fork`.
 *
 * @module
 */
import { forkRun } from '../runtime/fork.ts';
import { resumeRun } from '../runtime/resume.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { findRun } from './find-run.ts';
import { goOn, type ResumeFlags } from './resume.ts';
import { oneLine } from './show/text.ts';
import { openStore, storeArgument } from './store-option.ts';

/** What `phasegate fork` takes beside the run and the file. */
export interface ForkFlags extends ResumeFlags {
  /** The number of the last record to copy, or the name of the phase that is as if it had never started. */
  readonly at: string;
  /** Whether the fork is resumed at once. */
  readonly run?: boolean | undefined;
}

/** Makes a new run that is left where another was at some point. */
export async function forkKept(wanted: string, file: string | undefined, flags: ForkFlags): Promise<ExitCode> {
  const { at, run = false } = flags;
  const kept = openStore(flags, 'write');
  const { runId } = await findRun(kept, wanted);
  const forked = await forkRun(kept.store, runId, { at: /^\d+$/u.test(at) ? Number(at) : { phase: at } });
  if (run) return goOn(kept, await findRun(kept, forked), file, flags, resumeRun);
  const argument = storeArgument(kept);
  await kept.store.close();
  process.stdout.write(`run ${forked} is a fork of run ${oneLine(runId)}\n`);
  process.stdout.write(`  resume with: phasegate resume ${forked}${argument}\n`);
  return exitCode.completed;
}
