/**
 * Answers that go on: server-sent events.
 *
 * Each chunk is made when the connection has room for it, so a reader that is slow, or has stopped to read, keeps nothing in
 * memory but one chunk.
 *
 * A browser opens six connections to a host at most, over all its tabs, and a stream takes one for as long as it goes on.
 * So the app has one for all that a tab wants to know, and only while the tab can be seen. HTTP/2 would lift that, but
 * browsers speak it over TLS only, for which there is no certificate on a loopback address.
 *
 * @module
 */

/** Streams that are open, to be ended with the server. */
export type OpenStreams = Set<AbortController>;

/** One event. @param data JSON. */
export function eventText(name: string, data: unknown, id?: number): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** What is sent where nothing happens, so that a connection that is gone is noticed. */
export const HEARTBEAT = ':\n\n';

/** Milliseconds between heartbeats. */
export const HEARTBEAT_MS = 15_000;

/** @param tell Gives text until the signal is aborted, which happens when the reader has gone or the server is closed. */
export function eventStream(tell: (signal: AbortSignal) => AsyncGenerator<string>, open: OpenStreams): Response {
  const leave = new AbortController();
  const texts = tell(leave.signal);
  const encoder = new TextEncoder();
  let isGone = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Not before: who asks with HEAD reads nothing.
        open.add(leave);
        const next = await texts.next();
        if (isGone) return;
        if (!next.done) controller.enqueue(encoder.encode(next.value));
        else {
          open.delete(leave);
          controller.close();
        }
      },
      cancel() {
        isGone = true;
        open.delete(leave);
        leave.abort();
        // It may stand where it has given a text and not been asked for another.
        void texts.return(undefined);
      },
    },
    // Nothing is made before it is asked for.
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

/** Gives what a stream gives, and after that the last word, where it has ended as the server is about to. */
export async function* withLastWord(texts: AsyncGenerator<string>, farewell: AbortSignal): AsyncGenerator<string> {
  yield* texts;
  if (farewell.aborted) yield eventText('closing', {});
}

/** Wakes one who waits; a ring that nobody waits for is kept for the next. */
export interface Bell {
  ring(): void;
  /** @returns Whether it rang; `false` where the time was over. */
  wait(ms: number): Promise<boolean>;
  /** Lets go of the signals, which may outlive it. It is not rung any more. */
  close(): void;
}

/** Makes a bell. @param signals Ring it, too. */
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
