/**
 * Listens on a port of this machine.
 *
 * @module
 */
import type { AddressInfo, Server } from 'node:net';
import { codeOf, PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';

/** Not `localhost`, which is another address on some machines; nor all addresses, as the network must not reach the server. */
export const HOST = '127.0.0.1';

/**
 * Timeouts of connections. A connection without a request is closed soon. An idle one stays open longer than in browsers: they
 * must not send a request on a connection that the server is just closing.
 */
export const connections = {
  headersTimeout: 5000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 310_000,
} as const;

/**
 * Makes a server listen on the loopback address. The number of connections is limited: any user of the machine can reach the
 * port, and must not use up the file descriptors of this process, which may also execute a run.
 *
 * @param port 0 for any free port.
 * @param what Its content, for errors.
 * @returns The port.
 * @throws PhasegateError `PORT_UNUSABLE`, `INPUT_INVALID`
 */
export function listen(server: Server, port: number, what = 'the dashboard'): Promise<number> {
  return new Promise((resolve, reject) => {
    server.maxConnections = MOST_CONNECTIONS;
    const fail = (thrown: Error) => reject(problemOf(thrown, port, what));
    server.once('error', fail);
    try {
      server.listen(port, HOST, () => {
        server.off('error', fail);
        const address: AddressInfo | string | null = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    } catch (thrown) {
      reject(problemOf(thrown, port, what));
    }
  });
}

// --- internal ---

/** Enough for ten browsers with six connections each. */
const MOST_CONNECTIONS = 64;

type Known = readonly [code: ErrorCode, found: string, hint: string];

const KNOWN: ReadonlyMap<string, Known> = new Map<string, Known>([
  ['EADDRINUSE', ['PORT_UNUSABLE', 'it is in use', 'Name another port, or none for any free port.']],
  ['EACCES', ['PORT_UNUSABLE', 'this user may not use it', 'Name a port above 1023.']],
  ['ERR_SOCKET_BAD_PORT', ['INPUT_INVALID', 'no port has this number', 'Name one from 0 to 65535.']],
]);

function problemOf(thrown: unknown, port: number, what: string): unknown {
  const known = KNOWN.get(codeOf(thrown));
  if (!known) return thrown;
  const [code, found, hint] = known;
  return new PhasegateError(code, `Cannot serve ${what} on port ${port} as ${found}`, { hint, cause: thrown });
}
