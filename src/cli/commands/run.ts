/**
 * `phasegate run`.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { startRun } from '../../runtime/run.ts';
import { thisHolder } from '../../store/holder.ts';
import { loadToRun } from '../load/load.ts';
import { DEFAULT_SCOPE } from '../options/defaults.ts';
import { limitsOf, type LimitFlags } from '../options/limit-flags.ts';
import { readInput, type InputFlags } from '../options/read-input.ts';
import { openStoreToRun, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { dashboardBeside } from '../run/dashboard.ts';
import { drive, isAttended, type DriveFlags } from '../run/drive.ts';
import { openInspection } from '../run/inspection.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';

/** What `phasegate run` takes beside the file. */
export interface RunFlags extends InputFlags, StoreFlags, DriveFlags, LimitFlags {
  readonly runId?: string | undefined;
  /** Whose memory the run shares; `false` for none. @default {@link DEFAULT_SCOPE} */
  readonly memory?: string | false | undefined;
}

/** Runs the pipeline of a file and shows how it goes. */
export async function runFile(file: string, flags: RunFlags, io: ProgramIo): Promise<ExitCode> {
  const input = await readInput(flags, io);
  const limits = limitsOf(flags);
  const loaded = await loadToRun(file, io);
  if ('started' in loaded && limits)
    io.stderr.write('phasegate: limits of flags do not bound runs that a module starts itself.\n');
  if ('started' in loaded) return (await import('../load/own-run.ts')).awaitOwnRuns(file, loaded.started, io);
  const { pipeline } = loaded;
  const attended = isAttended(io) && flags.inputFile !== '-';
  const kept = openStoreToRun(flags, io);
  if (kept && flags.runId !== undefined) await requireFree(kept, flags.runId);
  const dashboard = flags.ui ? await dashboardBeside(kept, io) : undefined;
  const inspection = await openInspection(flags, io);
  const run = startRun(pipeline, {
    input,
    runId: flags.runId,
    attended,
    memory: flags.memory ?? DEFAULT_SCOPE,
    limits,
    inspect: inspection?.inspect,
    ...(kept && { store: kept.store, holder: thisHolder(), source: placeOf(file, io) }),
  });
  return drive(
    { run, kept, attended, isNew: true, beside: [dashboard, inspection].filter((one) => one !== undefined) },
    flags,
    io,
  );
}

// --- internal ---

/** @throws PhasegateError `RUN_EXISTS`, before the run of that id could be taken for this one. */
async function requireFree({ store, file }: OpenStore, runId: string): Promise<void> {
  if (!(await store.run(runId))) return;
  throw new PhasegateError('RUN_EXISTS', `Cannot start run ${runId} as the store ${file} has a run of that id`, {
    hint: 'Go on with it, or start another.',
  });
}
