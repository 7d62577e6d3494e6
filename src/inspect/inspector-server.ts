/**
 * The server between inspected runs and those who look at them: a WebSocket, and a page for browsers.
 *
 * @module
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { InspectionEvent } from 'xstate';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { createToken, LOOPBACK, refusalOf } from './access.ts';
import { createCast, isTold } from './actor-registry.ts';
import type { Page } from './page.ts';
import { createViewer, type Language, type Viewer } from './viewer.ts';

/** What a server is made of. */
export interface ActorsServerOptions {
  /** The port to listen on; 0 for any that is free. */
  readonly port: number;
  /** Whether the process may end while nobody is served. */
  readonly unref: boolean;
  /** Makes the page; absent for none. */
  readonly page?: (() => Page) | undefined;
  /** Origins, beside those of this machine, whose pages may read. */
  readonly origins: readonly string[];
  readonly language: Language;
}

/** A server that is listening. */
export interface ActorsServer {
  /** Its address without the protocol, with the secret in it. */
  readonly address: string;
  /** Takes what XState tells. */
  readonly inspect: (event: InspectionEvent) => void;
  /** Ends it, once whoever is connected has got what was to be told, or has not read it for a second. */
  close(): Promise<void>;
}

/** Starts a server. @throws PhasegateError `PORT_UNUSABLE` where the port is in use or is none. */
export async function serveActors(options: ActorsServerOptions): Promise<ActorsServer> {
  const { port, unref, page, origins, language } = options;
  const token = createToken();
  const registry = createCast(MOST_ENDED);
  const viewers = new Map<WebSocket, Viewer>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_QUESTION, perMessageDeflate: false });
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
    else sockets.handleUpgrade(request, socket, head, welcome);
  });

  function welcome(socket: WebSocket): void {
    // What cannot be sent any more is told by the end of the connection.
    socket.on('error', () => socket.terminate());
    socket.on('close', () => viewers.delete(socket));
    const viewer = createViewer(language, registry, {
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
      if (!isTold(event)) return;
      const dropped = registry.note(event);
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

/**
 * Connections at once, of which so many are viewers: whoever can reach the port must not take all files that the process may have
 * open, as it works on runs, and each viewer that does not read takes some megabytes.
 */
const MOST_CONNECTIONS = 64;
const MOST_VIEWERS = 16;

/** In milliseconds: who connects and asks nothing makes room again soon. */
const CONNECTIONS = { headersTimeout: 5000, connectionsCheckingInterval: 1000 };

/** Answers who asked for a WebSocket, and hangs up; that may fail, and concerns nobody. */
function refuse(socket: Duplex, status: number): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\n\r\n`, () => socket.destroy());
}

/** Statecharts that have ended and are still shown to whoever comes. */
const MOST_ENDED = 2_000;

/** Bytes of a message from a viewer. Nothing that viewers say is heeded. */
const LARGEST_QUESTION = 65_536;

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
    // Also for as long as it listens: what goes wrong with a connection must not end the process.
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
