/**
 * A server with both APIs of OpenAI, streamed. It answers from a list, which includes faults.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Api = 'chat' | 'responses';

/** A request as the server received it. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  /** The contents of its messages. */
  readonly system: string;
  readonly user: string;
}

/** The reaction of the server to one request. */
export type Scripted =
  | {
      /** The answer, in the pieces of its stream. */
      readonly pieces: readonly string[];
      readonly refusal?: string;
      /** Input, output and cached tokens; or an object in place of the usual fields. */
      readonly usage?: readonly [number, number, number?] | Readonly<Record<string, unknown>>;
      /** `filtered`, or the exact word of the server. */
      readonly finish?: string;
      /** A failure in place of the end. */
      readonly breaks?: 'reset' | 'close' | 'hang' | 'failed' | 'error' | 'garbage';
      /** The code of a failure within the stream. */
      readonly code?: string;
      /** True if each piece is written in a turn of its own. */
      readonly drips?: true;
    }
  /** A literal body, with status 200. */
  | { readonly raw: string; readonly type?: string }
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly fault: 'reset' | 'hang' };

/** An entry of the list: a reaction, or a function of the request that returns one. A text is an answer. */
export type Entry = string | Scripted | ((asked: Asked) => string | Scripted | Promise<string | Scripted>);

