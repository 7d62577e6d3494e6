/**
 * Exclusive use of a stream while the code of a pipeline also writes to it.
 *
 * @module
 */
import type { OutputStream } from './program-io.ts';

/** A stream whose other writers are redirected. */
export interface CapturedWrites {
  /** Writes to the real stream. */
  write(text: string): void;
  /** Runs code whose writes go to the real stream. The code must be synchronous. */
  direct(code: () => void): void;
  /** Restores the stream. */
  release(): void;
}

/** Redirects what other code writes to a stream. @param elsewhere Receives their text, in order. */
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
    // Code that holds a reference to this function may call it after the release.
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
