/**
 * Runs in the inspector of XState v4, a page of the web that reads a WebSocket of this machine.
 *
 * @module
 */
import { serveActors, type ActorsServer } from '../../src/inspect/inspector-server.ts';
import { oldLanguage } from './language.ts';

/** A server that is listening. */
export interface OldInspectorServer extends Omit<ActorsServer, 'address'> {
  /** The page to open. It is of the web, and has the address of the run in its own. */
  readonly url: string;
  /** What it reads, without the protocol: `createWebSocketReceiver({ server })` takes it. */
  readonly server: string;
}

/** Serves runs to the inspector of XState v4. @param port 0 for any that is free. */
export async function serveOldInspector(port = 0): Promise<OldInspectorServer> {
  const { address, ...server } = await serveActors({
    port,
    unref: false,
    origins: ['https://stately.ai', 'https://www.stately.ai'],
    language: oldLanguage,
  });
  return { url: `https://stately.ai/viz?inspect&server=${address}`, server: address, ...server };
}
