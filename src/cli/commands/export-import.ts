/**
 * `phasegate export` and `phasegate import`.
 *
 * @module
 */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { ulid } from 'ulid';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { copyRun } from '../../runtime/fork.ts';
import { findRun } from '../options/find-run.ts';
import { openStore, openStoreToRun, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { print } from '../terminal/print.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';
import { archiveOf, readArchive } from './archive.ts';

/** What `phasegate export` takes beside the run. */
export interface ExportFlags extends StoreFlags {
  /** A file; standard output where absent. */
  readonly output?: string | undefined;
}

/** Writes a run as one file. */
export async function exportKept(wanted: string, flags: ExportFlags, io: ProgramIo): Promise<ExitCode> {
  const kept = openStore(flags, 'read', io);
  const run = await findRun(kept, wanted);
  if (flags.output === undefined) {
    for await (const line of archiveOf(kept, run)) if (!(await print(`${line}\n`, io))) return exitCode.brokenPipe;
    return exitCode.completed;
  }
  await writeLines(flags.output, placeOf(flags.output, io), archiveOf(kept, run));
  await kept.store.close();
  io.stdout.write(`run ${oneLine(run.runId)} of "${oneLine(run.pipeline)}" is in ${oneLine(flags.output)}\n`);
  return exitCode.completed;
}

/** Reads such a file into a store; under a new id, where the store has a run of that id. */
export async function importKept(file: string, flags: StoreFlags, io: ProgramIo): Promise<ExitCode> {
  const { header, records } = await readArchive(file, linesOf(file, io));
  const kept = openStoreToRun(flags, io) ?? openStore(flags, 'write', io);
  const isTaken = (await kept.store.run(header.runId)) !== undefined;
  const runId = isTaken ? ulid() : header.runId;
  await copyRun(kept.store, runId, records, { forkOf: header.forkOf, startedAt: header.startedAt });
  await kept.store.close();
  const text = `run ${oneLine(runId)} of "${oneLine(header.pipeline)}" imported`;
  io.stdout.write(`${text}${isTaken ? `, as the store has a run ${oneLine(header.runId)} already` : ''}\n`);
  return exitCode.completed;
}

// --- internal ---

/** Inputs and outputs are in it, so it is for its owner alone. */
const PRIVATE = 0o600;

async function writeLines(file: string, path: string, lines: AsyncIterable<string>): Promise<void> {
  try {
    const handle = await open(path, 'w', PRIVATE);
    try {
      for await (const line of lines) await handle.write(`${line}\n`);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (PhasegateError.is(cause)) throw cause;
    throw new PhasegateError('FILE_UNREADABLE', `Cannot write "${file}": ${errorInfo(cause).message}`, {
      hint: 'Name a file that can be written.',
      cause,
    });
  }
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
