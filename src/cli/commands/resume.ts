/**
 * `phasegate resume` and `phasegate retry`.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { checkIsRoot } from '../../runtime/child-ids.ts';
import { resumeRun, retryRun } from '../../runtime/start.ts';
import { thisHolder } from '../../store/holder.ts';
import { refuseDamaged } from '../../store/damage.ts';
import type { ListedRun } from '../../store/port.ts';
import { loadPipeline } from '../load/load.ts';
import { attempt } from '../options/attempt.ts';
import { findRun } from '../options/find-run.ts';
import { limitsOf, type LimitFlags } from '../options/limit-flags.ts';
import { releaseDeadLease } from '../options/run-owner.ts';
import { openStore, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { dashboardNextTo } from '../run/dashboard.ts';
import { drive, isAttended, type DriveFlags } from '../run/drive.ts';
import { openInspection } from '../run/inspection.ts';
import { resumeCommand } from '../show/next-steps.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';

/** Flags of `phasegate resume` and `phasegate retry`. */
export interface ResumeFlags extends StoreFlags, DriveFlags, LimitFlags {
  readonly allowChanged?: boolean | undefined;
  readonly allowMasked?: boolean | undefined;
}

/**
 * Resumes an unfinished run, or retries one that has ended without success.
 *
 * @param file The file of its pipeline. @default the file that the run was started with
 */
export async function resumeStored(
  how: 'resume' | 'retry',
  wanted: string,
  file: string | undefined,
  flags: ResumeFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const opened = openStore(flags, 'write', io);
  const listed = await findRun(opened, wanted);
  refuseDamaged(how, listed);
  await checkIsRoot(opened.store, listed.runId, how);
  const command = resumeCommand(how, listed.runId, opened, false);
  const definition = await definitionFor(listed, file, { how, command }, io);
  return resumeWith(opened, listed, definition, flags, { resume: resumeRun, retry: retryRun }[how], io);
}

/** A pipeline with the path of its file. */
export interface LoadedPipeline {
  readonly source: string;
  readonly pipeline: Pipeline;
}

/**
 * Loads the definition of a run.
 *
 * @param file The file of its pipeline. @default the file that the run was started with
 * @param given The action, and the command with a placeholder for the file, for the hint of the error.
 * @throws PhasegateError `FILE_UNREADABLE` if the file is not known or does not exist, and other errors of the file.
 */
export async function definitionFor(
  { runId, source: known }: ListedRun,
  file: string | undefined,
  { how, command }: { readonly how: 'resume' | 'retry' | 'fork'; readonly command: string },
  io: ProgramIo,
): Promise<LoadedPipeline> {
  const source = file === undefined ? known : placeOf(file, io);
  const isGone = file === undefined && known !== undefined && !existsSync(known);
  if (source !== undefined && !isGone) return { source, pipeline: await loadPipeline(source, io) };
  const found = isGone ? `not there any more: ${known}` : 'not known';
  throw new PhasegateError('FILE_UNREADABLE', `Cannot ${how} run ${runId} as the file of its pipeline is ${found}`, {
    hint: `Name the file: ${command}`,
  });
}

/** Resumes or retries a run with a loaded pipeline. */
export async function resumeWith(
  opened: OpenStore,
  listed: ListedRun,
  { source, pipeline }: LoadedPipeline,
  flags: ResumeFlags,
  how: typeof resumeRun,
  io: ProgramIo,
): Promise<ExitCode> {
  const { runId, seq } = listed;
  const action = `${how === retryRun ? 'retry' : 'resume'} run ${runId}`;
  await attempt(action, () => releaseDeadLease(opened, listed));
  const attended = isAttended(io);
  const { allowChanged, allowMasked } = flags;
  const dashboard = flags.ui ? await dashboardNextTo(opened, io) : undefined;
  const inspection = await openInspection(flags, io);
  const run = await attempt(action, () =>
    how(opened.store, runId, pipeline, {
      allowChanged,
      allowMasked,
      limits: limitsOf(flags),
      source,
      holder: thisHolder(),
      inspect: inspection?.inspect,
      // Without a terminal the run keeps its earlier value: people can still answer through the inbox.
      attended: attended || undefined,
    }),
  );
  return drive(
    { run, opened, attended, known: seq, servers: [dashboard, inspection].filter((one) => one !== undefined) },
    flags,
    io,
  );
}
