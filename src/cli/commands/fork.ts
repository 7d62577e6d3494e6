/**
 * `phasegate fork`.
 *
 * @module
 */
import { checkFork, checkPoint, forkRun } from '../../runtime/fork.ts';
import { resumeRun } from '../../runtime/resume.ts';
import type { ListedRun } from '../../store/port.ts';
import { findRun } from '../options/find-run.ts';
import { limitsOf } from '../options/limit-flags.ts';
import { openStore, storeArgument, type OpenStore } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { goOnText } from '../show/next-steps.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';
import { definitionFor, goOn, type ResumeFlags } from './resume.ts';

/** What `phasegate fork` takes beside the run and the file. */
export interface ForkFlags extends ResumeFlags {
  /** The number of the last record to copy, or the name of the phase that is as if it had never started. */
  readonly at: string;
  /** Whether the fork is resumed at once. */
  readonly run?: boolean | undefined;
}

/** Makes a new run that is left where another was at some point; with `run` only where it can go on as far as that is known before. */
export async function forkKept(
  wanted: string,
  file: string | undefined,
  flags: ForkFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const { at, run = false, allowChanged, allowMasked } = flags;
  const kept = openStore(flags, 'write', io);
  const listed = await findRun(kept, wanted);
  const { runId } = listed;
  const point = { at: /^\d+$/u.test(at) ? Number(at) : { phase: at }, allowMasked };
  if (!run) {
    const forked = await forkRun(kept.store, runId, point);
    const text = forkText(forked, listed, kept);
    await kept.store.close();
    io.stdout.write(text);
    return exitCode.completed;
  }
  const command = `phasegate fork ${oneLine(runId)} <pipeline> --at ${oneLine(at)} --run${storeArgument(kept)}`;
  // Before the code of the pipeline runs.
  await checkPoint(kept.store, runId, point);
  const definition = await definitionFor(listed, file, command, io);
  await checkFork(kept.store, runId, point, definition.pipeline, { allowChanged, limits: limitsOf(flags) });
  const forked = await forkRun(kept.store, runId, point);
  try {
    return await goOn(kept, await findRun(kept, forked), definition, flags, resumeRun, io);
  } catch (error) {
    io.stderr.write(forkText(forked, listed, kept));
    throw error;
  }
}

// --- internal ---

/** Which run is the fork of which, and how to go on with it. */
function forkText(forked: string, { runId, source }: ListedRun, kept: OpenStore): string {
  return `run ${forked} is a fork of run ${oneLine(runId)}\n  ${goOnText('resume', forked, kept, source !== undefined)}\n`;
}
