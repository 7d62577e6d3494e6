/**
 * Files that commands write. None of them replaces a store, or the pipeline that the command reads.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { isFileOfDatabase, isFileOfStore, isSameFile } from '../../store/sqlite/file-identity.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';

/** A file that a command may write. */
export interface OutputFile {
  /** The name that the user gave. */
  readonly name: string;
  /** Its absolute path. */
  readonly path: string;
}

/** Absolute paths of files that an output must not replace. */
export interface KeptFiles {
  /** The file of the store that the command uses, if it exists or not. */
  readonly store?: string | undefined;
  /** The pipeline file that the command reads. */
  readonly pipeline?: string | undefined;
}

/**
 * Accepts the name of a file to write. A command calls it before it does anything else.
 *
 * @throws PhasegateError `FILE_EXISTS` if that file belongs to a store or is the pipeline, by any path.
 */
export function outputFile(name: string, { store, pipeline }: KeptFiles, io: ProgramIo): OutputFile {
  const path = placeOf(name, io);
  if (store !== undefined && isFileOfStore(path, store)) throw kept(name, 'it is a file of the store');
  if (pipeline !== undefined && isSameFile(path, pipeline)) throw kept(name, 'it is the pipeline file');
  if (isFileOfDatabase(path)) throw kept(name, 'it is a file of a database, such as another store');
  return { name, path };
}

// --- internal ---

function kept(name: string, rule: string): PhasegateError {
  return new PhasegateError('FILE_EXISTS', `Cannot write "${name}" as ${rule}`, { hint: 'Name another file.' });
}
