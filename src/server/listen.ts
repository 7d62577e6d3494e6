/**
 * A port of this machine.
 *
 * @module
 */
import type { ServerType } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import { PhasegateError, type ErrorCode } from '../model/errors/phasegate-error.ts';

/** Not `localhost`, which is another address on some machines, and not every address: others on the network have no business here. */
export const HOST = '127.0.0.1';

/**
 * How a server keeps connections. Who connects and asks nothing makes room again soon; one that is idle is kept for longer than
 * browsers do: an answer must not be sent on one that is just being closed.
 */
export const connections = {
  headersTimeout: 5000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 310_000,
} as const;

/**
 * Has a server listen, to so many at once that all files that the process may have open are never taken: whoever can reach the
 * port could do so, and the process may be the one that works on a run.
 *
 * @param port 0 for any that is free.
 * @returns The port.
 * @throws PhasegateError `PORT_UNUSABLE`, `INPUT_INVALID`
 */
export function listen(server: ServerType, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.maxConnections = MOST_CONNECTIONS;
    const fail = (thrown: Error) => reject(problemOf(thrown, port));
    server.once('error', fail);
    try {
      server.listen(port, HOST, () => {
        server.off('error', fail);
        const address: AddressInfo | string | null = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    } catch (thrown) {
      reject(problemOf(thrown, port));
    }
  });
}

// --- internal ---

/** Ten browsers, with all the connections that each makes. */
const MOST_CONNECTIONS = 64;

type Known = readonly [code: ErrorCode, found: string, hint: string];

const KNOWN: ReadonlyMap<unknown, Known> = new Map<unknown, Known>([
  ['EADDRINUSE', ['PORT_UNUSABLE', 'it is in use', 'Name another port, or none for any that is free.']],
  ['EACCES', ['PORT_UNUSABLE', 'this user may not use it', 'Name a port above 1023.']],
  ['ERR_SOCKET_BAD_PORT', ['INPUT_INVALID', 'there is none of that number', 'Name one from 0 to 65535.']],
]);

function problemOf(thrown: unknown, port: number): unknown {
  const known = KNOWN.get(thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined);
  if (!known) return thrown;
  const [code, found, hint] = known;
  return new PhasegateError(code, `Cannot serve the dashboard on port ${port} as ${found}`, { hint, cause: thrown });
}
