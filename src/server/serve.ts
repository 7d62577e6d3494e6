/**
 * The dashboard on a port of this machine.
 *
 * @module
 */
import { createAdaptorServer } from '@hono/node-server';
import { setTimeout } from 'node:timers/promises';
import { holderIsAlive } from '../store/holder.ts';
import type { RunStore } from '../store/port.ts';
import { createApp } from './app.ts';
import { builtApp } from './assets.ts';
import { createSecret, sessionOf } from './guard.ts';
import { connections, HOST, listen } from './listen.ts';
import { createStarts } from './pending-starts.ts';
import type { DashboardActions, ServerContext } from './server-context.ts';

/** Options of {@link serveDashboard}. */
export interface DashboardOptions {
  /** 0 for any that is free. @default 0 */
  readonly port?: number | undefined;
  /** What the store is called in the dashboard. @default 'store' */
  readonly storeName?: string | undefined;
  /** Whether nothing can be answered or changed. @default false */
  readonly readOnly?: boolean | undefined;
  /** In whose name answers are given. @default 'dashboard' */
  readonly user?: string | undefined;
  /** What can be done with runs beside answering and cancelling: it takes their pipelines. @default nothing */
  readonly actions?: DashboardActions | undefined;
  /**
   * Whether whoever holds a run lives; `undefined` where that cannot be told. The run of who is gone can be gone on with before
   * its lease expires, and that of who lives not even after.
   *
   * @default of processes of this machine that is known, of all others it cannot be told
   */
  readonly isAlive?: ((holder: string) => boolean | undefined) | undefined;
  /** Under which name runs are cancelled. @default 'dashboard' */
  readonly holder?: string | undefined;
  /** A folder with another app. @default the one of the package */
  readonly assets?: string | URL | undefined;
  /**
   * A secret, such as 32 random bytes as text. Where the next server on the port has the same, pages that are open go on with it.
   *
   * @default a new one
   */
  readonly session?: string | undefined;
  /** Whether the process may end while nothing but the dashboard goes on, and nobody has it open. @default false */
  readonly unref?: boolean | undefined;
  /** Told of errors that were not foreseen. @default they are printed on standard error */
  readonly onError?: ((thrown: unknown) => void) | undefined;
}

/** A dashboard that is served. */
export interface Dashboard {
  /** Where to open it. Whoever has it can see every run of the store, and answer. */
  readonly url: string;
  readonly port: number;
  /**
   * Ends every connection. What was asked before is answered if that takes a second at most: who waits for what becomes of an
   * answer is told at once how that stands. The store stays open, and should until this is done.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
}

/** How a dashboard ends. */
export interface CloseOptions {
  /**
   * How long pages that are open may take to hear all that there is, and that it is over, before anything is ended. It takes no
   * longer than they need, and no time where none is open.
   *
   * @default 0, which tells them nothing
   */
  readonly farewellMs?: number | undefined;
}

/**
 * Serves the dashboard of a store on 127.0.0.1. On Node only.
 *
 * @throws PhasegateError `PORT_UNUSABLE`; `INPUT_INVALID` where the port is none.
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
  const { session = createSecret() } = options;
  const streams: ServerContext['streams'] = new Set();
  const farewell = new AbortController();
  const closing = new AbortController();
  const tell = (thrown: unknown) => tellSafely(onError, thrown);
  const context: ServerContext = {
    store,
    storeName,
    readOnly,
    user,
    actions,
    isAlive,
    holder,
    streams,
    starts: createStarts(closing.signal, tell),
    farewell: farewell.signal,
    closing: closing.signal,
    onError: tell,
  };
  const token = createSecret();
  const app = createApp(context, { token, session: sessionOf(session, readOnly) }, assets);
  // Whoever embeds it keeps their own Request and Response.
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
        while (!isQuiet() && performance.now() - begun < farewellMs) await setTimeout(LOOK_MS);
      }
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closing.abort();
      for (const stream of streams) stream.abort();
      if (!('closeAllConnections' in server)) return;
      // Whoever has just answered is told what has become of that, as the last thing.
      const looking = setInterval(() => server.closeIdleConnections(), LOOK_MS);
      await Promise.race([closed, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
      clearInterval(looking);
      server.closeAllConnections();
      await closed;
    },
  };
}

// --- internal ---

/** Milliseconds for which requests that are being answered may take when it is closed, and between looks. */
const PATIENCE_MS = 1000;
const LOOK_MS = 10;
/** Milliseconds without a request after which pages have asked for all that was told to be another: they pause for a while. */
const QUIET_MS = 800;

/** Who is told of an error must not make another of it, which would end the process. */
function tellSafely(tell: (thrown: unknown) => void, thrown: unknown): void {
  try {
    tell(thrown);
  } catch {
    // There is nobody else to be told.
  }
}
