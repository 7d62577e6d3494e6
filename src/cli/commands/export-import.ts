/**
 * `phasegate export`, `phasegate import`, `phasegate backup` and `phasegate move`.
 *
 * @module
 */
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { counted } from '../../model/values/counts.ts';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { storedWaits } from '../../runtime/inbox/stored-waits.ts';
import { moveRuns } from '../../runtime/records/move-runs.ts';
import { restoreRuns, type RunCopy } from '../../runtime/records/restore-runs.ts';
import { sealOf } from '../../model/events/seal.ts';
import { refuseDamaged } from '../../store/damage.ts';
import { isChildRunId, isRunId, ruleFor, runIdLike } from '../../store/run-id.ts';
import { isSameFile } from '../../store/sqlite/file-identity.ts';
import { findRun } from '../options/find-run.ts';
import { familiesIn, upTo } from '../options/child-runs.ts';
import { attempt } from '../options/attempt.ts';
import { damageIn } from '../options/good-runs.ts';
import { releaseDeadLease } from '../options/run-owner.ts';
import { openStore, openStoreToRun, storeArgument, keptFilesOf, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { outputOrStandard, refuseDefinitions, refuseFolder } from '../process/output-file.ts';
import { tell, writeTexts } from '../process/write-out.ts';
import { withAddress } from '../terminal/error-text.ts';
import { print } from '../terminal/print.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { oneLine } from '../terminal/text.ts';
import { archiveOf } from '../load/archive.ts';
import { readArchive } from '../load/read-archive.ts';
import { sizeText } from './rm.ts';

/** Flags of `phasegate export`. */
export interface ExportFlags extends StoreFlags {
  /** A file. @default standard output */
  readonly output?: string | undefined;
}

/** Flags of `phasegate import`. */
export interface ImportFlags extends StoreFlags {
  /** @default the id in the file, or one made of the records if the store has that id already */
  readonly runId?: string | undefined;
}

/** Writes a run, with those that its tasks have started, to one file or to standard output. */
export async function exportStored(wanted: string, flags: ExportFlags, io: ProgramIo): Promise<ExitCode> {
  const { output } = flags;
  const file = outputOrStandard(output, keptFilesOf(flags, io), io);
  const opened = openStore(flags, 'read', io);
  const { runId } = await findRun(opened, wanted);
  // Listed at one moment, as a process may work on them.
  const all = await opened.store.runs();
  const run = all.find((one) => one.runId === runId);
  if (!run) throw new PhasegateError('RUN_UNKNOWN', `Cannot export run ${runId} as it was removed meanwhile`);
  const runs = upTo(all)(run).toReversed();
  for (const one of runs) refuseDamaged('export', one);
  refuseDefinitions(file, runs);
  const below = runs.slice(1);
  const lines = archiveOf(opened, run, below);
  if (!file) {
    for await (const line of lines) if (!(await print(line, io))) return exitCode.brokenPipe;
    return exitCode.completed;
  }
  const seal = await writeTexts(file, lines, PRIVATE);
  await opened.store.close();
  const text = `run ${oneLine(runId)} of "${oneLine(run.pipeline)}"${withBelow(below)} is in ${oneLine(file.name)}`;
  return tell(`${text}\nseal ${seal}\n`, io);
}

/**
 * Imports an exported run, with those that its tasks have started. All get new ids if the store has one of theirs already.
 *
 * @throws PhasegateError `INPUT_INVALID` if its id is not safe and the user names no other; `RUN_EXISTS` if that one is taken.
 */
export async function importStored(file: string, flags: ImportFlags, io: ProgramIo): Promise<ExitCode> {
  const archived = await readArchive(file, linesOf(file, io));
  const [run, ...below] = archived;
  const wanted = flags.runId ?? run.runId;
  if (!isRunId(wanted) && !isChildRunId(wanted)) throw unsafeId(file, wanted);
  const { store } = openStoreToRun(flags, io) ?? openStore(flags, 'write', io);
  const waits = storedWaits(run.runId, archived);
  const waiting = (copy: RunCopy) => ({ ...copy, until: waits.get(copy.runId) });
  const { runId, taken } = await attempt(`import run ${wanted}`, () =>
    restoreRuns(store, [waiting(run), ...below.map(waiting)], wanted, flags.runId !== undefined),
  );
  await store.close();
  const text = `run ${oneLine(runId)} of "${oneLine(run.pipeline)}"${withBelow(below)} imported`;
  const why = taken === undefined ? '' : `, as the store has a run ${oneLine(taken)} already`;
  // The seal covers the id.
  const own = runId === run.runId ? run.seal : sealOf(run.records.map((record) => ({ ...record, runId })));
  return tell(`${text}${why}\nseal ${own}\n`, io);
}

/** Flags of `phasegate backup`. */
export interface BackupFlags extends StoreFlags {
  /** Replaces an existing file. @default false */
  readonly replace?: boolean | undefined;
}

/** Copies the whole store into a file, also while runs are at work. A damaged store is copied next to an earlier copy. */
export async function backUpStore(file: string, flags: BackupFlags, io: ProgramIo): Promise<ExitCode> {
  refuseFolder(file, placeOf(file, io));
  const opened = openStore(flags, 'read', io);
  const { store, name } = opened;
  if (!store.backup)
    throw new PhasegateError('INPUT_INVALID', `Cannot copy ${name} into a file as it is a database`, {
      hint: 'Use its own tool, such as: pg_dump --schema=phasegate --format=custom --file=runs.dump <address>',
    });
  const replaces = flags.replace === true && existsSync(placeOf(file, io));
  // Copied first if nothing can be lost by it, as the disk may be failing.
  const known = replaces ? await damageIn(opened) : [];
  const target = known.length > 0 ? `${file}.damaged` : file;
  const { bytes } = await store.backup(placeOf(target, io), { replace: flags.replace });
  const damage = replaces ? known : await damageIn(opened);
  await store.close();
  io.stdout.write(`${sizeText(bytes)} of runs are in ${oneLine(target)}\n`);
  if (damage.length === 0) return exitCode.completed;
  if (replaces) damage.push(`${oneLine(file)} was not replaced, as it may be undamaged.`);
  damage.push(`The copy may have the same damage. See what to do: phasegate verify${storeArgument(opened)}`, '');
  io.stderr.write(damage.join('\n'));
  return exitCode.unsuccessful;
}

/**
 * Moves all runs to another store. Those that cannot be moved are named, and stay.
 *
 * @throws PhasegateError `INPUT_INVALID` if the other store is this one, or none.
 */
export async function moveStored(other: string, flags: StoreFlags, io: ProgramIo): Promise<ExitCode> {
  const opened = openStore(flags, 'write', io);
  // Compared before it is opened, as a store must not be open by two names of one file.
  const isSame = opened.isFile && isSameFile(opened.location, placeOf(other, io));
  const target = isSame ? undefined : openStoreToRun({ store: other }, io);
  if (!target || target.location === opened.location) {
    const why = isSame || target ? 'both are the same store' : 'that is no store';
    throw new PhasegateError(
      'INPUT_INVALID',
      `Cannot move runs from ${opened.name} to ${target?.name ?? other} as ${why}`,
      { hint: 'Name another file, or the address of a Postgres database.' },
    );
  }
  // A store that cannot be used is one error, and not one for each run.
  await target.store.runs({ limit: 1 });
  let moved = 0;
  let left = 0;
  for (const family of familiesIn(await opened.store.runs()).toReversed()) {
    const root = family.at(-1)?.runId ?? '';
    try {
      await attempt(`move run ${root}`, async () => {
        for (const run of family) {
          refuseDamaged('move', run);
          await releaseDeadLease(opened, run);
        }
        await moveRuns(opened.store, target.store, family, (runs) => storedWaits(root, runs));
      });
      moved += family.length;
    } catch (error) {
      if (!PhasegateError.is(error) || !LEFT.has(error.code)) throw error;
      left += family.length;
      io.stderr.write(`${stripControls(withAddress(error.message))}\n`);
    }
  }
  await Promise.all([opened.store.close(), target.store.close()]);
  const rest = left === 0 ? '' : `; ${counted(left, 'run')} could not be moved`;
  io.stdout.write(`${counted(moved, 'run')} moved to ${oneLine(target.name)}${rest}\n`);
  return left === 0 ? exitCode.completed : exitCode.unsuccessful;
}

// --- internal ---

/** Errors of single runs. */
const LEFT: ReadonlySet<string> = new Set(['RUN_EXISTS', 'RUN_LEASED', 'STORE_UNREADABLE']);

function withBelow({ length }: readonly unknown[]): string {
  return length === 0 ? '' : `, with ${counted(length, 'run')} of its tasks,`;
}

/** The file mode for the owner only, as the file contains inputs and outputs. */
const PRIVATE = 0o600;

function unsafeId(file: string, id: string): PhasegateError {
  const name = oneLine(JSON.stringify(id.slice(0, 200)));
  return new PhasegateError('INPUT_INVALID', `Cannot import "${file}" as the id of its run is ${name}`, {
    hint: `${ruleFor(id)}. Name another with --run-id ${runIdLike(id) ?? 'imported'}.`,
  });
}

async function* linesOf(file: string, io: ProgramIo): AsyncGenerator<string, void, undefined> {
  try {
    const input = file === '-' ? io.stdin : createReadStream(placeOf(file, io));
    yield* createInterface({ input, crlfDelay: Infinity });
  } catch (cause) {
    throw new PhasegateError('FILE_UNREADABLE', `Cannot read "${file}": ${errorInfo(cause).message}`, {
      hint: 'Name a file that can be read.',
      cause,
    });
  }
}
