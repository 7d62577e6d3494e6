/**
 * Runs in the inspector of Stately.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import type { InspectionEvent } from 'xstate';
import { serveActors } from './inspector-server.ts';
import { pageOf } from './page.ts';
import { loadStately, statelyLanguage } from './stately-adapter.ts';

/** Options of {@link serveInspector}. */
export interface InspectorServerOptions {
  /** The port to listen on. @default 0, which is any that is free */
  readonly port?: number | undefined;
  /** The address of the inspector that the page shows. @default 'https://stately.ai/inspect' */
  readonly inspector?: string | undefined;
  /** Whether the process may end while nobody is connected. @default false */
  readonly unref?: boolean | undefined;
}

/** A server that is listening. */
export interface InspectorServer {
  /** The page to open in a browser. Whoever knows this address can read the run from this machine. */
  readonly url: string;
  /** The WebSocket of the page, for programs: `createWebSocketReceiver({ server: socketUrl })`. */
  readonly socketUrl: string;
  /** Give it to `startRun`, `resumeRun`, `retryRun` or `createActor`; to several of them, if you like. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Ends it, once whoever is connected has got what was to be told, or has not read it for a second. */
  close(): Promise<void>;
}

/**
 * Serves runs to the inspector of Stately, on this machine only.
 *
 * @throws PhasegateError `PACKAGE_MISSING` where `@statelyai/inspect` is not installed; `PORT_UNUSABLE` where the port is in use or
 *   is none.
 */
export async function serveInspector(options: InspectorServerOptions = {}): Promise<InspectorServer> {
  const { port = 0, unref = false } = options;
  const inspector = new URL(options.inspector ?? 'https://stately.ai/inspect');
  const { address, ...server } = await serveActors({
    port,
    unref,
    page: () => pageOf(inspector, randomBytes(16).toString('base64')),
    origins: [inspector.origin],
    language: statelyLanguage(await loadStately()),
  });
  return { ...server, url: `http://${address}`, socketUrl: `ws://${address}` };
}
