/**
 * `phasegate fork`.
 *
 * @module
 */
import { checkFork, checkPoint, forkRun } from '../../runtime/fork.ts';
import { resumeRun } from '../../runtime/start.ts';
import type { ListedRun } from '../../store/port.ts';
import { attempt } from '../options/attempt.ts';
import { findRun } from '../options/find-run.ts';
import { limitsOf } from '../options/limit-flags.ts';
import { openStore, storeArgument, type OpenStore } from '../options/store-option.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { tell } from '../process/write-out.ts';
import { resumeText } from '../show/next-steps.ts';
import { isPlaced, type ProgramIo } from '../terminal/program-io.ts';
import { argument, oneLine } from '../terminal/text.ts';
import { definitionFor, resumeWith, type ResumeFlags } from './resume.ts';

/** Flags of `phasegate fork`. */
export interface ForkFlags extends ResumeFlags {
  /** The number of the last record to copy, or the name of a phase: then all records before its start are copied. */
  readonly at: string;
  /** True to resume the fork at once. @default false */
  readonly run?: boolean | undefined;
}

/** Creates a new run from the first records of another. With `run`, refuses a fork that could not be resumed, as far as that is known. */
export async function forkStored(
  wanted: string,
  file: string | undefined,
  flags: ForkFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const { at, run = false, allowChanged, allowMasked } = flags;
  const opened = openStore(flags, 'write', io);
  const listed = await findRun(opened, wanted);
  const { runId } = listed;
  const point = { at: /^\d+$/u.test(at) ? Number(at) : { phase: at }, allowMasked };
  if (!run) {
    const forked = await attempt(`fork run ${runId}`, () => forkRun(opened.store, runId, point));
    const text = forkText(forked, listed, opened);
    await opened.store.close();
    return tell(text, io);
  }
  const command = `phasegate fork ${argument(runId)} <pipeline> --at ${argument(at)} --run${storeArgument(opened)}`;
  // Checks the point first, before the code of the pipeline runs.
  await checkPoint(opened.store, runId, point);
  const definition = await definitionFor(listed, file, { how: 'fork', command }, io);
  await checkFork(opened.store, runId, point, definition.pipeline, { allowChanged, limits: limitsOf(flags) });
  const forked = await attempt(`fork run ${runId}`, () => forkRun(opened.store, runId, point));
  try {
    return await resumeWith(opened, await findRun(opened, forked), definition, flags, resumeRun, io);
  } catch (error) {
    io.stderr.write(forkText(forked, listed, opened));
    throw error;
  }
}

// --- internal ---

/** Describes the fork and the command that resumes it. */
function forkText(forked: string, { runId, source }: ListedRun, opened: OpenStore): string {
  return `run ${forked} is a fork of run ${oneLine(runId)}\n  ${resumeText('resume', forked, opened, isPlaced(source))}\n`;
}
