/**
 * Event streams that reconnect.
 *
 * @module
 */
import { addressOf } from './address.ts';
import { listenShared } from './shared-stream.ts';

/** A handler for each type of event. */
export type EventHandlers = Readonly<Record<string, (event: MessageEvent<string>) => void>>;

/** A run whose records a page needs. */
export interface Wanted {
  readonly run: string;
  /** The number of the last record that the page has. */
  readonly after: number;
}

/**
 * Listens to changes, and to the records of a run. All pages of a browser share a stream, if the browser has shared workers.
 *
 * @param wanted Returns the run. It is called each time the stream opens.
 * @param handlers `error` gets every lost connection, and every error that the server sends.
 * @returns A function that ends it.
 */
export function listen(wanted: () => Wanted | undefined, handlers: EventHandlers): () => void {
  let end = listenShared(wanted, handlers, () => (end = listenAlone(wanted, handlers)));
  end ??= listenAlone(wanted, handlers);
  return () => end?.();
}

// --- internal ---

const AGAIN_MS = 3000;

/**
 * Listens to a stream of its own, and opens it again after the browser has given up. The browser itself reconnects a lost
 * connection. It gives up if the server refuses it, as a restarted server does until its address is opened.
 */
function listenAlone(wanted: () => Wanted | undefined, handlers: EventHandlers): () => void {
  let source: EventSource | undefined;
  let timer = 0;
  const open = () => {
    const next = new EventSource(addressOf(pathOf(wanted())));
    source = next;
    for (const [name, handle] of Object.entries(handlers)) next.addEventListener(name, handle);
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

function pathOf(wanted: Wanted | undefined): string {
  if (!wanted) return '/api/changes';
  const { run, after } = wanted;
  return `/api/changes?${new URLSearchParams({ run, ...(after > 0 && { after: String(after) }) }).toString()}`;
}
