/**
 * A proxy between the store and the server, which loses statements or their answers.
 *
 * @module
 */
import { createConnection, createServer, type Socket } from 'node:net';

/**
 * Loses what a connection sends, or what the server answers to it, and cuts the connection. `silence` loses the answer and all that follows,
 * and does not cut it, as a network does that drops packets.
 */
export type Loss = 'statement' | 'answer' | 'silence';

/** A proxy on a port of this machine. */
export interface Proxy {
  /** Its address, as `postgresStore` takes it. */
  readonly address: string;
  /** Loses the next statement with a text, or the answer to it. @returns A promise of the cut. */
  readonly lose: (loss: Loss, text: string) => Promise<void>;
  /** Resolves when a client sends a text. */
  readonly sees: (text: string) => Promise<void>;
  /** The names of the parameters with which the latest connection began. */
  readonly parameters: () => readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Starts a proxy for a server.
 *
 * @param socket The path of its Unix socket.
 * @param isDeaf True to drop notifications, as a pooler does that gives each transaction another connection.
 */
export async function startProxy(socket: string, isDeaf = false): Promise<Proxy> {
  let wanted: { readonly loss: Loss; readonly text: string; readonly cut: () => void } | undefined;
  let parameters: readonly string[] = [];
  const seen = new Map<string, () => void>();
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = createConnection(socket);
    const filter = withoutNotifications();
    let isLost = false;
    let isSilent = false;
    let isFirst = true;
    const cut = () => {
      client.destroy();
      server.destroy();
    };
    for (const one of [client, server]) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        // The server does not hear that a silent client is gone.
        if (!isSilent) cut();
      });
    }
    client.on('data', (data) => {
      if (isFirst) parameters = namesIn(data);
      isFirst = false;
      for (const [text, resolve] of seen) if (data.includes(text)) resolve();
      if (isSilent) return;
      if (wanted && data.includes(wanted.text)) {
        const { loss, cut: done } = wanted;
        wanted = undefined;
        done();
        if (loss === 'statement') return cut();
        isLost = loss === 'answer';
        isSilent = loss === 'silence';
      }
      server.write(data);
    });
    server.on('data', (data) => {
      // The answer is lost only after the server has sent it, as it has done the work then.
      if (isLost) cut();
      else if (!isSilent) client.write(isDeaf ? filter(data) : data);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    address: `postgres://postgres@127.0.0.1:${port}/postgres`,
    lose: (loss, text) => new Promise((resolve) => (wanted = { loss, text, cut: resolve })),
    sees: (text) => new Promise((resolve) => seen.set(text, resolve)),
    parameters: () => parameters,
    async close() {
      for (const one of sockets) one.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

// --- internal ---

/** Drops notifications from what a server sends. A message is a letter, its length without the letter, and its content. */
function withoutNotifications(): (data: Buffer) => Buffer {
  let rest = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    const kept: Buffer[] = [];
    while (rest.length >= 5) {
      const size = 1 + rest.readInt32BE(1);
      if (rest.length < size) break;
      if (rest.toString('latin1', 0, 1) !== 'A') kept.push(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    return Buffer.concat(kept);
  };
}

/** The names in the first message of a connection: its length, a version, then names and values that end with a zero. */
function namesIn(message: Buffer): readonly string[] {
  const texts = message.subarray(8).toString('utf8').split('\0');
  return texts.filter((text, at) => at % 2 === 0 && text !== '');
}
