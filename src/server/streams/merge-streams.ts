/**
 * Merges several streams into one.
 *
 * @module
 */

/** Yields the texts of all streams as they come. It reads each one text ahead at most, and ends them all when it ends. */
export async function* mergeStreams(streams: readonly AsyncGenerator<string>[]): AsyncGenerator<string> {
  const coming = new Map(streams.map((stream) => [stream, nextOf(stream)]));
  try {
    while (coming.size > 0) {
      const { stream, next } = await Promise.race(coming.values());
      if (next.done) {
        coming.delete(stream);
        continue;
      }
      yield next.value;
      coming.set(stream, nextOf(stream));
    }
  } finally {
    // A stream that is waiting ends with its next text, or when its signal aborts.
    for (const stream of streams) void stream.return(undefined);
  }
}

// --- internal ---

interface Coming {
  readonly stream: AsyncGenerator<string>;
  readonly next: IteratorResult<string>;
}

async function nextOf(stream: AsyncGenerator<string>): Promise<Coming> {
  return { stream, next: await stream.next() };
}
