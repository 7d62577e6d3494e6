/**
 * Recordings of runs that fail, are left, cancelled, tried again, forked, or learn; and of what is masked.
 *
 * @module
 */
import { definePipeline, forkRun, phase, retry, startRun, task, type Pipeline, readRun } from '../../../src/index.ts';
import { count, decide, recording } from '../recording.ts';

/** One that fails, with all that is known of the error, and those that need it. */
const failed = recording({
  name: 'failed',
  pipeline: () =>
    definePipeline({
      name: 'failed',
      phases: [
        phase('source', { tasks: [task('t', { run: ({ attempt }) => attempt })], review: () => 'APPROVE' }),
        phase('asks', {
          after: ['source'],
          tasks: [task('t', { run: ({ inputs, wait }) => wait(50).then(() => inputs['source']) })],
          review: () => 'RETRY_PREDECESSOR source: More.',
        }),
        phase('broken', {
          tasks: [
            task('t', {
              retry: { attempts: 5, backoff: { first: 10 } },
              run() {
                const error = new TypeError('It is no list.', { cause: new Error('It is a word.') });
                throw Object.assign(error, { retryable: false, retryAfterMs: 50 });
              },
            }),
            task('other', { run: ({ wait }) => wait(1000) }),
          ],
        }),
        phase('unreviewed', {
          tasks: [task('t', { run: () => 1 })],
          review: {
            by: () => {
              throw new Error('The reviewer is away.');
            },
            maxReviewErrors: 0,
          },
        }),
        phase('slow', { tasks: [task('t', { timeout: 300, run: ({ wait }) => wait(10_000) })] }),
        phase('next', { after: ['broken'], tasks: [task('t', { run: () => 1 })] }),
      ],
    }),
});

/** One with tags, by which people find it. */
const tagged = recording({
  name: 'tagged',
  pipeline: () =>
    definePipeline({ name: 'tagged', phases: [phase('draft', { tasks: [task('t', { run: () => 1 })] })] }),
  start: { tags: ['team=search', 'nightly'] },
});

/** The source of what `sums` is made of fails when it is sent back: who waits for it fails as well. */
const orphaned = recording({
  name: 'orphaned',
  pipeline: () =>
    definePipeline({
      name: 'orphaned',
      phases: [
        phase('source', {
          tasks: [
            task('t', {
              run({ revision }) {
                if (revision) throw new Error('There is no more.');
                return 1;
              },
            }),
          ],
        }),
        phase('between', { after: ['source'], tasks: [task('t', { run: () => 1 })] }),
        phase('asks', {
          after: ['between'],
          tasks: [task('t', { run: () => 1 })],
          review: { by: () => 'RETRY_PREDECESSOR source: More.', rewindTo: 'ancestors' },
        }),
      ],
    }),
});

/** The first failure ends all. */
const halted = recording({
  name: 'halted',
  pipeline: () =>
    definePipeline({
      name: 'halted',
      policy: { onFailure: 'halt' },
      phases: [
        phase('done', { tasks: [task('t', { run: () => 1 })] }),
        phase('refused', {
          tasks: [task('t', { run: ({ wait }) => wait(100) })],
          review: () => 'REJECT: It is not wanted.',
        }),
        phase('busy', { tasks: [task('t', { run: ({ wait }) => wait(1000) })] }),
        phase('later', { after: ['busy'], tasks: [task('t', { run: () => 1 })] }),
      ],
    }),
});

/** Cancelled while one works, one waits for a person, and one has not begun. */
const cancelled = recording({
  name: 'cancelled',
  pipeline: () =>
    definePipeline({
      name: 'cancelled',
      phases: [
        phase('done', { tasks: [task('t', { run: () => 1 })] }),
        phase('open', { tasks: [task('t', { run: () => 1 })], review: () => 'ESCALATE: Look.' }),
        phase('busy', { after: ['done'], tasks: [task('t', { run: ({ wait }) => wait(1000) })] }),
        phase('later', { after: ['busy'], tasks: [task('t', { run: () => 1 })] }),
      ],
    }),
  act: (records) =>
    records.some(({ event }) => event.type === 'task.started' && event.phase === 'busy') ? 'cancel' : undefined,
});

