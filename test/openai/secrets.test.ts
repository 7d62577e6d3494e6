/** Keys and headers of clients that servers echo: they are masked at every place and in every fragment. */
import { OpenAI } from 'openai';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { definePipeline, phase, startRun } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { createPieceMask, maskKnown, MASK, rememberSecrets } from '../../src/model/values/known-secrets.ts';
import { openaiTask } from '../../src/openai.ts';
import { hurriedClock, modelOf, STEADY, tell, serve } from './rig.ts';
import type { Api, Entry } from './server.ts';

afterEach(async () => {
  vi.restoreAllMocks();
});

/** The number of keys so far. The keys match no known pattern. */
let made = 0;
function madeKey(): string {
  made += 1;
  return `zq${made}.Kp/93xv-Lw_${made}7t`;
}

const APIS: readonly Api[] = ['responses', 'chat'];

describe.each(APIS)('a key that a server echoes, by %s,', (api) => {
  it.each<[string, (key: string) => Entry, string]>([
    ['in an error', (key) => ({ status: 401, body: { error: { message: `Bad key ${key}.`, code: key } } }), 'failed'],
    [
      'in a 200 with { error }',
      (key) => ({ raw: JSON.stringify({ error: { message: `no ${key}`, code: 400 } }) }),
      'failed',
    ],
    ['in what is no JSON', (key) => ({ raw: `<p>${key}</p>`, type: 'text/html' }), 'failed'],
    ['in an event of a failure', (key) => ({ pieces: ['a'], breaks: 'error', code: `c ${key}` }), 'failed'],
    ['in a refusal', (key) => ({ pieces: [], refusal: `I have ${key}.` }), 'failed'],
    ['in a finish_reason', (key) => ({ pieces: ['a'], finish: key }), 'failed'],
    ['in the answer', (key) => `The key is ${key}, and so on.`, 'completed'],
    [
      'in an answer, split over its pieces',
      (key) => ({
        pieces: [`The key is ${key.slice(0, 5)}`, key.slice(5, 6), `${key.slice(6)}, and so on.`],
        drips: true,
      }),
      'completed',
    ],
    [
      'in half an event',
      (key) => ({ raw: `event: thread.x\ndata: {"${key}\n\n`, type: 'text/event-stream' }),
      'failed',
    ],
  ])('%s, is in no record, no error, no log and no stream', async (_, entry, status) => {
    const key = madeKey();
    const written: string[] = [];
    for (const name of ['error', 'warn', 'log', 'info', 'debug'] as const) {
      vi.spyOn(console, name).mockImplementation(
        (...said: readonly unknown[]) => void written.push(said.map(String).join(' ')),
      );
    }
    const server = await serve(...Array.from({ length: 2 }, () => entry(key)));
    const thrown: unknown[] = [];
    const retry = { ...STEADY, attempts: 2, retryable: (error: unknown) => thrown.push(error) > 0 };
    const draft = openaiTask('draft', { ...modelOf(server, api), apiKey: key, retry });
    const { result, records } = await tell(draft);
    expect(result.status).toBe(status);
    const seen = [JSON.stringify(records), JSON.stringify(result), ...written, ...thrown.flatMap(textsOf)].join('\n');
    expect(seen).not.toContain(key);
    expect(seen).not.toContain(key.slice(0, 9));
    expect(seen).toContain(MASK);
  });

  it('headers of a given client, and keys that it generates for each request, are masked as well', async () => {
    const secrets = [madeKey(), madeKey(), `org-${madeKey()}`];
    const [key = '', token = '', organization = ''] = secrets;
    const server = await serve(({ headers }) => ({
      status: 400,
      body: { error: { message: JSON.stringify(headers) } },
    }));
    const client = new OpenAI({
      apiKey: () => Promise.resolve(key),
      baseURL: server.url,
      organization,
      defaultHeaders: { 'x-gateway-auth': `Token ${token}` },
    });
    const { records } = await tell(openaiTask('draft', { model: 'm', api, client, retry: STEADY }));
    const text = JSON.stringify(records);
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).toContain('application/json');
    expect(text).toContain(String.raw`\"authorization\":\"${MASK}`);
  });
});

describe('a known secret', () => {
  it('is masked in texts of other tasks, and after a custom `redact`', async () => {
    const key = madeKey();
    rememberSecrets([key]);
    const pipeline = definePipeline({
      name: 'p',
      phases: [
        phase('note', {
          tasks: [openaiTask('draft', { ask: () => Promise.reject(new Error(`no ${key}`)), retry: { attempts: 2 } })],
        }),
      ],
    });
    const records: RunRecord[] = [];
    const run = startRun(pipeline, { clock: hurriedClock(), redact: (event) => event });
    run.events$.subscribe((record) => records.push(record));
    await run.result;
    expect(JSON.stringify(records)).toContain(`no ${MASK}`);
    expect(JSON.stringify(records)).not.toContain(key);
  });

  it('is masked in JSON, with every escape', () => {
    rememberSecrets(['quo"ted\\key']);
    expect(maskKnown(JSON.stringify({ said: 'it is quo"ted\\key' }))).toBe(JSON.stringify({ said: `it is ${MASK}` }));
  });

  it('is not masked if it is a word of other texts', () => {
    rememberSecrets(['', 'x', 'none', 'redacted']);
    const text = 'none of x is redacted: [redacted]';
    expect(maskKnown(text)).toBe(text);
  });

  it('is masked in pieces as in the whole, with any overlap', () => {
    const secrets = ['abababab', 'babababac', 'abcabcabcabc', 'cabcabca'];
    rememberSecrets(secrets);
    const part = fc.constantFrom('a', 'b', 'c', 'ab', 'abababab', 'babababac', 'abcabcabcabc', ' ', 'x');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const mask = createPieceMask();
        const shown = [...parts.map((one) => mask.push(one)), mask.end()].join('');
        for (const secret of secrets) expect(shown).not.toContain(secret);
        expect(shown.replaceAll(MASK, '').length).toBeLessThanOrEqual(parts.join('').length);
        if (!secrets.some((one) => parts.join('').includes(one))) expect(shown).toBe(parts.join(''));
      }),
      { seed: 7, numRuns: 3000 },
    );
  });
});

// --- internal ---

/** Returns all texts of an error that a program could log. */
function textsOf(error: unknown): readonly string[] {
  if (typeof error !== 'object' || error === null) return [String(error)];
  return Object.getOwnPropertyNames(error).flatMap((name) => textsOf(Reflect.get(error, name)));
}
