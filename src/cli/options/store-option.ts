/**
 * Where runs are kept, as the command line is told.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { problemText } from '../../projections/wording/error-words.ts';
import { sqliteStore } from '../../sqlite.ts';
import type { RunStore } from '../../store/port.ts';
import { placeOf, type ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { DEFAULT_STORE, STORE_VARIABLE } from './defaults.ts';

/** What `--store` and `--no-store` give. */
export interface StoreFlags {
  /** A file; `memory`, or `false`, for none. @default {@link DEFAULT_STORE} */
  readonly store?: string | false | undefined;
}

/** A store with its name. */
export interface OpenStore {
  readonly store: RunStore;
  /** As the user named it. */
  readonly file: string;
  /** Where it is. */
  readonly path: string;
  /** The one that commands use if none is named. */
  readonly usual: string;
}

/**
 * Opens the store that a new run is kept in, which is made where it is missing.
 *
 * @returns `undefined` where none is wanted, or none can be had and none was asked for: that is told on standard error.
 * @throws PhasegateError of the store, where it cannot be used.
 */
export function openStoreToRun({ store: file = DEFAULT_STORE }: StoreFlags, io: ProgramIo): OpenStore | undefined {
  if (isNone(file)) return undefined;
  try {
    const path = placeOf(file, io);
    return { store: sqliteStore(path), file, path, usual: usualIn(io) };
  } catch (error) {
    if (file !== DEFAULT_STORE || !isWithoutSqlite(error)) throw error;
    io.stderr.write(`phasegate: this run is not kept. ${stripControls(problemText(error.message))}\n`);
    return undefined;
  }
}

/**
 * Opens a store that has runs.
 *
 * @param mode `read` for commands that leave it as it is; they may run beside a process that works on a run.
 * @throws PhasegateError `STORE_UNREADABLE` where there is none, and others of the store.
 */
export function openStore(
  { store: file = DEFAULT_STORE }: StoreFlags,
  mode: 'read' | 'write',
  io: ProgramIo,
): OpenStore {
  if (isNone(file)) {
    throw new PhasegateError('STORE_UNREADABLE', 'Cannot look for runs as no store is to be used', {
      hint: 'Name its file with --store.',
    });
  }
  const path = placeOf(file, io);
  if (!existsSync(path)) {
    const isUsual = file === DEFAULT_STORE;
    const found = isUsual ? 'no run was kept in this folder yet' : 'there is no such file';
    const usual =
      'Start one with: phasegate run <pipeline>. Runs that were kept elsewhere are found with --store <file>.';
    throw new PhasegateError('STORE_UNREADABLE', `Cannot look for runs in ${file} as ${found}`, {
      hint: isUsual ? usual : 'Correct the name; phasegate run makes a store where there is none.',
    });
  }
  return { store: sqliteStore(path, { readOnly: mode === 'read' }), file, path, usual: usualIn(io) };
}

/** What has to be added to a command for it to find a store. */
export function storeArgument({ file, usual }: Pick<OpenStore, 'file' | 'usual'>): string {
  return file === usual
    ? ''
    : ` --store ${/^[\w./@%+=:,-]+$/u.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`}`;
}

// --- internal ---

function usualIn({ env }: ProgramIo): string {
  return env[STORE_VARIABLE] ?? DEFAULT_STORE;
}

function isNone(file: string | false): file is 'memory' | false {
  return file === false || file === 'memory';
}

function isWithoutSqlite(error: unknown): error is PhasegateError {
  return PhasegateError.is(error) && error.message.startsWith('Cannot store runs in SQLite as Node');
}
