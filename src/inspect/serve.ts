/**
 * The server between inspected runs and those who look at them: a page for browsers, and a WebSocket for anything.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { InspectionEvent } from 'xstate';
import { PhasegateError } from '../model/errors.ts';
import { createToken, LOOPBACK, refusalOf } from './access.ts';
import { createCast, isTold } from './cast.ts';
import { pageOf } from './page.ts';
import { loadStately } from './stately.ts';
import { createViewer, type Viewer } from './viewer.ts';

/** Options of {@link serveInspector}. */
export interface InspectorServerOptions {
  /** The port to listen on. @default 0, which is any that is free */
  readonly port?: number | undefined;
  /** The address of the inspector that the page shows. @default 'https://stately.ai/inspect' */
  readonly inspector?: string | undefined;
  /** Whether the process may end while this is served, and serves nobody. @default false */
  readonly unref?: boolean | undefined;
}

/** A server that is listening. */
export interface InspectorServer {
  /** The page to open in a browser. Whoever knows this address can read the run from this machine. */
  readonly url: string;
  /** The WebSocket of the page, for programs: `createWebSocketReceiver({ server: socketUrl })`. */
  readonly socketUrl: string;
  /** Give it to `startRun`, `resumeRun`, `retryFailed` or `createActor`; to several of them, if you like. */
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
  const stately = await loadStately();
  const token = createToken();
  const cast = createCast(MOST_ENDED);
  const viewers = new Map<WebSocket, Viewer>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_QUESTION, perMessageDeflate: false });
  const server = createServer((request, response) => {
    const refusal = refusalOf(request, token, []);
    if (refusal) {
      response.writeHead(refusal).end();
      return;
    }
    const page = pageOf(inspector, randomBytes(16).toString('base64'));
    response.writeHead(200, page.headers).end(page.html);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = refusalOf(request, token, [inspector.origin]);
    if (refusal) socket.end(`HTTP/1.1 ${refusal} Refused\r\nConnection: close\r\n\r\n`);
    else sockets.handleUpgrade(request, socket, head, welcome);
  });

  function welcome(socket: WebSocket): void {
    // What cannot be sent any more is told by the end of the connection.
    socket.on('error', () => socket.terminate());
    socket.on('close', () => viewers.delete(socket));
    const viewer = createViewer(stately, cast, {
      send: (text, sent) => socket.send(text, (error) => error ?? sent()),
      get waiting() {
        return socket.bufferedAmount;
      },
    });
    viewers.set(socket, viewer);
  }

  const address = `${LOOPBACK}:${await listen(server, port)}/${token}/`;
  if (unref) server.unref();
  return {
    url: `http://${address}`,
    socketUrl: `ws://${address}`,
    inspect(event) {
      if (!isTold(event)) return;
      const dropped = cast.note(event);
      for (const viewer of viewers.values()) viewer.tell(event, dropped);
    },
    async close() {
      server.close();
      await Promise.all([...viewers].map(([socket, viewer]) => part(socket, viewer)));
      server.closeAllConnections();
    },
  };
}

// --- internal ---

/** Statecharts that have ended and are still shown to whoever comes. */
const MOST_ENDED = 2_000;

/** Bytes of a message from a viewer. They have nothing to say. */
const LARGEST_QUESTION = 1024;

/** Milliseconds for a viewer to read what is left for it. */
const PATIENCE = 1_000;

/** Parts from a viewer in good order, or else without. */
async function part(socket: WebSocket, viewer: Viewer): Promise<void> {
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const timer = setTimeout(() => socket.terminate(), PATIENCE);
  await Promise.race([viewer.settled(), gone]);
  socket.close(GOING_AWAY);
  await gone;
  clearTimeout(timer);
}

/** What WebSockets say when a server ends. */
const GOING_AWAY = 1001;

/** @returns The port that it listens on. */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(unusable(port, cause)));
    try {
      server.listen(port, LOOPBACK, () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    } catch (cause) {
      reject(unusable(port, cause));
    }
  });
}

function unusable(port: number, cause: unknown): PhasegateError {
  return new PhasegateError('PORT_UNUSABLE', `Cannot serve the inspector on port ${port} as ${foundOf(cause)}`, {
    hint: 'Name another port, or none for any that is free.',
    cause,
  });
}

function foundOf(cause: unknown): string {
  switch (Reflect.get(Object(cause), 'code')) {
    case 'EADDRINUSE':
      return 'it is in use';
    case 'EACCES':
      return 'this user may not';
    case 'ERR_SOCKET_BAD_PORT':
      return 'it is no port';
    default:
      return `the system says: ${String(Reflect.get(Object(cause), 'message'))}`;
  }
}
