/**
 * Files that commands write. None of them replaces a store, another file of phasegate, or the definition of a run that the command reads.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { isFileOfDatabase, isFileOfStore, isInFolder, isSameFile } from '../../store/sqlite/file-identity.ts';
import type { RunInfo } from '../../projections/run/run-info.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';

/** A file that a command may write. */
export interface OutputFile {
  /** The name that the user gave. */
  readonly name: string;
  /** Its absolute path. */
  readonly path: string;
}

/** Absolute paths that an output must not replace. */
export interface KeptFiles {
  /** The folder of phasegate's own files. */
  readonly folder: string;
  /** The file of the store that the command uses, if it exists or not. */
  readonly store?: string | undefined;
  /** The secret for the session cookies of the store's dashboards. */
  readonly session?: string | undefined;
  /** The pipeline file that the command reads. */
  readonly pipeline?: string | undefined;
}

/**
 * Accepts the name of a file to write. A command calls it before it does anything else.
 *
 * @throws PhasegateError `INPUT_INVALID` if the name is that of standard output or of a folder; `FILE_EXISTS` if that file belongs to a store, is in the folder of phasegate or is the pipeline, by any path.
 */
export function outputFile(name: string, { folder, store, session, pipeline }: KeptFiles, io: ProgramIo): OutputFile {
  if (STANDARD.has(name))
    throw new PhasegateError('INPUT_INVALID', 'Cannot write to standard output as the command has other text for it', {
      hint: 'Name a file.',
    });
  const path = placeOf(name, io);
  refuseFolder(name, path);
  if (store !== undefined && isFileOfStore(path, store)) throw kept(name, 'it is a file of the store');
  if (session !== undefined && isSameFile(path, session)) throw kept(name, 'it is a file of the store');
  if (pipeline !== undefined && isSameFile(path, pipeline)) throw kept(name, 'it is the pipeline file');
  if (isFileOfDatabase(path)) throw kept(name, 'it is a file of a database, such as another store');
  if (isInFolder(path, folder)) throw kept(name, `${basename(folder)} is the folder of phasegate's own files`);
  return { name, path };
}

/** Does the same as {@link outputFile}. Returns `undefined` for standard output, which is meant by no name, by `-`, and by the names that the system has for it. */
export function outputOrStandard(name: string | undefined, files: KeptFiles, io: ProgramIo): OutputFile | undefined {
  return name === undefined || STANDARD.has(name) ? undefined : outputFile(name, files, io);
}

/**
 * Refuses to write a folder, also if it does not exist.
 *
 * @param name The name that the user gave.
 * @throws PhasegateError `INPUT_INVALID`
 */
export function refuseFolder(name: string, path: string): void {
  // Only a folder has itself as an entry.
  if (!name.endsWith('/') && !name.endsWith(sep) && !existsSync(`${path}/.`)) return;
  const found = name === '' ? 'it has no name' : 'it names a folder';
  throw new PhasegateError('INPUT_INVALID', `Cannot write "${name}" as ${found}`, {
    hint: 'Name a file.',
  });
}

/**
 * Refuses to write over the definition of a run, as the run could not continue without it.
 *
 * @throws PhasegateError `FILE_EXISTS`
 */
export function refuseDefinitions(
  file: OutputFile | undefined,
  runs: readonly Pick<RunInfo, 'runId' | 'source'>[],
): void {
  if (!file) return;
  const run = runs.find(({ source }) => source !== undefined && isSameFile(file.path, source));
  if (run) throw kept(file.name, `it is the definition of run ${run.runId}`);
}

// --- internal ---

/** The names of standard output. Opened once more by one of them, a file would be written over from its start. */
const STANDARD: ReadonlySet<string> = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);

function kept(name: string, rule: string): PhasegateError {
  return new PhasegateError('FILE_EXISTS', `Cannot write "${name}" as ${rule}`, { hint: 'Name another file.' });
}
