/**
 * `phasegate resume` and `phasegate retry`.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { resumeRun, retryRun } from '../../runtime/resume.ts';
import { thisHolder } from '../../store/holder.ts';
import type { ListedRun } from '../../store/port.ts';
import { loadPipeline } from '../load/load.ts';
import { findRun } from '../options/find-run.ts';
import { limitsOf, type LimitFlags } from '../options/limit-flags.ts';
import { releaseDeadLease } from '../options/run-owner.ts';
import { openStore, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { dashboardBeside } from '../run/dashboard.ts';
import { drive, isAttended, type DriveFlags } from '../run/drive.ts';
import { openInspection } from '../run/inspection.ts';
import { goOnCommand } from '../show/next-steps.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';

/** What `phasegate resume` and `phasegate retry` take beside the run and the file. */
export interface ResumeFlags extends StoreFlags, DriveFlags, LimitFlags {
  readonly allowChanged?: boolean | undefined;
  readonly allowMasked?: boolean | undefined;
}

/** Goes on with a run that was left. @param file Where its pipeline is, if not where the run was started from. */
export async function resumeKept(
  wanted: string,
  file: string | undefined,
  flags: ResumeFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const kept = openStore(flags, 'write', io);
  const listed = await findRun(kept, wanted);
  const definition = await definitionFor(listed, file, goOnCommand('resume', listed.runId, kept, false), io);
  return goOn(kept, listed, definition, flags, resumeRun, io);
}

/** Goes on with a run that has ended without success. */
export async function retryKept(
  wanted: string,
  file: string | undefined,
  flags: ResumeFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const kept = openStore(flags, 'write', io);
  const listed = await findRun(kept, wanted);
  const definition = await definitionFor(listed, file, goOnCommand('retry', listed.runId, kept, false), io);
  return goOn(kept, listed, definition, flags, retryRun, io);
}

/** A pipeline with the file that it is in. */
export interface LoadedPipeline {
  readonly source: string;
  readonly pipeline: Pipeline;
}

/**
 * Loads what a run goes by.
 *
 * @param file Where it is, if not where the run was started from.
 * @param command The command with a place for the file, where that is not known.
 * @throws PhasegateError `FILE_UNREADABLE` where it is not known or not there, and others of the file.
 */
export async function definitionFor(
  { runId, source: known }: ListedRun,
  file: string | undefined,
  command: string,
  io: ProgramIo,
): Promise<LoadedPipeline> {
  const source = file === undefined ? known : placeOf(file, io);
  if (source !== undefined) return { source, pipeline: await loadPipeline(source, io) };
  throw new PhasegateError('FILE_UNREADABLE', `Cannot resume run ${runId} as it is not known where its pipeline is`, {
    hint: `Name the file: ${command}`,
  });
}

/** Goes on with a run. */
export async function goOn(
  kept: OpenStore,
  listed: ListedRun,
  { source, pipeline }: LoadedPipeline,
  flags: ResumeFlags,
  how: typeof resumeRun,
  io: ProgramIo,
): Promise<ExitCode> {
  const { runId, seq } = listed;
  await releaseDeadLease(kept, listed);
  const attended = isAttended(io);
  const { allowChanged, allowMasked } = flags;
  const dashboard = flags.ui ? await dashboardBeside(kept, io) : undefined;
  const inspection = await openInspection(flags, io);
  const run = await how(kept.store, runId, pipeline, {
    allowChanged,
    allowMasked,
    limits: limitsOf(flags),
    source,
    holder: thisHolder(),
    inspect: inspection?.inspect,
    // Where there is no terminal, whoever could be reached before can be reached by the inbox.
    attended: attended || undefined,
  });
  return drive(
    { run, kept, attended, known: seq, beside: [dashboard, inspection].filter((one) => one !== undefined) },
    flags,
    io,
  );
}
