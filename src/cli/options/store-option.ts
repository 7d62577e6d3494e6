/**
 * The store that a command uses.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { hasCode, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { problemText } from '../../projections/wording/error-words.ts';
import { shellWord } from '../../model/values/shell-word.ts';
import { patientStore } from '../../runtime/records/patient-store.ts';
import { sqliteStore } from '../../sqlite.ts';
import type { RunStore } from '../../store/port.ts';
import { isOutdated, migrateStore } from '../../store/sqlite/open.ts';
import type { KeptFiles } from '../process/output-file.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { DEFAULT_STORE, OWN_FOLDER, STORE_VARIABLE } from './defaults.ts';
import { isAddress, openPostgres } from './store-address.ts';

/** The value of `--store` and `--no-store`. */
export interface StoreFlags {
  /** A file, or the address of a Postgres database; `memory` or `false` for no store. @default {@link DEFAULT_STORE} */
  readonly store?: string | false | undefined;
}

/** An open store with its name. */
export interface OpenStore {
  readonly store: RunStore;
  /** The name that the user gave, without a password. */
  readonly name: string;
  /** The absolute path of its file, or the address of the database: never shown, as it may have a password. */
  readonly location: string;
  readonly isFile: boolean;
  /** True if commands use it without `--store`. */
  readonly isUsual: boolean;
}

/**
 * Opens the store for a new run. Creates the file if it is missing.
 *
 * @returns `undefined` if the user wants no store. Also if Node has no SQLite and the user named no store; a note on standard error says so.
 * @throws PhasegateError of the store if it cannot be used.
 */
export function openStoreToRun({ store: named = DEFAULT_STORE }: StoreFlags, io: ProgramIo): OpenStore | undefined {
  if (isNone(named)) return undefined;
  try {
    return openAddress(named, io) ?? openFile(named, io, sqliteStore);
  } catch (error) {
    if (named !== DEFAULT_STORE || !isWithoutSqlite(error)) throw error;
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
  { store: named = DEFAULT_STORE }: StoreFlags,
  mode: 'read' | 'write',
  io: ProgramIo,
): OpenStore {
  if (isNone(named)) {
    throw new PhasegateError('STORE_UNREADABLE', 'Cannot look for runs as the command has no store', {
      hint: 'Name its file with --store.',
    });
  }
  const database = openAddress(named, io);
  if (database) return database;
  if (!existsSync(placeOf(named, io))) {
    const isUsual = named === DEFAULT_STORE;
    const found = isUsual ? 'no run was stored in this folder yet' : 'there is no such file';
    const usual = 'Start one with: phasegate run <pipeline>. Name a store in another place with --store <file>.';
    throw new PhasegateError('STORE_UNREADABLE', `Cannot look for runs in ${named} as ${found}`, {
      hint: isUsual ? usual : 'Correct the name; phasegate run creates a store if there is none.',
    });
  }
  return openFile(named, io, mode === 'read' ? openToRead : sqliteStore);
}

/** Returns the paths that the output of a command must not replace. The store need not exist. */
export function keptFilesOf({ store: named = DEFAULT_STORE }: StoreFlags, io: ProgramIo): KeptFiles {
  const folder = placeOf(OWN_FOLDER, io);
  if (isNone(named) || isAddress(named)) return { folder };
  const store = placeOf(named, io);
  return { folder, store, session: sessionFileOf(store) };
}

/** Returns the file with the secret for the session cookies of the dashboards of a store. @param store The file of the store. */
export function sessionFileOf(store: string): string {
  return `${store}.session`;
}

/** Returns the `--store` argument that a suggested command needs to find a store; empty if it needs none. */
export function storeArgument({ name, isUsual }: Pick<OpenStore, 'name' | 'isUsual'>): string {
  return isUsual ? '' : ` --store ${shellWord(name)}`;
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
    if (!hasCode(error, 'STORE_READ_ONLY')) throw error;
    const why = 'it was created by an earlier version, and may not be written';
    throw new PhasegateError('STORE_READ_ONLY', `Cannot migrate the store ${path} as ${why}`, {
      hint: 'Copy the file to a folder that you may write to, and name the copy with --store.',
      cause: error,
    });
  }
  return sqliteStore(path, { readOnly: true });
}

function openFile(file: string, io: ProgramIo, open: (path: string) => RunStore): OpenStore {
  const path = placeOf(file, io);
  return { store: patientStore(open(path)), name: file, location: path, isFile: true, isUsual: isUsualIn(io, file) };
}

/** Opens the database that an address names; `undefined` if it is the name of a file. */
function openAddress(address: string, io: ProgramIo): OpenStore | undefined {
  if (!isAddress(address)) return undefined;
  const { store, name } = openPostgres(address);
  return { store: patientStore(store), name, location: address, isFile: false, isUsual: isUsualIn(io, address) };
}

function isUsualIn({ env }: ProgramIo, named: string): boolean {
  return named === (env[STORE_VARIABLE] ?? DEFAULT_STORE);
}

function isNone(named: string | false): named is 'memory' | false {
  return named === false || named === 'memory';
}

function isWithoutSqlite(error: unknown): error is PhasegateError {
  return PhasegateError.is(error) && error.message.startsWith('Cannot store runs in SQLite as Node');
}
