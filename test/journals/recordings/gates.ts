/**
 * Recordings of work and of gates: tries, reviews, budgets, loops, checks.
 *
 * @module
 */
import { z } from 'zod';
import { approve, definePipeline, phase, reject, requestChanges, retry, task } from '../../../src/index.ts';
import { recording } from '../recording.ts';

/** Tasks that depend on each other and report all that can be reported, a schema of the input, and a large value. */
const straight = recording({
  name: 'straight',
  start: { input: { topic: ' gates ' } },
  pipeline: ({ past }) =>
    definePipeline({
      name: 'straight',
      input: z.object({ topic: z.string().trim() }),
      phases: [
        phase('gather', {
          tasks: [
            task('search', {
              description: 'Look for it.',
              estimate: { tokens: 50, costUsd: 0.5 },
              run: async ({ prompt, report, wait }) => {
                report({ progress: 0.5 });
                report({ inputTokens: 10, outputTokens: 4, model: 'large', provider: 'acme', costUsd: 0.25 });
                await wait(100);
                report({ progress: 'almost done', observation: 'It is there.' });
                report({ artifact: { name: 'notes', content: { lines: ['one', 'two'] } } });
                report({ tokens: 3, estimated: true });
                report({ warning: { code: 'SOURCE_OLD', message: 'The source is old.' } });
                return prompt.length;
              },
            }),
            task('copy', { after: ['search'], run: ({ context }) => ['x'.repeat(17_000), context] }),
            task('guess', { after: ['search'], estimate: { tokens: 7, costUsd: 0.01 }, run: () => null }),
            task('ask', {
              retry: { attempts: 3, backoff: { first: 500, factor: 3 }, retryable: () => true },
              run() {
                const down = new Error('The server is down.', { cause: new Error('refused') });
                if (!past(400)) throw Object.assign(down, { retryable: false });
                if (!past(2000)) throw Object.assign(new Error('Busy.'), { retryAfterMs: 2500, code: 'BUSY' });
                return 'an answer';
              },
            }),
          ],
        }),
        phase('print', {
          after: ['gather'],
          tasks: [task('page', { run: ({ inputs }) => inputs['gather']?.['ask'] })],
        }),
      ],
    }),
});

/** Reviews that fail at first, then attempts that are sent back. */
const retries = recording({
  name: 'retries',
  pipeline: ({ past }) =>
    definePipeline({
      name: 'retries',
      phases: [
        phase('draft', {
          tasks: [
            task('text', {
              description: 'Write it.',
              run: ({ prompt, revision, attempt }) => `${prompt.length} ${revision?.feedback ?? ''} ${attempt}`,
            }),
          ],
          review: {
            maxReviewErrors: 4,
            by: ({ attempt }) => {
              if (!past(500)) return 'Hm.';
              if (!past(1500)) return { type: 'reject', reason: 'Perhaps not.', confidence: 0.3 };
              if (!past(4500)) throw new Error('The reviewer is away.');
              if (!past(12_000)) return 'RETRY_PREDECESSOR nobody: Go on.';
              if (attempt === 0) {
                const first = { severity: 'high', description: 'It is short.', category: 'style' } as const;
                return requestChanges([first, { id: 'end', severity: 'low', description: 'It has no end.' }]);
              }
              if (attempt === 2) return { type: 'approve', confidence: 0.9, score: 7 };
              const more = retry('Write more.', { requiredChange: 'Add a line.' });
              return { ...more, priorFindings: [{ id: 'end', status: 'fixed' }] };
            },
          },
        }),
        phase('cover', {
          tasks: [task('picture', { run: () => 'a picture' })],
          review: {
            quorum: 2,
            by: [
              task('one', { run: () => 'APPROVE' }),
              task('two', { run: ({ attempt }: { attempt: number }) => (attempt ? 'APPROVE' : 'RETRY: More light.') }),
              task('three', { run: () => 'RETRY: More colour.' }),
            ],
          },
        }),
      ],
    }),
});

const again = () => retry('Do it again.');

/** Each way on from a spent budget that needs nobody. */
const budgets = recording({
  name: 'budgets',
  pipeline: () =>
    definePipeline({
      name: 'budgets',
      concurrency: 1,
      phases: [
        phase('accepted', {
          tasks: [task('t', { run: ({ attempt }) => attempt })],
          review: { by: again, maxRetries: 1, onExhausted: 'accept' },
        }),
        phase('best', {
          tasks: [task('t', { run: ({ attempt }) => attempt })],
          review: {
            by: ({ attempt }) => ({ type: 'retry', feedback: `No ${attempt}.`, score: [3, 8, 5][attempt] ?? 0 }),
            onExhausted: 'acceptBest',
          },
        }),
        phase('vague', {
          tasks: [task('t', { run: () => 1 })],
          review: { by: () => 'It looks fine.', onUnrecognised: 'approve' },
        }),
        phase('astray', {
          after: ['vague'],
          tasks: [task('t', { run: () => 1 })],
          review: { by: () => 'RETRY_PREDECESSOR sauce: Season it.', onInvalidTarget: 'approve' },
        }),
        phase('refused', { tasks: [task('t', { run: () => 1 })], review: () => reject('It is not wanted.') }),
        phase('never', { after: ['refused'], tasks: [task('t', { run: () => 1 })] }),
      ],
    }),
});

/** Each loop but that of rewinds. */
const loops = recording({
  name: 'loops',
  pipeline: () =>
    definePipeline({
      name: 'loops',
      concurrency: 1,
      phases: [
        phase('unchanged', {
          tasks: [task('t', { run: () => 'the same' })],
          review: { by: ({ attempt }) => retry(`Change it, ${attempt}.`), maxRetries: 9 },
        }),
        phase('feedback', {
          tasks: [task('t', { run: ({ attempt }) => attempt })],
          review: { by: again, maxRetries: 9 },
        }),
        phase('issue', {
          tasks: [task('t', { run: ({ attempt }) => attempt })],
          review: {
            by: ({ attempt, findings }) =>
              requestChanges(
                [{ id: 'dark', severity: 'high', description: `It is dark: ${attempt}.` }],
                `${findings.length} open.`,
              ),
            maxRetries: 9,
          },
        }),
      ],
    }),
});

/** Checks with and without a baseline, one that fails at times, and a review that is asked again after them. */
const checks = recording({
  name: 'checks',
  pipeline: ({ past }) =>
    definePipeline({
      name: 'checks',
      phases: [
        phase('code', {
          tasks: [task('patch', { run: ({ attempt, wait }) => wait(100).then(() => attempt) })],
          review: {
            checks: [
              { name: 'types', baseline: true, run: () => true },
              {
                name: 'tests',
                baseline: true,
                run: ({ attempt }) => ({
                  passed: false,
                  details: 'Some fail.',
                  failures: attempt === 0 && past(50) ? ['old', 'new'] : ['old'],
                }),
              },
              { name: 'lint', run: ({ attempt }) => attempt !== 1 || 'Remove the unused import.' },
              { name: 'network', retries: 2, run: ({ idempotencyKey }) => /[/#:]2$/u.test(idempotencyKey) },
              {
                name: 'licence',
                baseline: true,
                run: () => {
                  if (!past(50)) throw new Error('No network.');
                  return true;
                },
              },
            ],
            by: () => (past(1500) ? approve() : 'Hm.'),
            maxRetries: 3,
          },
        }),
      ],
    }),
});

export const gates = [straight, retries, budgets, loops, checks];
