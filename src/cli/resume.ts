/**
 * `phasegate resume` and `phasegate retry`.
 *
 * @module
 */
import { resolve } from 'node:path';
import { PhasegateError } from '../model/errors.ts';
import { resumeRun, retryFailed } from '../runtime/resume.ts';
import type { ListedRun } from '../store/port.ts';
import { dashboardBeside } from './dashboard-beside.ts';
import { drive, isAttended, type DriveFlags } from './drive.ts';
import type { ExitCode } from './exit-code.ts';
import { findRun } from './find-run.ts';
import { freeFromTheDead, thisHolder } from './holder.ts';
import { openInspection } from './inspection.ts';
import { loadPipeline } from './load.ts';
import { openStore, type OpenStore, type StoreFlags } from './store-option.ts';

/** What `phasegate resume` and `phasegate retry` take beside the run and the file. */
export interface ResumeFlags extends StoreFlags, DriveFlags {
  readonly allowChanged?: boolean | undefined;
}

/** Goes on with a run that was left. @param file Where its pipeline is, if not where the run was started from. */
export async function resumeKept(wanted: string, file: string | undefined, flags: ResumeFlags): Promise<ExitCode> {
  const kept = openStore(flags, 'write');
  return goOn(kept, await findRun(kept, wanted), file, flags, resumeRun);
}

/** Goes on with a run that has ended without success. */
export async function retryKept(wanted: string, file: string | undefined, flags: ResumeFlags): Promise<ExitCode> {
  const kept = openStore(flags, 'write');
  return goOn(kept, await findRun(kept, wanted), file, flags, retryFailed);
}

/** Goes on with a run. */
export async function goOn(
  kept: OpenStore,
  listed: ListedRun,
  file: string | undefined,
  flags: ResumeFlags,
  how: typeof resumeRun,
): Promise<ExitCode> {
  const { runId, seq } = listed;
  const source = file === undefined ? sourceOf(listed) : resolve(file);
  const pipeline = await loadPipeline(source);
  await freeFromTheDead(kept, listed);
  const attended = isAttended();
  const { allowChanged } = flags;
  const dashboard = flags.ui ? await dashboardBeside(kept) : undefined;
  const inspection = await openInspection(flags);
  const run = await how(kept.store, runId, pipeline, {
    allowChanged,
    source,
    holder: thisHolder(),
    inspect: inspection?.inspect,
    // Where there is no terminal, whoever could be reached before can be reached by the inbox.
    attended: attended || undefined,
  });
  return drive(
    { run, kept, attended, known: seq, beside: [dashboard, inspection].filter((one) => one !== undefined) },
    flags,
  );
}

// --- internal ---

function sourceOf({ runId, source }: ListedRun): string {
  if (source !== undefined) return source;
  throw new PhasegateError('FILE_UNREADABLE', `Cannot resume run ${runId} as it is not known where its pipeline is`, {
    hint: `Name the file: phasegate resume ${runId} <pipeline>`,
  });
}
