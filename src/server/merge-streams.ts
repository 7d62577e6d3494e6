/**
 * Several streams as one.
 *
 * @module
 */

/** Gives what each gives, as it comes. Each is one text ahead at most, and all are ended with this one. */
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
    // One that waits for something ends when that comes, or its signal is aborted.
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
