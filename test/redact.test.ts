/** Secrets in texts of a run: its records mask them, and the run can still be replayed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approve,
  cancelRun,
  definePipeline,
  forkRun,
  phase,
  redactSecrets,
  reject,
  resumeRun,
  retry,
  retryPredecessor,
  startRun,
  task,
  verifyRun,
  type RunOptions,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { RunEvent } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';
import { isSameEvent } from '../src/model/events/event-equality.ts';
import { MASK } from '../src/model/values/known-secrets.ts';
import { maskSecrets } from '../src/model/events/secrets.ts';

const KEY = 'sk-ant-api03-4fPq8Zx91LmNb7Vc';

describe('secrets in a text', () => {
  it.each([
    [`key ${KEY}.`, `key ${MASK}.`],
    ['push with ghp_16C7e42F292c6912E7710c838347Ae178B4a failed', `push with ${MASK} failed`],
    ['github_pat_11ABCDEFG0abcdefghijkl', MASK],
    ['AKIAIOSFODNN7EXAMPLE is no longer valid', `${MASK} is no longer valid`],
    ['xoxb-1234567890-abcdefghij', MASK],
    ['Authorization: Bearer 0a1b2c3d4e5f6789, sent', `Authorization: Bearer ${MASK}, sent`],
    ['authorization: basic dXNlcjpwYXNzd29yZA==', `authorization: basic ${MASK}`],
    ['mysql -u root password=hunter2 --host db', `mysql -u root password=${MASK} --host db`],
    ['DB_PASSWORD="hunter2"', `DB_PASSWORD="${MASK}"`],
    ['{"user":"me","api_key":"abc def"}', `{"user":"me","api_key":"${MASK}"}`],
    ['{\\"apiKey\\": \\"abc\\"}', `{\\"apiKey\\": \\"${MASK}\\"}`],
    ['cannot reach postgres://me:s3cr3t@db:5432/x', `cannot reach postgres://me:${MASK}@db:5432/x`],
    [
      'was -----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA04up8hoqzS\n-----END RSA PRIVATE KEY----- there',
      `was ${MASK} there`,
    ],
    ['cut -----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ', `cut ${MASK}`],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N', MASK],
  ])('are masked in %j', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
    expect(maskSecrets(masked)).toBe(masked);
  });

  it.each([
    'Add numbers to the risk-management-of-everything section.',
    'The bearer of this letter, and bearer certificates.',
    'It used 512 tokens; token count: 5.',
    'The password must be longer: see password rules.',
    'https://example.org:8080/path@2 and user@example.org',
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
    '',
  ])('are not detected in %j', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it.each([
    ['web tokens without an end', 'eyJ-'.repeat(50_000)],
    ['parts of web tokens', 'eyJ.'.repeat(50_000)],
    ['keys that begin and do not end', '-----BEGIN PRIVATE KEY-----'.repeat(10_000)],
    ['names of secrets', 'token='.repeat(40_000)],
    ['words that carry tokens', 'bearer '.repeat(40_000)],
  ])('are searched in linear time in %s', (_, text) => {
    expect(maskSecrets(maskSecrets(text))).toBe(maskSecrets(text));
  });

  it('stay masked, whatever surrounds them', () => {
    const part = fc.constantFrom(
      KEY,
      'password=hunter2',
      'Bearer abc123def456',
      MASK,
      '"',
      ' ',
      '.',
      'x',
      '://a:b@c',
      '\n',
      '=',
      '-',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.constantFrom(' ', '\n', ', ', '"', '; '), (parts, between) => {
        const masked = maskSecrets(parts.join(between));
        expect(masked).not.toContain('api03');
        expect(maskSecrets(masked)).toBe(masked);
      }),
      { seed: 7, numRuns: 2000 },
    );
  });

  it.each([
    'password='.repeat(100_000),
    '-----BEGIN PRIVATE KEY-----'.repeat(20_000),
    `bearer${' '.repeat(500_000)}`,
    `://${'a'.repeat(500_000)}`,
    'sk-'.repeat(200_000),
    'eyJ'.repeat(200_000),
  ])('are searched in a long text that almost contains them (%#)', (text) => {
    // The secret after the text is found. A pattern that gives up, or backtracks, does not reach it.
    expect(maskSecrets(`${text}\n password=hunter22hunter22 `)).not.toContain('hunter22');
  });
});

/**
 * A pipeline of secrets. Research is sent back once. The draft fails once, reports, is sent back, and its last task
 * fails for good.
 */
