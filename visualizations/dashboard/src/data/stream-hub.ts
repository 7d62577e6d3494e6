/**
 * The one event stream of a browser, for all its pages of a dashboard.
 *
 * @module
 */

/** A message of a page. */
export type ToHub =
  | {
      readonly type: 'watch';
      /** The number of the request. Later messages to the page have it. */
      readonly watch: number;
      /** The address of the server, with a slash at its end. */
      readonly base: string;
      /** The run whose records the page also needs; `null` for none. */
      readonly run: string | null;
      /** The number of the last record that the page has. */
      readonly after: number;
    }
  | { readonly type: 'leave' };

/** A message to a page. */
export type FromHub =
  | { readonly type: 'ready'; readonly watch: number }
  | {
      readonly type: 'event';
      readonly watch: number;
      readonly name: string;
      /** `null` for an event without data, such as a lost connection. */
      readonly data: string | null;
    };

/** Creates the hub. @returns A function that adds the port of a page. */
export function createHub(): (port: MessagePort) => void {
  const readers = new Map<MessagePort, Reader>();
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;

  function send(to: (reader: Reader) => boolean, name: string, event: Event): void {
    const data = event instanceof MessageEvent ? String(event.data) : null;
    for (const [port, reader] of readers)
      if (to(reader)) port.postMessage({ type: 'event', watch: reader.watch, name, data } satisfies FromHub);
  }

  function open(): void {
    clearTimeout(timer);
    source?.close();
    source = undefined;
    const [first] = readers.values();
    if (!first) return;
    const runs = positionsOf(readers.values());
    const next = new EventSource(addressOf(first.base, runs));
    source = next;
    for (const name of OF_ALL) next.addEventListener(name, (event) => send(() => true, name, event));
    for (const run of runs.keys()) {
      for (const name of OF_A_RUN) {
        next.addEventListener(`${name} ${encodeURIComponent(run)}`, (event) => {
          const isReader = (reader: Reader) => reader.run === run;
          send(isReader, name, event);
          const last = name === 'records' ? Number(event.lastEventId) : 0;
          for (const reader of readers.values()) if (isReader(reader)) reader.after = Math.max(reader.after, last);
        });
      }
    }
    next.addEventListener('error', (event) => {
      send(() => true, 'error', event);
      // An error that the server sends has data. After a lost connection, the positions have changed.
      if (event instanceof MessageEvent || next !== source) return;
      next.close();
      timer = setTimeout(open, AGAIN_MS);
    });
  }

  /** Opens the stream again after the current messages. */
  function reopen(): void {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      open();
    });
  }

  return (port) => {
    const leave = () => {
      if (readers.delete(port)) reopen();
    };
    port.addEventListener('message', ({ data }: MessageEvent<ToHub>) => {
      if (data.type === 'leave') return leave();
      readers.set(port, { ...data });
      port.postMessage({ type: 'ready', watch: data.watch } satisfies FromHub);
      reopen();
    });
    // Not every browser tells that a page has crashed. Its place is then free when the last page is closed.
    port.addEventListener('close', leave);
    port.start();
  };
}

// --- internal ---

/** A page. */
interface Reader {
  readonly watch: number;
  readonly base: string;
  readonly run: string | null;
  /** The number of the last record that was sent to it. */
  after: number;
}

const OF_ALL = ['changed', 'closing', 'open'] as const;
const OF_A_RUN = ['records', 'caught-up', 'gone', 'unreadable'] as const;

/** Milliseconds until a lost stream is opened again. */
const AGAIN_MS = 3000;

/** The runs that pages need, each after the earliest record that one of them lacks. */
function positionsOf(readers: Iterable<Reader>): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (const { run, after } of readers) if (run !== null) runs.set(run, Math.min(runs.get(run) ?? after, after));
  return runs;
}

function addressOf(base: string, runs: ReadonlyMap<string, number>): string {
  const query = new URLSearchParams();
  for (const [run, after] of runs) {
    query.append('each', run);
    query.append('after', String(after));
  }
  return `${base}api/changes${runs.size === 0 ? '' : `?${query.toString()}`}`;
}
