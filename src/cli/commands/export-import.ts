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

/** Flags of `phasegate export`. */
export interface ExportFlags extends StoreFlags {
  /** A file. @default standard output */
  readonly output?: string | undefined;
}

/** Writes a run to one file or to standard output. */
export async function exportStored(wanted: string, flags: ExportFlags, io: ProgramIo): Promise<ExitCode> {
  const opened = openStore(flags, 'read', io);
  const run = await findRun(opened, wanted);
  if (flags.output === undefined) {
    for await (const line of archiveOf(opened, run)) if (!(await print(`${line}\n`, io))) return exitCode.brokenPipe;
    return exitCode.completed;
  }
  await writeLines(flags.output, placeOf(flags.output, io), archiveOf(opened, run));
  await opened.store.close();
  io.stdout.write(`run ${oneLine(run.runId)} of "${oneLine(run.pipeline)}" is in ${oneLine(flags.output)}\n`);
  return exitCode.completed;
}

/** Imports an exported run into a store. The run gets a new id if the store already has its id. */
export async function importStored(file: string, flags: StoreFlags, io: ProgramIo): Promise<ExitCode> {
  const { header, records } = await readArchive(file, linesOf(file, io));
  const opened = openStoreToRun(flags, io) ?? openStore(flags, 'write', io);
  const isTaken = (await opened.store.run(header.runId)) !== undefined;
  const runId = isTaken ? ulid() : header.runId;
  await copyRun(opened.store, runId, records, { forkOf: header.forkOf, startedAt: header.startedAt });
  await opened.store.close();
  const text = `run ${oneLine(runId)} of "${oneLine(header.pipeline)}" imported`;
  io.stdout.write(`${text}${isTaken ? `, as the store has a run ${oneLine(header.runId)} already` : ''}\n`);
  return exitCode.completed;
}

// --- internal ---

/** The file mode for the owner only, as the file contains inputs and outputs. */
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