function leaky(fails: boolean) {
  const research = phase('research', { tasks: [task('read', { run: ({ attempt }) => `${attempt} notes ${KEY}` })] });
  let calls = 0;
  const draft = phase('draft', {
    after: [research],
    tasks: [
      task('write', {
        retry: { attempts: 3, backoff: { first: 0 } },
        run({ report, attempt }) {
          report({
            progress: `using ${KEY}`,
            observation: `saw ${KEY}`,
            artifact: { name: 'env', content: { log: [`key ${KEY}`], dbPassword: 'hunter2' } },
          });
          calls += 1;
          if (calls % 2 === 1) throw new Error(`401 for ${KEY}`, { cause: new Error(`with password=hunter2.`) });
          return `text ${attempt} ${KEY}`;
        },
      }),
    ],
    review: ({ attempt, inputs }) =>
      attempt === 0
        ? retry(`Take out "${KEY}".`, { requiredChange: 'No password=hunter2.' })
        : inputs.research.read.startsWith('0')
          ? retryPredecessor('research', `It has ${KEY}`)
          : fails
            ? reject(`Still ${KEY}.`)
            : approve(),
  });
  return definePipeline({ name: 'leaky', phases: [research, draft] });
}

async function play(store: RunStore, fails: boolean, redact?: RunOptions['redact']) {
  const run = startRun(leaky(fails), { store, redact, input: { key: KEY } });
  const result = await run.result;
  return { id: run.id, result, records: await readRun(store, run.id) };
}

/** Returns everything of a record but inputs and outputs. */
function told({ event }: { readonly event: RunEvent }): string {
  if (event.type === 'run.started') return '';
  if (event.type === 'task.completed') return JSON.stringify({ ...event, output: null });
  return JSON.stringify(event.type === 'phase.approved' ? { ...event, outputs: null } : event);
}

