/**
 * The store that a command uses.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { problemText } from '../../projections/wording/error-words.ts';
import { shellWord } from '../../model/values/shell-word.ts';
import { patientStore } from '../../runtime/records/patient-store.ts';
import { sqliteStore } from '../../sqlite.ts';
import type { RunStore } from '../../store/port.ts';
import { isOutdated, migrateStore } from '../../store/sqlite/open.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { DEFAULT_STORE, STORE_VARIABLE } from './defaults.ts';

/** The value of `--store` and `--no-store`. */
export interface StoreFlags {
  /** A file; `memory` or `false` for no store. @default {@link DEFAULT_STORE} */
  readonly store?: string | false | undefined;
}

/** An open store with its name. */
export interface OpenStore {
  readonly store: RunStore;
  /** The file name that the user gave. */
  readonly file: string;
  /** The absolute path of the file. */
  readonly path: string;
  /** The file that commands use without `--store`. */
  readonly usual: string;
}

/**
 * Opens the store for a new run. Creates the file if it is missing.
 *
 * @returns `undefined` if the user wants no store. Also if Node has no SQLite and the user named no store; a note on standard error says so.
 * @throws PhasegateError of the store if it cannot be used.
 */
export function openStoreToRun({ store: file = DEFAULT_STORE }: StoreFlags, io: ProgramIo): OpenStore | undefined {
  if (isNone(file)) return undefined;
  try {
    const path = placeOf(file, io);
    return { store: patientStore(sqliteStore(path)), file, path, usual: usualIn(io) };
  } catch (error) {
    if (file !== DEFAULT_STORE || !isWithoutSqlite(error)) throw error;
    io.stderr.write(`phasegate: this run is not stored. ${stripControls(problemText(error.message))}\n`);
    return undefined;
  }
}

/**
 * Opens an existing store.
 *
 * @param mode `read` for commands that do not change it; they may run next to a process that works on a run.
 * @throws PhasegateError `STORE_UNREADABLE` if the file does not exist, and other errors of the store.
 */
export function openStore(
  { store: file = DEFAULT_STORE }: StoreFlags,
  mode: 'read' | 'write',
  io: ProgramIo,
): OpenStore {
  if (isNone(file)) {
    throw new PhasegateError('STORE_UNREADABLE', 'Cannot look for runs as the command has no store', {
      hint: 'Name its file with --store.',
    });
  }
  const path = placeOf(file, io);
  if (!existsSync(path)) {
    const isUsual = file === DEFAULT_STORE;
    const found = isUsual ? 'no run was stored in this folder yet' : 'there is no such file';
    const usual = 'Start one with: phasegate run <pipeline>. Name a store in another place with --store <file>.';
    throw new PhasegateError('STORE_UNREADABLE', `Cannot look for runs in ${file} as ${found}`, {
      hint: isUsual ? usual : 'Correct the name; phasegate run creates a store if there is none.',
    });
  }
  const store = mode === 'read' ? openToRead(path) : sqliteStore(path);
  return { store: patientStore(store), file, path, usual: usualIn(io) };
}

/** Returns the `--store` argument that a suggested command needs to find a store; empty if it needs none. */
export function storeArgument({ file, usual }: Pick<OpenStore, 'file' | 'usual'>): string {
  return file === usual ? '' : ` --store ${shellWord(file)}`;
}

// --- internal ---

/** Opens a store for reading, and migrates one of an earlier version. */
function openToRead(path: string): RunStore {
  try {
    return sqliteStore(path, { readOnly: true });
  } catch (error) {
    if (!isOutdated(error)) throw error;
  }
  try {
    migrateStore(path);
  } catch (error) {
    if (!PhasegateError.is(error) || error.code !== 'STORE_READ_ONLY') throw error;
    const why = 'it was created by an earlier version, and may not be written';
    throw new PhasegateError('STORE_READ_ONLY', `Cannot migrate the store ${path} as ${why}`, {
      hint: 'Copy the file to a folder that you may write to, and name the copy with --store.',
      cause: error,
    });
  }
  return sqliteStore(path, { readOnly: true });
}

function usualIn({ env }: ProgramIo): string {
  return env[STORE_VARIABLE] ?? DEFAULT_STORE;
}

function isNone(file: string | false): file is 'memory' | false {
  return file === false || file === 'memory';
}

function isWithoutSqlite(error: unknown): error is PhasegateError {
  return PhasegateError.is(error) && error.message.startsWith('Cannot store runs in SQLite as Node');
}
