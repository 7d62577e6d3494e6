/**
 * `phasegate run`.
 *
 * @module
 */
import { checkedTags, withDefaultTags } from '../../model/events/run-tags.ts';
import { startRun } from '../../runtime/start.ts';
import { thisHolder } from '../../store/holder.ts';
import { loadToRun } from '../load/load.ts';
import { DEFAULT_SCOPE } from '../options/defaults.ts';
import { limitsOf, type LimitFlags } from '../options/limit-flags.ts';
import { readInput, type InputFlags } from '../options/read-input.ts';
import { openStoreToRun, type StoreFlags } from '../options/store-option.ts';
import type { ExitCode } from '../process/exit-code.ts';
import { dashboardNextTo } from '../run/dashboard.ts';
import { drive, isAttended, type Driven, type DriveFlags } from '../run/drive.ts';
import { openInspection } from '../run/inspection.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';

/** Flags of `phasegate run`. */
export interface RunFlags extends InputFlags, StoreFlags, DriveFlags, LimitFlags {
  readonly runId?: string | undefined;
  /** Tags of the run. @default none */
  readonly tag?: readonly string[] | undefined;
  /** The memory scope of the run; `false` for no memory. @default {@link DEFAULT_SCOPE} */
  readonly memory?: string | false | undefined;
  /** True to store the run for a worker, instead of running it here. @default false */
  readonly detach?: boolean | undefined;
}

/** Runs the pipeline of a file and shows its progress. @param ending Makes the last lines of the output. */
export async function runFile(
  file: string,
  flags: RunFlags,
  io: ProgramIo,
  ending?: Driven['ending'],
): Promise<ExitCode> {
  const input = await readInput(flags, io);
  const limits = limitsOf(flags);
  const loaded = await loadToRun(file, io);
  if ('started' in loaded && flags.detach) throw (await import('../load/load-module.ts')).startsItself(file);
  if ('started' in loaded && limits)
    io.stderr.write('phasegate: flags do not limit runs that a module starts itself.\n');
  if ('started' in loaded && flags.tag)
    io.stderr.write('phasegate: --tag has no effect on runs that a module starts itself.\n');
  if ('started' in loaded) return (await import('../load/own-run.ts')).awaitOwnRuns(file, loaded.started, io);
  const { pipeline } = loaded;
  const tags = checkedTags(withDefaultTags(flags.tag, loaded.tags));
  const memory = flags.memory ?? DEFAULT_SCOPE;
  const opened = openStoreToRun(flags, io);
  const { runId, detach = false } = flags;
  if (runId !== undefined) await (await import('../run/free-id.ts')).requireFreeId({ runId, file, opened, detach }, io);
  if (detach) {
    const { submitFile } = await import('../run/submit.ts');
    return submitFile(file, pipeline, opened, { input, runId, memory, tags, limits }, flags, io);
  }
  const attended = isAttended(io) && flags.inputFile !== '-';
  const dashboard = flags.ui ? await dashboardNextTo(opened, io) : undefined;
  const inspection = await openInspection(flags, io);
  const run = startRun(pipeline, {
    input,
    runId,
    attended,
    memory,
    tags,
    limits,
    inspect: inspection?.inspect,
    ...(opened && { store: opened.store, holder: thisHolder(), source: placeOf(file, io) }),
  });
  return drive(
    { run, opened, attended, isNew: true, ending, servers: [dashboard, inspection].filter((one) => one !== undefined) },
    flags,
    io,
  );
}
