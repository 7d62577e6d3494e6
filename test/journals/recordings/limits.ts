/**
 * Recordings of limits: spent and lifted, refused, and what ends a run.
 *
 * @module
 */
import { approve, definePipeline, phase, retry, retryPredecessor, task, type Limits } from '../../../src/index.ts';
import { BEGIN, decide, recording, type Recording } from '../recording.ts';

/** Each limit that ends a run, in a run of its own. */
function spent(limit: keyof Limits, max: number): Recording {
  return recording({
    name: `spent-${limit.toLowerCase()}`,
    start: { limits: { [limit]: max } },
    pipeline: ({ clock }) =>
      definePipeline({
        name: `spent-${limit.toLowerCase()}`,
        phases: [
          phase('first', {
            tasks: [
              task('t', {
                run: async ({ wait, report, attempt }) => {
                  // Until a moment, so that a try that is begun again ends when it would have ended.
                  await wait(Math.max(0, BEGIN + 400 * (attempt + 1) - clock.now()));
                  report({ tokens: 60, costUsd: 0.75 });
                  return attempt;
                },
              }),
            ],
          }),
          phase('second', {
            after: ['first'],
            tasks: [
              task('t', { estimate: { tokens: 100, costUsd: 1.5 }, run: ({ inputs }) => inputs['first']?.['t'] }),
            ],
            review: ({ outputs: { t } }) =>
              Number(t) < 2 ? retryPredecessor('first', `More than ${Number(t)}.`) : approve(),
          }),
          phase('third', { after: ['second'], tasks: [task('t', { run: () => 'done' })] }),
        ],
      }),
  });
}

/** Limits that hold a phase, or all of the run, until a person lifts them. */
const lifted = recording({
  name: 'lifted',
  pipeline: () =>
    definePipeline({
      name: 'lifted',
      policy: { onLimit: 'escalate', inbox: { queue: 'owners', remindAfterMs: 5000 } },
      limits: { tokens: 100, corrections: 1, perPair: 1, attemptsPerPhase: 2, durationMs: 3000 },
      phases: [
        phase('first', {
          tasks: [
            task('t', {
              run: async ({ wait, report, attempt }) => {
                report({ tokens: 70 });
                await wait(1000);
                return attempt;
              },
            }),
          ],
          review: ({ attempt }) => (attempt === 0 ? retry('Again.') : approve()),
        }),
        phase('second', {
          after: ['first'],
          tasks: [task('t', { run: ({ wait, inputs }) => wait(1500).then(() => inputs['first']?.['t']) })],
          review: ({ outputs: { t } }) => (Number(t) < 2 ? retryPredecessor('first', 'More.') : approve()),
        }),
      ],
    }),
  people: ({ about, kind, remindAt }) => {
    if (remindAt !== undefined && about === 'tokens') return undefined;
    return decide('APPROVE', { by: kind === 'limit' ? 'ann' : 'bob' });
  },
});

/** The other limits that hold all of the run. */
const raised = recording({
  name: 'raised',
  pipeline: () =>
    definePipeline({
      name: 'raised',
      policy: { onLimit: 'escalate' },
      limits: { costUsd: 1, deadlineMs: 700, attemptsPerPhase: 1 },
      phases: [
        phase('first', { tasks: [task('t', { run: ({ wait, attempt }) => wait(1000).then(() => attempt) })] }),
        phase('second', {
          after: ['first'],
          tasks: [task('t', { estimate: { costUsd: 2 }, run: ({ inputs }) => inputs['first']?.['t'] })],
          review: ({ outputs: { t } }) => (t === 0 ? retryPredecessor('first', 'More.') : approve()),
        }),
      ],
    }),
  people: () => decide('APPROVE', { by: 'ann' }),
});

/** A person does not lift it. */
const kept = recording({
  name: 'kept',
  pipeline: () =>
    definePipeline({
      name: 'kept',
      policy: { onLimit: 'escalate' },
      limits: { costUsd: 2 },
      phases: [
        phase('cheap', { tasks: [task('t', { run: ({ report }) => report({ costUsd: 0.75 }) })] }),
        phase('dear', {
          after: ['cheap'],
          tasks: [task('t', { estimate: { costUsd: 1.5 }, run: () => 'never' })],
        }),
      ],
    }),
  people: () => decide('REJECT: It is too much.', { by: 'ann' }),
});

/** A correction too many holds the phase alone, and a person decides in the place of its gate. */
const held = recording({
  name: 'held',
  pipeline: () =>
    definePipeline({
      name: 'held',
      policy: { onLimit: 'escalate' },
      limits: { corrections: 1, perPair: 0 },
      phases: [
        phase('first', { tasks: [task('t', { run: ({ attempt }) => attempt })] }),
        phase('own', {
          tasks: [task('t', { run: ({ attempt }) => attempt })],
          review: ({ attempt }) => (attempt < 3 ? retry(`Not ${attempt}.`) : approve()),
        }),
        phase('pair', {
          after: ['first'],
          tasks: [task('t', { run: ({ inputs }) => inputs['first']?.['t'] })],
          review: ({ outputs: { t } }) => (t === 0 ? retryPredecessor('first', 'More.') : approve()),
        }),
      ],
    }),
  people: ({ about }) =>
    about === 'own' ? decide(retry('As you like.'), { by: 'ann' }) : decide('RETRY_PREDECESSOR first: Do so.'),
});

export const limits = [
  spent('corrections', 1),
  spent('perPair', 1),
  spent('attemptsPerPhase', 2),
  spent('costUsd', 2),
  spent('tokens', 150),
  spent('durationMs', 700),
  spent('deadlineMs', 900),
  lifted,
  raised,
  kept,
  held,
];
