/**
 * The server between inspected runs and their viewers: a WebSocket, and a page for browsers.
 *
 * @module
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { InspectionEvent } from 'xstate';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { createToken, LOOPBACK, refusalOf } from './access.ts';
import { createActorRegistry, isActorInspection } from './actor-registry.ts';
import type { Page } from './page.ts';
import { createViewer, type Translator, type Viewer } from './viewer.ts';

/** Options of {@link serveActors}. */
export interface ActorsServerOptions {
  /** The port to listen on; 0 for any free port. */
  readonly port: number;
  /** True to let the process end while no viewer is connected. */
  readonly unref: boolean;
  /** Creates the page; absent for a server without one. */
  readonly page?: (() => Page) | undefined;
  /** Origins of pages that may read, in addition to those of this machine. */
  readonly origins: readonly string[];
  readonly translator: Translator;
}

/** A running server. */
export interface ActorsServer {
  /** Its address with the secret, but without the protocol. */
  readonly address: string;
  /** Takes inspection events of XState. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Ends the server, after each viewer has received its pending messages, or has not read for a second. */
  close(): Promise<void>;
}

/** Starts a server. @throws PhasegateError `PORT_UNUSABLE` if the port is in use or not valid. */
export async function serveActors(options: ActorsServerOptions): Promise<ActorsServer> {
  const { port, unref, page, origins, translator } = options;
  const token = createToken();
  const registry = createActorRegistry(MOST_ENDED);
  const viewers = new Map<WebSocket, Viewer>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE, perMessageDeflate: false });
  const server = createServer(CONNECTIONS, (request, response) => {
    const refusal = refusalOf(request, token, []) ?? (page ? undefined : 404);
    if (refusal) response.writeHead(refusal, { connection: 'close' }).end();
    else if (page) answer(page());

    function answer({ headers, html }: Page): void {
      response.writeHead(200, headers).end(html);
    }
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = refusalOf(request, token, origins);
    if (refusal) refuse(socket, refusal);
    else if (viewers.size >= MOST_VIEWERS) refuse(socket, 503);
    else sockets.handleUpgrade(request, socket, head, addViewer);
  });

  function addViewer(socket: WebSocket): void {
    // The viewer notices lost messages by the end of the connection.
    socket.on('error', () => socket.terminate());
    socket.on('close', () => viewers.delete(socket));
    const viewer = createViewer(translator, registry, {
      send: (text, sent) => socket.send(text, (error) => error ?? sent()),
      get waiting() {
        return socket.bufferedAmount;
      },
    });
    viewers.set(socket, viewer);
  }

  server.maxConnections = MOST_CONNECTIONS;
  const address = `${LOOPBACK}:${await listen(server, port)}/${token}/`;
  if (unref) server.unref();
  return {
    address,
    inspect(event) {
      if (!isActorInspection(event)) return;
      const dropped = registry.record(event);
      for (const viewer of viewers.values()) viewer.pass(event, dropped);
    },
    async close() {
      server.close();
      await Promise.all([...viewers].map(([socket, viewer]) => closeViewer(socket, viewer)));
      server.closeAllConnections();
    },
  };
}

// --- internal ---

/**
 * The most connections, and the most viewers among them. Any user of the machine can reach the port, and must not use up the file
 * descriptors of this process, which executes runs. Each viewer that does not read takes some megabytes.
 */
const MOST_CONNECTIONS = 64;
const MOST_VIEWERS = 16;

/** In milliseconds. A connection without a request is closed soon. */
const CONNECTIONS = { headersTimeout: 5000, connectionsCheckingInterval: 1000 };

/** Refuses a WebSocket request, and closes its socket. Errors of the socket are ignored. */
function refuse(socket: Duplex, status: number): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\n\r\n`, () => socket.destroy());
}

/** Ended statecharts that new viewers still see. */
const MOST_ENDED = 2_000;

/** Bytes of a message from a viewer. The server ignores all of them. */
const LARGEST_MESSAGE = 65_536;

/** Milliseconds that a viewer gets to read its pending messages. */
const PATIENCE = 1_000;

/** Closes the connection of a viewer after its pending messages; terminates it if that takes too long. */
async function closeViewer(socket: WebSocket, viewer: Viewer): Promise<void> {
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const timer = setTimeout(() => socket.terminate(), PATIENCE);
  await Promise.race([viewer.settled(), gone]);
  socket.close(GOING_AWAY);
  await gone;
  clearTimeout(timer);
}

/** The close code of a WebSocket for a server that ends. */
const GOING_AWAY = 1001;

/** Makes the server listen. @returns The port. */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // The listener also stays while the server runs: an error of a connection must not end the process.
    server.on('error', (cause) => reject(unusable(port, cause)));
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
    hint: 'Name another port, or none for any free port.',
    cause,
  });
}

function foundOf(cause: unknown): string {
  switch (Reflect.get(Object(cause), 'code')) {
    case 'EADDRINUSE':
      return 'it is in use';
    case 'EACCES':
      return 'this user may not use it';
    case 'ERR_SOCKET_BAD_PORT':
      return 'it is not a port from 0 to 65535';
    default:
      return `the system says: ${String(Reflect.get(Object(cause), 'message'))}`;
  }
}