/** Tried again after it was rejected and cancelled, with a limit of its own the second time. */
const reopened = recording({
  name: 'reopened',
  pipeline: (_, records) =>
    definePipeline({
      name: 'reopened',
      phases: [
        phase('source', { tasks: [task('t', { run: ({ generation }) => generation })] }),
        phase('refused', {
          after: ['source'],
          tasks: [task('t', { run: ({ inputs }) => inputs['source']?.['t'] })],
          review: ({ attempt }) =>
            count(records, 'run.ended') === 0 ? (attempt === 0 ? retry('More.') : 'REJECT: Still no.') : 'APPROVE',
        }),
        phase('print', { after: ['refused'], tasks: [task('t', { run: () => 'printed' })] }),
      ],
    }),
  next: (records) =>
    count(records, 'run.ended') === 1 && count(records, 'run.reopened') === 0
      ? { how: 'retry', options: { limits: { tokens: 1000 } } }
      : undefined,
});

/** Another process goes on with another definition of what has not begun, and can reach a person. */
const resumed = recording({
  name: 'resumed',
  pipeline: (_, records) => {
    const isSecond = count(records, 'run.suspended') > 0;
    return definePipeline({
      name: 'resumed',
      limits: { durationMs: 60_000 },
      phases: [
        phase('first', {
          tasks: [
            task('quick', { run: () => 'quick' }),
            task('slow', { run: ({ wait }) => wait(5000).then(() => 'slow') }),
          ],
        }),
        phase('second', {
          after: ['first'],
          tasks: [
            task('t', { description: isSecond ? 'Do it well.' : 'Do it.', run: ({ description }) => description }),
          ],
          review: {
            by: () => {
              throw new Error('The reviewer is away.');
            },
            maxReviewErrors: 0,
          },
        }),
      ],
    });
  },
  act: (records) =>
    count(records, 'task.completed') === 1 && count(records, 'run.suspended') === 0 ? 'suspend' : undefined,
  next: (records) =>
    count(records, 'run.suspended') > 0 && count(records, 'run.ended') === 0
      ? { how: 'resume', options: { attended: true, allowChanged: true } }
      : undefined,
  people: () => decide('APPROVE', { by: 'ann' }),
});

function letter(): Pipeline<unknown> {
  return definePipeline({
    name: 'forked',
    limits: { deadlineMs: 600_000 },
    phases: [
      phase('draft', { tasks: [task('t', { run: ({ attempt }) => `draft ${attempt}` })], review: () => 'APPROVE' }),
      phase('print', { after: ['draft'], tasks: [task('t', { run: ({ inputs }) => inputs['draft']?.['t'] })] }),
    ],
  });
}

/** A fork of a run that was completed, from another decision of its first gate. */
const forked = recording({
  name: 'forked',
  pipeline: letter,
  before: (store, clock) => startRun(letter(), { store, clock, runId: 'source' }).result,
  fork: async (store) => {
    const at = (await readRun(store, 'source')).find(({ event }) => event.type === 'review.decided')?.seq ?? 0;
    return forkRun(store, 'source', { at, decision: retry('Make it longer.'), runId: 'forked' });
  },
});

function learning(): Pipeline<unknown> {
  return definePipeline({
    name: 'reflected',
    phases: [
      phase('draft', {
        tasks: [
          task('t', {
            run: ({ revision, artifacts, report, attempt }) => {
              report({ artifact: { name: 'log', content: `log ${attempt}` }, observation: `Attempt ${attempt}.` });
              return [attempt, revision?.reflections ?? [], artifacts.length];
            },
          }),
        ],
        subscribe: ['draft/log'],
        review: {
          by: ({ attempt }) => (attempt < 2 ? retry(`Not ${attempt}.`) : 'APPROVE'),
          strategy: 'lastAttemptAndReflexion',
          reflect: ({ attempt, feedback }) => {
            if (attempt === 2) throw new Error('Nothing comes to mind.');
            return `Learned from ${feedback}`;
          },
        },
      }),
    ],
  });
}

