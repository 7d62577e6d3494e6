/**
 * Event streams that reconnect.
 *
 * @module
 */

import { addressOf } from './address.ts';

/** A handler for each type of event. */
export type EventHandlers = Readonly<Record<string, (event: MessageEvent<string>) => void>>;

/**
 * Listens to a stream, and opens it again after the browser has given up. The browser itself reconnects a lost connection. It
 * gives up if the server refuses it, as a restarted server does until its address is opened.
 *
 * @param address Returns the address to open. It is called each time.
 * @param handlers `error` gets every lost connection, and every error that the server sends.
 * @returns A function that ends it.
 */
export function listen(address: () => string, handlers: EventHandlers): () => void {
  let source: EventSource | undefined;
  let timer = 0;
  const open = () => {
    const next = new EventSource(addressOf(address()));
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

// --- internal ---

const AGAIN_MS = 3000;
