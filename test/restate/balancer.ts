/**
 * One address for several workers: each call of a handler goes to the next one that is there.
 *
 * @module
 */
import { connect, createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** An address for workers. */
export interface Balancer {
  readonly uri: string;
  readonly stop: () => Promise<void>;
}

/** Starts one. @param ports Returns the ports of the workers, whenever a call comes. */
export async function startBalancer(ports: () => readonly number[]): Promise<Balancer> {
  let turn = 0;
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    const all = ports();
    turn += 1;
    const session = connect(`http://127.0.0.1:${all[turn % all.length] ?? 0}`);
    const lose = () => {
      session.destroy();
      if (!stream.destroyed) stream.close(2);
    };
    session.on('error', lose);
    const call = session.request({ ...headers, ':authority': undefined });
    call.on('error', lose);
    stream.on('error', lose);
    stream.on('close', () => session.destroy());
    call.on('response', (answer) => {
      if (!stream.destroyed) stream.respond(answer);
    });
    call.on('close', lose);
    call.on('end', () => session.close());
    stream.pipe(call);
    call.pipe(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    uri: `http://127.0.0.1:${address.port}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}
