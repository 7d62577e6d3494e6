/**
 * Event streams by a shared worker.
 *
 * @module
 */
import type { EventHandlers, Wanted } from './stream.ts';
import type { FromHub, ToHub } from './stream-hub.ts';

/**
 * Listens to the one stream of the browser.
 *
 * @param onLost Called if the worker does not answer. Then the page needs a stream of its own.
 * @returns A function that ends it; `undefined` if the browser has no shared workers, or this one was lost.
 */
export function listenShared(
  wanted: () => Wanted | undefined,
  handlers: EventHandlers,
  onLost: () => void,
): (() => void) | undefined {
  const port = portOfHub();
  if (!port) return undefined;
  const watch = (watches += 1);
  const { run, after } = wanted() ?? { run: null, after: 0 };
  const lose = () => {
    end();
    lost = true;
    onLost();
  };
  const timer = setTimeout(lose, PATIENCE_MS);
  const hear = ({ data }: MessageEvent<FromHub>) => {
    // Events for an earlier request may still come.
    if (data.watch !== watch) return;
    clearTimeout(timer);
    if (data.type === 'ready') return;
    const { name, data: text } = data;
    // A lost connection has no data, and handlers tell it by that.
    const event = text === null ? new Event(name) : new MessageEvent(name, { data: text });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as of EventSource, whose events are typed so
    handlers[name]?.(event as MessageEvent<string>);
  };
  const end = () => {
    clearTimeout(timer);
    port.removeEventListener('message', hear);
    worker?.removeEventListener('error', lose);
    post(port, { type: 'leave' });
  };
  port.addEventListener('message', hear);
  worker?.addEventListener('error', lose);
  post(port, { type: 'watch', watch, base: new URL('.', document.baseURI).href, run, after });
  return end;
}

// --- internal ---

/** Milliseconds until a worker that does not answer is given up. */
const PATIENCE_MS = 5000;

let worker: SharedWorker | undefined;
let lost = false;
let watches = 0;

function portOfHub(): MessagePort | undefined {
  if (lost || typeof SharedWorker === 'undefined') return undefined;
  if (!worker) {
    try {
      worker = new SharedWorker(new URL('stream-worker.ts', import.meta.url), { type: 'module', name: 'phasegate' });
      worker.port.start();
    } catch {
      lost = true;
      return undefined;
    }
  }
  return worker.port;
}

function post(port: MessagePort, message: ToHub): void {
  port.postMessage(message);
}
