/**
 * Streams of events that do not end by themselves.
 *
 * @module
 */

/** What is done with each kind of event. */
export type Hearing = Readonly<Record<string, (event: MessageEvent<string>) => void>>;

/**
 * Listens, and listens again where the browser has given up. It asks again by itself where a connection is cut, but not where an
 * answer refuses it, as that of a server that was started anew does until its address is opened.
 *
 * @param address The one to begin at, asked for each time.
 * @param hearing `error` is told of every cut, and of what the server itself calls an error.
 * @returns Ends it.
 */
export function listen(address: () => string, hearing: Hearing): () => void {
  let source: EventSource | undefined;
  let timer = 0;
  const open = () => {
    const next = new EventSource(address());
    source = next;
    for (const [name, hear] of Object.entries(hearing)) next.addEventListener(name, hear);
    next.addEventListener('error', () => {
      if (next.readyState === EventSource.CLOSED && next === source) timer = window.setTimeout(open, AGAIN_MS);
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
}

// --- internal ---

const AGAIN_MS = 3000;
