/**
 * Serves the dashboard on a port of this machine.
 *
 * @module
 */
import { createAdaptorServer } from '@hono/node-server';
import { setTimeout } from 'node:timers/promises';
import type { RunStore } from '../store/port.ts';
import { createApp } from './app.ts';
import { createContext, type CommonOptions } from './create-context.ts';
import { builtApp } from './http/assets.ts';
import { accessOf } from './http/access.ts';
import { createGuard, createSecret, sessionOf } from './http/guard.ts';
import { connections, HOST, listen } from './http/listen.ts';

/** Options of {@link serveDashboard}. */
export interface DashboardOptions extends CommonOptions {
  /** 0 for any free port. @default 0 */
  readonly port?: number | undefined;
  /** The user name that answers are recorded with. @default 'dashboard' */
  readonly user?: string | undefined;
  /**
   * A secret, such as 32 random bytes as text. Open pages stay logged in if the next server on the port has the same one.
   *
   * @default a new one
   */
  readonly session?: string | undefined;
  /** True to let the process end if only the dashboard is left and no page is open. @default false */
  readonly unref?: boolean | undefined;
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
 * @throws PhasegateError `PORT_UNUSABLE`; `INPUT_INVALID` if the port is not valid, or two pipelines have one name.
 *
 * @example
 * ```ts
 * const dashboard = await serveDashboard(store, { user: 'ada' });
 * console.log(dashboard.url);
 * ```
 */
export async function serveDashboard(store: RunStore, options: DashboardOptions = {}): Promise<Dashboard> {
  const { port = 0, user = 'dashboard', unref = false, session = createSecret(), assets = builtApp() } = options;
  const farewell = new AbortController();
  const closing = new AbortController();
  const context = createContext(store, options, { farewell: farewell.signal, closing: closing.signal });
  const { streams, readOnly } = context;
  const token = createSecret();
  let bound = port;
  const access = accessOf(user, readOnly);
  const guard = createGuard(() => ({ token, session: sessionOf(session, readOnly, bound), port: bound, access }));
  const app = createApp(context, guard, assets);
  // The global Request and Response of the embedding program must not change.
  const server = createAdaptorServer({
    fetch: (request) => app.fetch(request),
    overrideGlobalObjects: false,
    serverOptions: connections,
  });
  let askedAt = 0;
  server.on('request', () => (askedAt = performance.now()));
  bound = await listen(server, port);
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
