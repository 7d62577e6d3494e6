/**
 * A dashboard server on a real store, and its clients: requests, and readers of its streams as in browsers.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { serveDashboard, type Dashboard, type DashboardOptions } from '../../src/dashboard.ts';
import type { RunStore } from '../../src/store.ts';
import { sqliteStore } from '../../src/sqlite.ts';

/** A response. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The options of a request. */
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An event of a stream. */
export interface StreamEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** A server with a cookie for it. */
export interface Served {
  readonly dashboard: Dashboard;
  readonly store: RunStore;
  readonly cookie: string;
  /** Sends a request without additional headers. */
  readonly ask: (path: string, asking?: Asking) => Promise<Answer>;
  /** Gets JSON, as the app does. */
  readonly get: (path: string) => Promise<JsonAnswer>;
  /** Posts JSON, as the app does. */
  readonly post: (path: string, body?: unknown) => Promise<JsonAnswer>;
  /** Reads a stream until the test leaves it, the server ends it, or `limit` events have come. */
  readonly events: (path: string, options?: Reading) => AsyncGenerator<StreamEvent>;
}

/** A response with a JSON body. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The options of reading a stream. */
export interface Reading {
  /** The id of the last event that was read before. */
  readonly lastId?: string | undefined;
  readonly limit?: number | undefined;
}

/** Creates a store in a temporary file, which the end of the test removes. */
export async function ownStore(): Promise<{ readonly store: RunStore; readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'phasegate-ui-'));
  const file = join(folder, 'runs.db');
  const store = sqliteStore(file);
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { store, file };
}

/** Serves a store, by default a new one, and requests the cookie. */
export async function served(options: DashboardOptions & { readonly store?: RunStore } = {}): Promise<Served> {
  const { store = (await ownStore()).store, ...rest } = options;
  const dashboard = await serveDashboard(store, rest);
  onTestFinished(() => dashboard.close());
  const cookie = await cookieOf(dashboard.url);
  return client(dashboard, store, cookie);
}

/** Exchanges the token for the cookie. */
export async function cookieOf(url: string): Promise<string> {
  const { headers } = await askAt(url);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

/** Sends a request without additional headers. */
export function askAt(url: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // A connection of its own: the next server on the port does not know those of the last one.
    const asked = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Waits until a condition holds. */
export async function until(holds: () => unknown): Promise<void> {
  const deadline = performance.now() + 100_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited for 100 s in vain for: ${String(holds)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// --- internal ---

function client(dashboard: Dashboard, store: RunStore, cookie: string): Served {
  const base = new URL('/', dashboard.url).href.slice(0, -1);

  async function json(path: string, asking: Asking): Promise<JsonAnswer> {
    const { status, text } = await askAt(`${base}${path}`, asking);
    return { status, body: JSON.parse(text) };
  }

  return {
    dashboard,
    store,
    cookie,
    ask: (path, asking) => askAt(`${base}${path}`, asking),
    get: (path) => json(path, { headers: { cookie } }),
    post: (path, body = {}) =>
      json(path, {
        method: 'POST',
        headers: { cookie, origin: base, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async *events(path, { lastId, limit = Infinity } = {}) {
      const headers = { cookie, ...(lastId !== undefined && { 'last-event-id': lastId }) };
      const leave = new AbortController();
      const response = await fetch(`${base}${path}`, { headers, signal: leave.signal });
      if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
      let text = '';
      let count = 0;
      try {
        for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
          text += part;
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            const event = eventOf(text.slice(0, end));
            text = text.slice(end + 2);
            if (event) yield event;
            if (event && (count += 1) === limit) return;
          }
        }
      } finally {
        leave.abort();
      }
    },
  };
}

/** @returns The event; undefined for other text, such as a heartbeat. */
function eventOf(text: string): StreamEvent | undefined {
  const fields = new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const [, name = '', value = ''] = /^(\w+): (.*)$/u.exec(line) ?? [];
      return name === '' ? [] : [[name, value]];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { name: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) };
}
