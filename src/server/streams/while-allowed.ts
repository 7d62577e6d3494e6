/**
 * Streams of users whose rights may end.
 *
 * @module
 */

/**
 * Yields the texts of a stream while its user may read them. Before a text it asks again, if the last answer is 5 seconds old.
 *
 * @param mayStay Resolves to false if the user may not. If it rejects, the stream fails.
 */
export async function* whileAllowed(
  texts: AsyncGenerator<string>,
  mayStay: () => Promise<boolean>,
): AsyncGenerator<string> {
  let askedAt = performance.now();
  for await (const text of texts) {
    if (performance.now() - askedAt >= CHECK_MS) {
      if (!(await mayStay())) return;
      askedAt = performance.now();
    }
    yield text;
  }
}

// --- internal ---

const CHECK_MS = 5000;
