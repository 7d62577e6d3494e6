/**
 * Keeping a stream for oneself while the code of a pipeline goes on writing to it.
 *
 * @module
 */
import type { OutputStream } from './program-io.ts';

/** A stream that others no longer write to. */
export interface CapturedWrites {
  /** Writes to the stream itself. */
  write(text: string): void;
  /** Runs code whose writes go to the stream itself. It must not be asynchronous. */
  direct(code: () => void): void;
  /** Gives the stream back. */
  release(): void;
}

/** Sends what others write to a stream elsewhere. @param elsewhere Gets their text, in order. */
export function captureWrites(stream: OutputStream, elsewhere: (text: string) => void): CapturedWrites {
  const original = stream.write.bind(stream);
  const decoder = new TextDecoder();
  let own = false;
  let isReleased = false;

  function write(
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean {
    // Who had this function before goes on to call it.
    if (own || isReleased)
      return typeof encoding === 'string' ? original(chunk, encoding, done) : original(chunk, encoding ?? done);
    elsewhere(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
    const callback = typeof encoding === 'function' ? encoding : done;
    if (callback) queueMicrotask(callback);
    return true;
  }

  function direct(code: () => void): void {
    own = true;
    try {
      code();
    } finally {
      own = false;
    }
  }

  stream.write = write;
  return {
    write: (text) => direct(() => stream.write(text)),
    direct,
    release: () => {
      isReleased = true;
      stream.write = original;
    },
  };
}
