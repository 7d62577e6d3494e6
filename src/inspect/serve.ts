/**
 * Serves runs to the Stately inspector.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import type { InspectionEvent } from 'xstate';
import { serveActors } from './inspector-server.ts';
import { pageOf } from './page.ts';
import { loadStately, statelyTranslator } from './stately-adapter.ts';

/** Options of {@link serveInspector}. */
export interface InspectorServerOptions {
  /** The port to listen on. @default 0, which is any free port */
  readonly port?: number | undefined;
  /** The address of the inspector that the page shows. @default 'https://stately.ai/inspect' */
  readonly inspector?: string | undefined;
  /** True to let the process end while no viewer is connected. @default false */
  readonly unref?: boolean | undefined;
}

/** A running inspector server. */
export interface InspectorServer {
  /** The page to open in a browser. A program on this machine that knows the address can read the run. */
  readonly url: string;
  /** The WebSocket of the page, for programs: `createWebSocketReceiver({ server: socketUrl })`. */
  readonly socketUrl: string;
  /** Pass it to `startRun`, `resumeRun`, `retryRun` or `createActor`. Several runs may share it. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Ends the server, after each viewer has received its pending messages, or has not read for a second. */
  close(): Promise<void>;
}

/**
 * Serves runs to the Stately inspector, on this machine only.
 *
 * @throws PhasegateError `PACKAGE_MISSING` if `@statelyai/inspect` is not installed; `PORT_UNUSABLE` if the port is in use or not
 * valid.
 */
export async function serveInspector(options: InspectorServerOptions = {}): Promise<InspectorServer> {
  const { port = 0, unref = false } = options;
  const inspector = new URL(options.inspector ?? 'https://stately.ai/inspect');
  const { address, ...server } = await serveActors({
    port,
    unref,
    page: () => pageOf(inspector, randomBytes(16).toString('base64')),
    origins: [inspector.origin],
    translator: statelyTranslator(await loadStately()),
  });
  return { ...server, url: `http://${address}`, socketUrl: `ws://${address}` };
}