export interface Server {
  /** The value for `baseURL`. */
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Resolves once that number of requests have arrived. */
  readonly until: (count: number) => Promise<void>;
  /** Resolves once a client has closed its connection before the end. */
  readonly left: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Listens on a free port. A request beyond the list is answered with status 418. */
export async function listen(entries: readonly Entry[]): Promise<Server> {
  const asked: Asked[] = [];
  let onAsked = () => {};
  let onLeft = () => {};
  const left = new Promise<void>((resolve) => (onLeft = resolve));
  const server = createServer((request, response) => {
    void readRequest(request).then(async (one) => {
      asked.push(one);
      response.on('close', () => {
        if (!response.writableEnded) onLeft();
      });
      const entry = entries[asked.length - 1] ?? { status: 418 };
      const said = typeof entry === 'function' ? await entry(one) : entry;
      answer(typeof said === 'string' ? { pieces: [said] } : said, one, response);
      onAsked();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    left,
    until: (count) =>
      new Promise((resolve) => {
        onAsked = () => {
          if (asked.length >= count) resolve();
        };
        onAsked();
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a verdict with the nonce of the request. */
export function verdict(fields: Readonly<Record<string, unknown>>): (asked: Asked) => string {
  return ({ system }) =>
    JSON.stringify({
      nonce: nonceIn(system),
      verdict: 'approved',
      required_change: null,
      critique: '',
      conf: 0.9,
      score: null,
      issues: [],
      prior_findings: [],
      ...fields,
    });
}

export function nonceIn(system: string): string {
  return /"nonce": "([^"]+)"/u.exec(system)?.[1] ?? 'there is none';
}

// --- internal ---

async function readRequest(request: IncomingMessage): Promise<Asked> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const body = JSON.parse(text) as Asked['body'];
  const messages = (body['messages'] ?? body['input']) as readonly { role: string; content: string }[];
  const contentOf = (role: string) => messages.find((one) => one.role === role)?.content ?? '';
  const { url: path = '', headers } = request;
  return { path, headers, body, system: contentOf('system'), user: contentOf('user') };
}

function answer(said: Scripted, { path, body }: Asked, response: ServerResponse): void {
  if ('fault' in said) {
    if (said.fault === 'reset') response.destroy();
    return;
  }
  if ('raw' in said) {
    response.writeHead(200, { 'content-type': said.type ?? 'application/json' }).end(said.raw);
    return;
  }
  if ('status' in said) {
    const { status, body: given = { error: { message: 'scripted' } }, headers } = said;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(given));
    return;
  }
  const isChat = (path.split('?')[0] ?? '').endsWith('/chat/completions');
  if (body['stream'] !== true && said.breaks === undefined) {
    const whole = isChat ? chatBody(said) : responsesBody(said);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = isChat ? chatEvents(said) : responsesEvents(said);
  if (said.drips) drip(events, response, said.breaks === 'hang');
  else {
    for (const event of events) response.write(event);
    if (said.breaks === 'reset') setImmediate(() => response.destroy());
    else if (said.breaks !== 'hang') response.end();
  }
}

/** Writes one event a turn. */
function drip([first, ...rest]: readonly string[], response: ServerResponse, hangs: boolean): void {
  if (first === undefined) {
    if (!hangs) response.end();
    return;
  }
  response.write(first, () => setImmediate(() => drip(rest, response, hangs)));
}

type Answer = Extract<Scripted, { readonly pieces: readonly string[] }>;

function chatEvents({ pieces, refusal, usage, finish = 'stop', breaks, code }: Answer): readonly string[] {
  const chunk = (delta: object, reason: string | null = null) => ({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  const begun = [
    ...pieces.map((content) => data(chunk({ content }))),
    ...(refusal === undefined ? [] : [data(chunk({ refusal }))]),
  ];
  if (breaks === 'garbage') return [...begun, 'data: {"half\n\n'];
  if (breaks === 'failed' || breaks === 'error') return [...begun, data({ error: { code, message: 'scripted' } })];
  if (breaks !== undefined) return begun;
  return [
    ...begun,
    data({ choices: [{ index: 0, finish_reason: finish === 'filtered' ? 'content_filter' : finish }] }),
    ...(usage ? [data({ choices: [], usage: chatUsage(usage) })] : []),
    'data: [DONE]\n\n',
  ];
}

function responsesEvents({ pieces, refusal, usage, finish = 'stop', breaks, code }: Answer): readonly string[] {
  const data = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const begun = [
    data('response.created', { response: { id: 'r1', status: 'in_progress' } }),
    ...pieces.map((delta) => data('response.output_text.delta', { delta })),
    ...(refusal === undefined ? [] : [data('response.refusal.delta', { delta: refusal })]),
  ];
  if (breaks === 'garbage') return [...begun, 'data: {"half\n\n'];
  if (breaks === 'failed') {
    return [
      ...begun,
      data('response.failed', { response: { status: 'failed', error: { code, message: 'scripted' } } }),
    ];
  }
  if (breaks === 'error') return [...begun, data('error', { code, message: 'scripted', param: null })];
  if (breaks !== undefined) return begun;
  const response = responseOf({ pieces, ...(usage && { usage }), finish });
  return [...begun, data(`response.${response.status}`, { response })];
}

/** Builds the same answer in one piece. */
function chatBody({ pieces, refusal, usage, finish = 'stop' }: Answer): object {
  const message = { role: 'assistant', content: refusal === undefined ? pieces.join('') : null, refusal };
  return {
    id: 'c1',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finish === 'filtered' ? 'content_filter' : finish }],
    ...(usage && { usage: chatUsage(usage) }),
  };
}

function responsesBody(said: Answer): object {
  const { pieces, refusal } = said;
  const part = refusal === undefined ? { type: 'output_text', text: pieces.join('') } : { type: 'refusal', refusal };
  return { ...responseOf(said), output: [{ type: 'message', role: 'assistant', content: [part] }] };
}

type Counted = NonNullable<Answer['usage']>;

function chatUsage(usage: Counted): object {
  if (!isCounts(usage)) return usage;
  const [input, output, cached = 0] = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function responseOf({ usage, finish = 'stop' }: Answer) {
  const words: Readonly<Record<string, string>> = { length: 'max_output_tokens', filtered: 'content_filter' };
  return {
    id: 'r1',
    status: finish === 'stop' ? 'completed' : 'incomplete',
    incomplete_details: finish === 'stop' ? null : { reason: words[finish] ?? finish },
    usage: usage && responseUsage(usage),
  };
}

function responseUsage(usage: Counted): object {
  if (!isCounts(usage)) return usage;
  const [input, output, cached = 0] = usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    total_tokens: input + output,
  };
}

function isCounts(usage: Counted): usage is readonly [number, number, number?] {
  return Array.isArray(usage);
}
