/**
 * Serves the dashboard on a port of this machine.
 *
 * @module
 */
import { createAdaptorServer } from '@hono/node-server';
import { setTimeout } from 'node:timers/promises';
import { holderIsAlive } from '../store/holder.ts';
import { patientStore } from '../runtime/records/patient-store.ts';
import type { RunStore } from '../store/port.ts';
import type { Workspaces } from '../workspaces/port.ts';
import { createApp } from './app.ts';
import { builtApp } from './assets.ts';
import { createSecret, sessionOf } from './guard.ts';
import { connections, HOST, listen } from './listen.ts';
import { createStarts } from './pending-starts.ts';
import type { DashboardActions, ServerContext } from './server-context.ts';

/** Options of {@link serveDashboard}. */
export interface DashboardOptions {
  /** 0 for any free port. @default 0 */
  readonly port?: number | undefined;
  /** The name of the store in the dashboard. @default 'store' */
  readonly storeName?: string | undefined;
  /** True to refuse answers and changes. @default false */
  readonly readOnly?: boolean | undefined;
  /** The user name that answers are recorded with. @default 'dashboard' */
  readonly user?: string | undefined;
  /** Resumes and retries runs, which takes their pipelines. Without it, users can only answer and cancel. @default none */
  readonly actions?: DashboardActions | undefined;
  /** The repository of fleets, such as `gitWorkspace()`, to show the changes of their agents. @default none: names of files only */
  readonly workspaces?: Pick<Workspaces, 'diff'> | undefined;
  /**
   * Tells if the holder of a lease is alive; `undefined` if unknown. A run whose holder is gone can be resumed before its lease
   * expires. A run whose holder is alive cannot be resumed even after that.
   *
   * @default Known for processes of this machine, unknown for all others.
   */
  readonly isAlive?: ((holder: string) => boolean | undefined) | undefined;
  /** The holder name of leases that the server takes to cancel runs. @default 'dashboard' */
  readonly holder?: string | undefined;
  /** A folder with another app. @default the one of the package */
  readonly assets?: string | URL | undefined;
  /**
   * A secret, such as 32 random bytes as text. Open pages stay logged in if the next server on the port has the same one.
   *
   * @default a new one
   */
  readonly session?: string | undefined;
  /** True to let the process end if only the dashboard is left and no page is open. @default false */
  readonly unref?: boolean | undefined;
  /** Called with unexpected errors. @default console.error */
  readonly onError?: ((thrown: unknown) => void) | undefined;
}

/** A running dashboard. */
export interface Dashboard {
  /** The URL with the token. It grants access to every run of the store, and to the inbox. */
  readonly url: string;
  readonly port: number;
  /**
   * Ends every connection. Pending requests get one second to finish; requests that wait for the result of an answer get its
   * present state at once. Close the store only after this promise resolves.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
}

/** Options of {@link Dashboard.close}. */
export interface CloseOptions {
  /**
   * Milliseconds that open pages get to receive all pending events, and the `closing` event. It takes only the time that they
   * need, and none without open pages.
   *
   * @default 0, which sends no such event
   */
  readonly farewellMs?: number | undefined;
}

/**
 * Serves the dashboard of a store on 127.0.0.1. On Node only.
 *
 * @throws PhasegateError `PORT_UNUSABLE`; `INPUT_INVALID` if the port is not valid.
 *
 * @example
 * ```ts
 * const dashboard = await serveDashboard(store, { user: 'ada' });
 * console.log(dashboard.url);
 * ```
 */
export async function serveDashboard(store: RunStore, options: DashboardOptions = {}): Promise<Dashboard> {
  const { port = 0, storeName = 'store', readOnly = false, user = 'dashboard', holder = 'dashboard' } = options;
  const { actions, isAlive = holderIsAlive, assets = builtApp(), unref = false, onError = console.error } = options;
  const { session = createSecret(), workspaces } = options;
  const streams: ServerContext['streams'] = new Set();
  const farewell = new AbortController();
  const closing = new AbortController();
  const report = (thrown: unknown) => reportSafely(onError, thrown);
  const context: ServerContext = {
    store: patientStore(store),
    storeName,
    readOnly,
    user,
    actions,
    workspaces,
    isAlive,
    holder,
    streams,
    starts: createStarts(closing.signal, report),
    farewell: farewell.signal,
    closing: closing.signal,
    onError: report,
  };
  const token = createSecret();
  const app = createApp(context, { token, session: sessionOf(session, readOnly) }, assets);
  // The global Request and Response of the embedding program must not change.
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: connections,
  });
  let askedAt = 0;
  server.on('request', () => (askedAt = performance.now()));
  const bound = await listen(server, port);
  server.on('error', context.onError);
  if (unref) server.unref();
  return {
    url: `http://${HOST}:${bound}/?token=${token}`,
    port: bound,
    async close({ farewellMs = 0 } = {}) {
      if (farewellMs > 0 && streams.size > 0) {
        farewell.abort();
        const begun = performance.now();
        const isQuiet = () => streams.size === 0 && performance.now() - Math.max(begun, askedAt) >= QUIET_MS;
        while (!isQuiet() && performance.now() - begun < farewellMs) await setTimeout(POLL_MS);
      }
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closing.abort();
      for (const stream of streams) stream.abort();
      if (!('closeAllConnections' in server)) return;
      // An answer that was just given gets its response before the server ends.
      const timer = setInterval(() => server.closeIdleConnections(), POLL_MS);
      await Promise.race([closed, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
      clearInterval(timer);
      server.closeAllConnections();
      await closed;
    },
  };
}

// --- internal ---

/** Milliseconds that pending requests get when the server closes, and between checks. */
const PATIENCE_MS = 1000;
const POLL_MS = 10;
/** Milliseconds without a request after which pages are taken to be up to date, as they pause between requests. */
const QUIET_MS = 800;

/** Reports an error. An exception in the handler must not end the process. */
function reportSafely(report: (thrown: unknown) => void, thrown: unknown): void {
  try {
    report(thrown);
  } catch {
    // No handler is left to report it to.
  }
}
