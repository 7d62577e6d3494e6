/**
 * Statements that take long, on a connection of a thread of their own. The event loop of this thread goes on meanwhile.
 *
 * @module
 */
import { BUSY_MS } from './open.ts';
import { driverModule, type Bound } from './driver.ts';

/** The work of one thread. */
export interface ThreadWork {
  readonly path: string;
  readonly readOnly: boolean;
  readonly statements: readonly (readonly [sql: string, ...values: Bound[]])[];
  /** A statement that is run last, even if one of the others fails. @default none */
  readonly last?: string | undefined;
}

/** Runs statements in a thread, which ends after that. @throws the error of the first one that fails, as the driver throws it. */
export function runInThread(work: ThreadWork): Promise<void> {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const workerData: ThreadData = { ...work, busyMs: BUSY_MS, driver: driverModule() };
  return new Promise((resolve, reject) => {
    // Flags of this process may load code that the thread does not need.
    const thread = new Worker(SOURCE, { eval: true, execArgv: [], workerData });
    let outcome: Outcome | undefined;
    thread.once('message', (message: Outcome) => (outcome = message));
    thread.once('error', reject);
    // Its connection is closed by then.
    thread.once('exit', (code) => {
      if (outcome === undefined) reject(new Error(`a thread ended early, with code ${code}`));
      else if (outcome.failed) reject(Object.assign(new Error(outcome.message), { errcode: outcome.errcode }));
      else resolve();
    });
  });
}

// --- internal ---

interface ThreadData extends ThreadWork {
  readonly busyMs: number;
  readonly driver: string;
}

/** The message of a thread at its end. */
type Outcome =
  | { readonly failed: false }
  | { readonly failed: true; readonly message: string; readonly errcode: number | undefined };

/**
 * The program of a thread. It is a text, as a bundler would not find a file. It works as a module and as a script, which depends on flags
 * of Node.
 */
const SOURCE = `
  // Node's SQLite warns that it is experimental.
  process.emitWarning = () => {};
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { path, readOnly, statements, last, busyMs, driver } = workerData;

  function work() {
    const { DatabaseSync } = process.getBuiltinModule('node:module').createRequire(process.execPath)(driver);
    const db = new DatabaseSync(path, { readOnly });
    try {
      db.exec('PRAGMA busy_timeout = ' + busyMs);
      if (!readOnly) db.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
      try {
        for (const [sql, ...values] of statements) db.prepare(sql).run(...values);
      } finally {
        if (last !== undefined) db.exec(last);
      }
    } finally {
      db.close();
    }
  }

  try {
    work();
    parentPort.postMessage({ failed: false });
  } catch (error) {
    parentPort.postMessage({ failed: true, message: error.message, errcode: error.errcode });
  }
`;
