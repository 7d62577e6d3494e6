/**
 * Commands that end by `kill -9` at the nth step that changes a store or a file.
 *
 * A step is a commit, another statement of SQLite or PostgreSQL that may change something, or a call that changes a file. Those of threads
 * count. The process is killed before the step.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../cli/cli.ts';

/** The end of a command. */
export interface Killed {
  /** False if it ended by itself before the step. */
  readonly isKilled: boolean;
  readonly code: number | null;
  readonly output: string;
  /** The steps that it took. */
  readonly steps: readonly string[];
}

/** Runs the built command in a folder, and kills it before a step. The first has number 0. */
export async function killedAt(
  step: number,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Killed> {
  const [preload, log] = [join(cwd, '..', 'preload.cjs'), join(cwd, '..', 'steps')];
  rmSync(log, { force: true });
  writeFileSync(preload, PRELOAD);
  const child = spawn(process.execPath, ['--require', preload, main, ...args], {
    cwd,
    env: { ...process.env, ...env, KILL_AT: String(step), KILL_LOG: log, KILL_WIDTH: String(WIDTH), KILL_FROM: main },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const text = readFileSync(log, 'utf8');
  const steps = Array.from({ length: text.length / WIDTH }, (_, nth) =>
    text.slice(nth * WIDTH, (nth + 1) * WIDTH).trim(),
  );
  return { isKilled: signal === 'SIGKILL', code, output, steps };
}

// --- internal ---

/** Bytes of a step in the log, so that all threads see their number by its size. */
const WIDTH = 60;

const PRELOAD = `
'use strict';
const fs = require('node:fs');
const { createRequire, syncBuiltinESMExports } = require('node:module');
const { fstatSync, writeSync } = fs;
const { KILL_AT, KILL_LOG, KILL_WIDTH, KILL_FROM } = process.env;
const width = Number(KILL_WIDTH);
const log = fs.openSync(KILL_LOG, 'a');
const required = createRequire(KILL_FROM);

function step(label) {
  if (fstatSync(log).size / width === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL');
  writeSync(log, label.replace(/[^ -~]+ */g, ' ').slice(0, width - 1).padEnd(width));
}

function before(object, name, labelOf) {
  const original = object[name];
  object[name] = function (...given) {
    const label = labelOf(given);
    if (label !== undefined) step(label);
    return original.apply(this, given);
  };
}

// Only the end of a transaction changes a file, and so does a statement without one. PostgreSQL has both.
const reads = /^\\s*(?:BEGIN|START|SELECT|ROLLBACK|SET|LISTEN|PRAGMA (?:busy|synchronous|journal_mode$|freelist|page|auto_vacuum$))/;
const inTransaction = /^\\s*(?:INSERT|UPDATE|DELETE)/;
const change = (text) => (reads.test(text) ? undefined : text);
const ends = (text) => (inTransaction.test(text) ? undefined : change(text));

// Methods of native classes cannot be replaced, so the module gets another class.
function watchDriver() {
  process.emitWarning = () => {};
  const builtIn = process.getBuiltinModule('node:sqlite');
  const name = '@photostructure/sqlite';
  const driver = builtIn ?? required(name);
  class DatabaseSync extends driver.DatabaseSync {
    exec(sql) {
      const label = ends(sql);
      if (label !== undefined) step(label);
      return super.exec(sql);
    }
    prepare(sql) {
      const statement = super.prepare(sql);
      const watched = {};
      for (const name of ['run', 'get', 'all', 'setReadBigInts']) watched[name] = (...given) => statement[name](...given);
      for (const name of ['run', 'get', 'all']) before(watched, name, () => ends(sql));
      return watched;
    }
  }
  if (builtIn) builtIn.DatabaseSync = DatabaseSync;
  else required.cache[required.resolve(name)].exports = { ...driver, DatabaseSync };
}

function watchPostgres() {
  const { Client } = required('pg');
  before(Client.prototype, 'query', ([query]) => change(typeof query === 'string' ? query : (query.text ?? '')));
}

const named = (name) => ([path]) => name + ' ' + String(path).split('/').at(-1);
const opened = (name) => ([path, flags]) => (/[wa+]/.test(String(flags)) ? named(name)([path]) : undefined);

function watchFiles() {
  for (const name of ['rename', 'link', 'rm', 'unlink', 'mkdir', 'writeFile', 'copyFile']) {
    before(fs, name + 'Sync', named(name));
    before(fs.promises, name, named(name));
  }
  before(fs, 'openSync', opened('open'));
  before(fs.promises, 'open', opened('open'));
  const { open } = fs.promises;
  fs.promises.open = async (...given) => {
    const handle = await open(...given);
    for (const name of ['appendFile', 'writeFile', 'sync']) before(handle, name, () => name);
    return handle;
  };
  syncBuiltinESMExports();
}

watchDriver();
watchPostgres();
watchFiles();
`;