/** Reflections, one that fails, and a memory of an earlier run. */
const reflected = recording({
  name: 'reflected',
  start: { memory: 'us' },
  pipeline: learning,
  before: (store, clock) => startRun(learning(), { store, clock, runId: 'earlier', memory: 'us' }).result,
});

/** A function of the program masks names. */
const redacted = recording({
  name: 'redacted',
  pipeline: () =>
    definePipeline({
      name: 'redacted',
      phases: [
        phase('draft', {
          tasks: [task('t', { run: ({ attempt }) => `For Bob, ${attempt}` })],
          review: ({ attempt }) => (attempt === 0 ? retry('Leave out Bob.') : 'APPROVE'),
        }),
        phase('send', { after: ['draft'], tasks: [task('t', { run: ({ wait }) => wait(50).then(() => 1) })] }),
      ],
    }),
  redact: (event) => JSON.parse(JSON.stringify(event).replaceAll('Bob', '[person]')) as typeof event,
  act: (records) =>
    count(records, 'phase.approved') === 1 && count(records, 'run.resumed') === 0 ? 'suspend' : undefined,
});

/** Not one of anybody. It is put together here, so that nobody takes this file for a leak. */
const SECRET = ['sk', 'proj', 'a1B2c3D4e5F6g7H8i9J0k1L2'].join('-');

/** Secrets in errors, feedback, reasons, progress, warnings and artifacts; they steer nothing. */
const masked = recording({
  name: 'masked',
  pipeline: ({ past }) =>
    definePipeline({
      name: 'masked',
      phases: [
        phase('source', {
          tasks: [
            task('t', {
              retry: { attempts: 2, backoff: { first: 100 } },
              run({ report, attempt }) {
                report({ progress: `with ${SECRET}`, artifact: { name: 'env', content: { password: SECRET } } });
                report({ warning: { code: 'KEY', message: `The key ${SECRET} is old.` } });
                if (!past(100)) throw new Error(`401 for ${SECRET}`);
                return attempt;
              },
            }),
          ],
          review: ({ attempt }) => (attempt === 0 ? retry(`Remove ${SECRET}.`) : 'APPROVE'),
        }),
        phase('asks', {
          after: ['source'],
          tasks: [task('t', { run: ({ inputs }) => inputs['source']?.['t'] })],
          review: ({ outputs: { t } }) =>
            Number(t) < 2 ? `RETRY_PREDECESSOR source: It shows ${SECRET}.` : `ESCALATE: Is ${SECRET} in it?`,
        }),
        phase('broken', {
          tasks: [
            task('t', {
              run() {
                throw new Error(`403 for ${SECRET}`);
              },
            }),
          ],
        }),
      ],
    }),
  people: () => decide(`REJECT: It has ${SECRET}.`),
});

/** Its own `redact` masks the input. */
const unnamed = recording({
  name: 'unnamed',
  start: { input: { name: 'Ann Other', count: 2 } },
  next: () => ({ how: 'resume', options: { allowMasked: true } }),
  redact: (event) => (event.type === 'run.started' ? { ...event, input: { name: '[masked]', count: 2 } } : event),
  pipeline: () =>
    definePipeline({
      name: 'unnamed',
      phases: [
        phase('greet', {
          tasks: [task('t', { run: ({ input }) => Object.keys(input ?? {}).length })],
        }),
      ],
    }),
});

export const ends = [
  failed,
  tagged,
  orphaned,
  halted,
  cancelled,
  reopened,
  resumed,
  forked,
  reflected,
  masked,
  redacted,
  unnamed,
];
