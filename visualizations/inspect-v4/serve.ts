/**
 * Serves runs to the inspector of XState v4, a page of the web that reads a WebSocket of this machine.
 *
 * @module
 */
import { serveActors, type ActorsServer } from '../../src/inspect/inspector-server.ts';
import { v4Translator } from './translator.ts';

/** A running server. */
export interface OldInspectorServer extends Omit<ActorsServer, 'address'> {
  /** The page to open. It is a page of the web, and its URL contains the address of the run. */
  readonly url: string;
  /** The address of the WebSocket without the protocol, for `createWebSocketReceiver({ server })`. */
  readonly server: string;
}

/** Serves runs to the inspector of XState v4. @param port 0 for any free port. */
export async function serveOldInspector(port = 0): Promise<OldInspectorServer> {
  const { address, ...server } = await serveActors({
    port,
    unref: false,
    origins: ['https://stately.ai', 'https://www.stately.ai'],
    translator: v4Translator,
  });
  return { url: `https://stately.ai/viz?inspect&server=${address}`, server: address, ...server };
}
