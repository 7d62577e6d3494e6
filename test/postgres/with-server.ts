/**
 * Tests that share a server of PostgreSQL.
 *
 * @module
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { serverMissing, startServer, type Server } from './server.ts';

/** Describes tests that share one server. It starts before the first of them. Without one they are skipped, and their name says why. */
export function describeWithServer(
  name: string,
  body: (server: Pick<Server, 'address' | 'socket' | 'ask'>) => void,
): void {
  const missing = serverMissing();
  describe.skipIf(missing)(`${name}${missing === undefined ? '' : ` (${missing})`}`, () => {
    let server: Server;
    beforeAll(async () => {
      server = await startServer();
    }, 120_000);
    afterAll(() => server.remove());
    body({
      get address() {
        return server.address;
      },
      get socket() {
        return server.socket;
      },
      ask: (...given) => server.ask(...given),
    });
  });
}