describe('a run with secrets in its texts', () => {
  it.each([false, true])('has secrets only in inputs and outputs of its records (fails: %s)', async (fails) => {
    const { records, result } = await play(memoryStore(), fails);
    const text = records.map(told).join('\n');
    expect(text).toContain(MASK);
    expect(text).not.toContain(KEY);
    expect(text).not.toContain('hunter2');
    expect(JSON.stringify(result.error) + result.reason).not.toContain(KEY);
    expect(JSON.stringify(records.filter(({ event }) => event.type === 'task.completed'))).toContain(KEY);
    expect(JSON.stringify(records[0])).toContain(KEY);
    expect(result.status).toBe(fails ? 'rejected' : 'completed');
  });

  it.each([
    ['by default', undefined],
    [
      'as told',
      (event: RunEvent) =>
        JSON.parse(JSON.stringify(event).replaceAll(KEY, '***').replaceAll('hunter2', '***')) as RunEvent,
    ],
    [
      'by a function that throws',
      (event: RunEvent) => {
        if (event.type === 'task.retrying' || event.type === 'phase.retrying') throw new Error('no');
        return redactSecrets(event);
      },
    ],
  ])('can be resumed from each of its records, masked %s', async (_, redact) => {
    const store = memoryStore();
    const { id, records } = await play(store, false, redact);
    expect(records.map(told).join('\n')).not.toContain(KEY);
    for (const { seq } of records.slice(0, -1)) {
      const fork = await forkRun(store, id, { at: seq, allowMasked: true });
      const run = await resumeRun(store, fork, leaky(false), { redact, allowMasked: true });
      const { status } = await run.result;
      expect([seq, status]).toEqual([seq, 'completed']);
      expect((await readRun(store, fork)).map(told).join('\n')).not.toContain(KEY);
    }
  });

  it.each(['task.completed', 'task.retrying', 'review.decided', 'phase.retrying', 'phase.rewinding', 'phase.approved'])(
    'can be resumed, verified and cancelled if only %s has marks of its own',
    async (type) => {
      const redact = (event: RunEvent): RunEvent =>
        event.type === type
          ? (JSON.parse(JSON.stringify(event).replaceAll(KEY, '***').replaceAll('hunter2', '***')) as RunEvent)
          : event;
      const store = memoryStore();
      const { id, records } = await play(store, false, redact);
      expect(JSON.stringify(records.filter(({ event }) => event.type === type))).not.toContain(KEY);
      expect((await verifyRun(store, id)).problems).toEqual([]);
      for (const { seq } of records.filter(({ seq: at }) => at % 3 === 2 && at < records.length)) {
        const [fork, other] = [await forkRun(store, id, { at: seq }), await forkRun(store, id, { at: seq })];
        const run = await resumeRun(store, fork, leaky(false), { redact });
        expect([seq, (await run.result).status]).toEqual([seq, 'completed']);
        expect((await verifyRun(store, fork)).problems).toEqual([]);
        // A program without the function, such as the command line.
        expect(['cancelled', 'completed']).toContain((await cancelRun(store, other)).status);
      }
    },
  );

  it('can be resumed even if texts of the machines are changed as well', async () => {
    const store = memoryStore();
    const redact = (event: RunEvent): RunEvent =>
      event.type === 'phase.skipped' ? { ...event, who: 'nobody' } : redactSecrets(event);
    let release = (): void => undefined;
    const skippedBefore = new Promise<void>((resolve) => (release = resolve));
    const pipeline = () => {
      const research = phase('research', {
        tasks: [task('read', { run: () => 1 })],
        review: () => reject(`Has ${KEY}.`),
      });
      const draft = phase('draft', { after: [research], tasks: [task('write', { run: () => 1 })] });
      // This phase continues until then, so that the run has not ended yet.
      const other = phase('other', { tasks: [task('wait', { run: () => skippedBefore.then(() => 1) })] });
      return definePipeline({ name: 'short', phases: [research, draft, other] });
    };
    const run = startRun(pipeline(), { store, redact });
    run.events$.subscribe(({ event }) => event.type === 'phase.skipped' && release());
    await run.result;
    const records = await readRun(store, run.id);
    const skipped = records.find(({ event }) => event.type === 'phase.skipped');
    expect(skipped?.event).toMatchObject({ who: 'nobody' });
    const fork = await forkRun(store, run.id, { at: skipped?.seq ?? 0 });
    await expect(resumeRun(store, fork, pipeline())).rejects.toThrow('this would have happened instead');
    const resumed = await resumeRun(store, fork, pipeline(), { redact });
    expect((await resumed.result).status).toBe('rejected');
  });

  it('is replayed even if a mask extends into the text after it', () => {
    const event = (feedback: string): RunEvent => ({
      type: 'phase.retrying',
      phase: 'p',
      generation: 0,
      attempt: 0,
      correction: { attempt: 0, from: 'p', feedback },
      by: 'gate',
      spent: 1,
    });
    expect(isSameEvent(event(`Has ${MASK}`), event(`Has ${MASK}.`))).toBe(true);
    expect(isSameEvent(event('Has it'), event('Has it.'))).toBe(false);
  });

  it('shows no text at all if the function throws or returns another event', async () => {
    for (const redact of [
      () => {
        throw new Error('no');
      },
      () => ({ type: 'run.reopened' }) as const,
    ]) {
      const { records, result } = await play(memoryStore(), true, redact);
      expect(records.map(told).join('\n')).not.toMatch(/401|Take out|Still/u);
      expect(result.status).toBe('rejected');
    }
  });

  it('keeps the identical event if there is nothing to mask', () => {
    const event: RunEvent = { type: 'phase.rejected', phase: 'p', generation: 0, attempt: 0, reason: 'No.' };
    expect(redactSecrets(event)).toBe(event);
  });
});
