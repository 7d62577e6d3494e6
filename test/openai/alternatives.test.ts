/** Other models for one that fails, and less material if there is too much. */
import { describe, expect, it } from 'vitest';
import { fit } from '../../src/llm/call/fit.ts';
import { rememberEnvironment } from '../../src/cli/process/environment-secrets.ts';
import { maskKnown } from '../../src/model/values/known-secrets.ts';
import { openaiTask } from '../../src/openai.ts';
import { editorOf, modelOf, plainTask, tell, serve } from './rig.ts';
import { verdict, type Entry, type Server } from './server.ts';

const modelsOf = ({ asked }: Server) => asked.map(({ body }) => body['model']);

describe('a reviewer', () => {
  it('has a ladder: the next model judges each attempt', async () => {
    const again = verdict({ verdict: 'retry', required_change: 'Name a number.', critique: 'None.' });
    const server = await serve(again, verdict({ prior_findings: [{ finding: 1, status: 'fixed' }] }));
    const { result } = await tell(
      plainTask('One.', 'Two.'),
      editorOf(server, 'chat', { model: undefined, models: ['s', 'l'] }),
    );
    expect(result.status).toBe('completed');
    expect(modelsOf(server)).toEqual(['s', 'l']);
  });

  it.each<[string, Entry]>([
    ['cannot be asked', { status: 401 }],
    ['refuses', { pieces: [], refusal: 'No.' }],
    ['ends for an unknown reason', { pieces: ['x'], finish: 'error' }],
  ])('has a fallback in the same try if its model %s', async (_, fault) => {
    const server = await serve(fault, verdict({}));
    const { lines, records } = await tell(plainTask('One.'), editorOf(server, 'chat', { fallback: ['other'] }));
    expect(lines).toEqual(['draft completed at try 1', 'verdict approve', 'completed']);
    expect(modelsOf(server)).toEqual(['m', 'other']);
    expect(JSON.stringify(records)).toContain('MODEL_FALLBACK');
  });
});

describe('material', () => {
  it('is shown up to a bound, with a note about the omission', async () => {
    const server = await serve('x', verdict({}));
    const material = () => ({ Log: 'y'.repeat(50_000), Small: 'kept' });
    const draft = openaiTask('draft', { ...modelOf(server, 'chat'), material, maxMaterial: 5000 });
    const { records } = await tell(draft, editorOf(server, 'chat'));
    const user = server.asked[0]?.user ?? '';
    expect(user.length).toBeLessThan(6000);
    expect(user).toMatch(/It has 5\d{4} characters, of which you are shown about \d{4}/u);
    expect(user).toMatch(/y \[… \d+ characters left out\] y/u);
    expect(user).toContain('kept');
    expect(JSON.stringify(records)).toContain('MATERIAL_CUT');
  });

  it('under review is cut last, and the reviewer is told so', async () => {
    const server = await serve(verdict({}));
    const material = () => ({ outputs: 'o'.repeat(3000), inputs: 'i'.repeat(50_000) });
    await tell(plainTask('One.'), editorOf(server, 'chat', { material, maxMaterial: 5000 }));
    const user = server.asked[0]?.user ?? '';
    expect(user).toContain('o'.repeat(3000));
    expect(user).toContain('Do not approve what you cannot see');
  });

  it('is shrunk once after a context-length error, and not twice', async () => {
    const message =
      "This model's maximum context length is 8000 tokens. However, your messages resulted in 16000 tokens.";
    const fault: Entry = { status: 400, body: { error: { message, code: 'context_length_exceeded' } } };
    const material = () => ({ Log: 'y'.repeat(40_000) });
    const server = await serve(fault, 'x', fault, fault);
    const make = () => openaiTask('draft', { ...modelOf(server, 'chat'), material });
    expect((await tell(make())).lines).toEqual(['draft completed at try 1', 'completed']);
    const [first = 0, second = 0] = server.asked.map(({ user }) => user.length);
    expect(second).toBeLessThan(first / 2);
    expect((await tell(make())).lines).toEqual([
      expect.stringContaining('draft failed at try 1: MODEL_FAILED'),
      'failed',
    ]);
    expect(server.asked.length).toBe(4);
  });

  it.each<[string, Record<string, unknown>]>([
    ['one long text', { a: 'x'.repeat(100_000) }],
    ['a long list', { a: Array.from({ length: 50_000 }, (_, at) => at) }],
    ['many fields', { a: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 'v'])) }],
    ['many names', Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`n${at}`, 'v'.repeat(5000)]))],
  ])('fits: %s', (_, given) => {
    const fitted = fit(given, 4000);
    expect(fitted.shown).toBeLessThanOrEqual(4000);
    expect(JSON.stringify(fitted.material)).toContain('left out]');
  });
});

describe('values of the environment', () => {
  it('are masked if the name contains secret, token, key or password', () => {
    const env = { MY_TOKEN: 'aaaa.1111', PGPASSWORD: 'bbbb.2222', X_SECRET: 'cccc.3333', API_KEY: 'dddd.4444' };
    rememberEnvironment({
      ...env,
      KEY_FILE: '/etc/some/place',
      PWD: '/home/of/somebody',
      EMPTY_KEY: '',
      KEYBOARD: 'some-layout',
    });
    const text = `${Object.values(env).join(' ')} /etc/some/place /home/of/somebody some-layout`;
    expect(maskKnown(text)).toBe(
      '[redacted] [redacted] [redacted] [redacted] /etc/some/place /home/of/somebody some-layout',
    );
  });
});
