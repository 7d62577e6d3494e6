/**
 * Server-sent events.
 *
 * Each chunk is made when the connection has room for it. So a slow or stopped reader holds one chunk in memory at most.
 *
 * A browser opens six connections to a host at most, over all its tabs, and a stream takes one of them until it ends. So all
 * visible tabs share one, or have one each if the browser has no shared workers. HTTP/2 would remove the limit, but browsers use it
 * over TLS only, and a loopback address has no certificate.
 *
 * @module
 */

/** The open streams. The server aborts them when it closes. */
export type OpenStreams = Set<AbortController>;

/** Formats one event. @param data JSON. */
export function eventText(name: string, data: unknown, id?: number): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A comment that is sent if nothing happens. It makes a closed connection visible to the server. */
export const HEARTBEAT = ':\n\n';

/** Milliseconds between heartbeats. */
export const HEARTBEAT_MS = 15_000;

/**
 * Creates a streaming response. @param makeTexts Yields text until the signal aborts: when the reader is gone, or the server closes.
 */
export function eventStream(makeTexts: (signal: AbortSignal) => AsyncGenerator<string>, open: OpenStreams): Response {
  const leave = new AbortController();
  const texts = makeTexts(leave.signal);
  const encoder = new TextEncoder();
  let isGone = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Not earlier: a HEAD request never reads the body.
        open.add(leave);
        let isOver = true;
        try {
          const next = await texts.next();
          isOver = next.done === true;
          if (isGone) return;
          if (next.done) controller.close();
          else controller.enqueue(encoder.encode(next.value));
        } finally {
          if (isOver) open.delete(leave);
        }
      },
      cancel() {
        isGone = true;
        open.delete(leave);
        leave.abort();
        // The generator may be suspended at a yield, if the reader has not asked for more.
        void texts.return(undefined);
      },
    },
    // Nothing is produced before the reader asks for it.
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

/** Yields the texts of a stream, and then a `closing` event if the stream ended because the server is about to close. */
export async function* withClosing(texts: AsyncGenerator<string>, farewell: AbortSignal): AsyncGenerator<string> {
  yield* texts;
  if (farewell.aborted) yield eventText('closing', {});
}

/** Yields the texts of a stream with something after the name of each event, so that a reader of several streams knows which it is of. */
export async function* withName(texts: AsyncGenerator<string>, name: string): AsyncGenerator<string> {
  for await (const text of texts) {
    const end = text.startsWith(NAME) ? text.indexOf('\n') : -1;
    yield end < 0 ? text : `${text.slice(0, end)} ${name}${text.slice(end)}`;
  }
}

const NAME = 'event: ';

/** Wakes the one caller that waits. A ring without a caller is stored for the next wait. */
export interface Bell {
  ring(): void;
  /** Waits for a ring. @returns True if it rang; `false` after the time is over. */
  wait(ms: number): Promise<boolean>;
  /** Removes the listeners from the signals, which may outlive the bell. They no longer ring it. */
  close(): void;
}

/** Creates a bell. @param signals Aborting one of them rings the bell. */
export function createBell(...signals: readonly AbortSignal[]): Bell {
  let hasRung = false;
  let wake: (() => void) | undefined;

  function ring(): void {
    hasRung = true;
    wake?.();
  }

  for (const signal of signals) {
    signal.addEventListener('abort', ring, { once: true });
    if (signal.aborted) hasRung = true;
  }
  return {
    ring,
    async wait(ms) {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      const was = hasRung;
      hasRung = false;
      return was;
    },
    close() {
      for (const signal of signals) signal.removeEventListener('abort', ring);
    },
  };
}

/** Resolves when it is the caller's turn. Then the caller does one piece of synchronous work. */
export type Turns = () => Promise<void>;

/** Creates turns: each caller begins one piece of work at a time, round and round. Sockets, timers and requests are served between any two of them. */
export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  function next(): void {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  }
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
}
