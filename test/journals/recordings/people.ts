/**
 * Recordings of people: as tasks, as reviewers, and where a gate or a limit cannot go on without one.
 *
 * @module
 */
import { z } from 'zod';
import {
  approve,
  definePipeline,
  escalate,
  human,
  phase,
  reject,
  requestChanges,
  retry,
  task,
} from '../../../src/index.ts';
import { count, decide, recording } from '../recording.ts';

/** People as tasks and as reviewers, who are reminded, pressed and let wait until it is too late. */
const asked = recording({
  name: 'asked',
  pipeline: () =>
    definePipeline({
      name: 'asked',
      phases: [
        phase('budget', {
          tasks: [
            task('colour', {
              run: human({
                question: 'Which colour?',
                description: 'There are two.',
                choices: ['red', 'blue'],
                queue: 'designers',
                severity: 'normal',
                remindAfterMs: 1000,
                raiseAfterMs: 2000,
                expireAfterMs: 3000,
                onExpiry: { queue: 'managers' },
              }),
            }),
          ],
          review: {
            by: [
              task('person', { run: human({ question: 'Is it a good one?', severity: 'high' }) }),
              task('program', { run: ({ wait }) => wait(50).then(() => 'APPROVE') }),
            ],
          },
        }),
        phase('release', {
          tasks: [task('t', { run: () => 'built' })],
          review: human({
            question: 'May it go out?',
            severity: 'urgent',
            raiseAfterMs: 500,
            expireAfterMs: 10_000,
            onExpiry: 'reject',
          }),
        }),
        phase('quick', {
          tasks: [task('t', { run: human({ question: 'Now?', expireAfterMs: 700, onExpiry: 'reject' }) })],
        }),
        phase('patient', {
          tasks: [task('t', { run: human({ question: 'Ever?', expireAfterMs: 900, onExpiry: 'stay' }) })],
        }),
      ],
    }),
  people: ({ kind, about, queue, expired }, records) => {
    if (about === 'budget' && kind === 'review')
      return count(records, 'review.waiting') > 0 ? decide('APPROVE', { by: 'ann' }) : undefined;
    if (about === 'budget' && queue === 'managers') return { reply: { type: 'value', value: 'blue' }, by: 'bob' };
    return about === 'patient' && expired ? { reply: { type: 'value', value: 'now' } } : undefined;
  },
});

/** A person is waited for after a program, in two reviews, and another process resumes the run in between. */
const shared = recording({
  name: 'shared',
  pipeline: () =>
    definePipeline({
      name: 'shared',
      phases: [
        phase('draft', {
          tasks: [task('write', { run: ({ attempt }) => attempt })],
          review: {
            by: [
              task('person', { run: human({ question: 'Is it good?' }) }),
              task('program', { run: ({ attempt }) => (attempt === 0 ? 'RETRY: Be short.' : 'APPROVE') }),
            ],
          },
        }),
      ],
    }),
  act: (records) => (count(records, 'run.resumed') === 0 ? 'suspend' : undefined),
  next: (records) => (count(records, 'run.resumed') === 0 ? { how: 'resume' } : undefined),
  people: (_, records) => (count(records, 'run.resumed') > 0 ? decide('APPROVE', { by: 'ann' }) : undefined),
});

/** Another process answers while nobody works on the run: first what is no good, then well. */
const refused = recording({
  name: 'refused',
  pipeline: () =>
    definePipeline({
      name: 'refused',
      phases: [
        phase('letter', {
          tasks: [task('text', { run: () => 'Dear all' }), task('title', { output: z.string(), run: () => 'News' })],
          review: { by: () => escalate('Is it kind?'), inbox: { queue: 'editors', severity: 'high' } },
        }),
      ],
    }),
  act: (records) => (count(records, 'item.changed') === 0 && !isDecided(records) ? 'suspend' : undefined),
  next: (records) => {
    if (count(records, 'phase.escalated') === 0 || isDecided(records)) return undefined;
    const say = decide('APPROVE', { by: 'eve', outputs: { title: 7 } });
    return count(records, 'item.changed') === 0 ? { how: 'answer', say } : undefined;
  },
  people: (_, records) =>
    count(records, 'item.changed') > 0 ? decide('APPROVE', { by: 'ann', outputs: { title: 'Good news' } }) : undefined,
});

function isDecided(records: Parameters<typeof count>[0]): boolean {
  return records.some(({ event }) => event.type === 'review.decided' && event.by === 'person');
}

/** Escalations, each ended by another answer. */
const decisions = recording({
  name: 'decisions',
  start: { attended: true },
  pipeline: ({ past }) =>
    definePipeline({
      name: 'decisions',
      concurrency: 1,
      phases: [
        phase('requested', { tasks: [task('t', { run: () => 1 })], review: () => escalate('Look at it.') }),
        phase('unavailable', {
          tasks: [task('t', { run: () => 1 })],
          review: {
            by: () => {
              if (!past(20_000)) throw new Error('The reviewer is away.');
              return 'APPROVE';
            },
            maxReviewErrors: 1,
          },
        }),
        phase('rejected', { tasks: [task('t', { run: () => 1 })], review: () => 'ESCALATE: Is it wanted?' }),
        phase('skipped', { tasks: [task('t', { run: () => 1 })], review: () => 'ESCALATE: Is it needed?' }),
        phase('needless', { after: ['skipped'], tasks: [task('t', { run: () => 1 })] }),
        phase('overdue', {
          tasks: [task('t', { run: () => 1 })],
          review: {
            by: () => 'ESCALATE: Does anybody care?',
            inbox: { expireAfterMs: 60_000, onExpiry: 'reject' },
          },
        }),
      ],
    }),
  people: ({ about }) => {
    switch (about) {
      case 'requested':
        return decide('APPROVE', { by: 'ann', outputs: { t: 2 } });
      case 'unavailable':
        return decide(approve());
      case 'rejected':
        return decide(reject('Nobody asked for it.'));
      case 'skipped':
        return { reply: { type: 'skip', reason: 'It is not needed.' }, by: 'ann' };
      default:
        return undefined;
    }
  },
});

/** Escalations because of a spent budget, a loop or an invalid target; a person sends each back. */
const returned = recording({
  name: 'returned',
  pipeline: () =>
    definePipeline({
      name: 'returned',
      policy: { onExhausted: 'escalate', onInvalidTarget: 'escalate' },
      phases: [
        phase('exhausted', {
          tasks: [task('t', { run: ({ attempt, generation }) => [generation, attempt] })],
          review: { by: ({ attempt }) => (attempt < 2 ? retry(`Not ${attempt}.`) : approve()), maxRetries: 0 },
        }),
        phase('loop', {
          after: ['exhausted'],
          tasks: [task('t', { run: ({ inputs }) => inputs['exhausted']?.['t'] })],
          review: {
            by: ({ attempt, outputs: { t } }) => (isFirst(t) ? retry(`Again ${attempt}.`) : approve()),
            maxRetries: 9,
          },
        }),
        phase('astray', {
          after: ['loop'],
          tasks: [task('t', { run: ({ inputs }) => inputs['exhausted']?.['t'] })],
          review: ({ outputs: { t } }) =>
            Array.isArray(t) && t[0] > 1 ? 'APPROVE' : 'RETRY_PREDECESSOR exhausted: From there.',
        }),
      ],
    }),
  people: ({ about }) => {
    const changes = requestChanges([
      { id: 'base', severity: 'high', description: 'The base is weak.', affectedPhase: 'exhausted' },
    ]);
    switch (about) {
      case 'exhausted':
        return decide(retry('Once more.', { requiredChange: 'Count on.' }), { by: 'ann' });
      case 'loop':
        return decide('RETRY_PREDECESSOR exhausted: It comes of that.', { by: 'bob' });
      case 'astray':
        return decide(changes, { by: 'bob' });
      default:
        return undefined;
    }
  },
});

/** True if an output is of a phase that no later one has sent back. */
function isFirst(output: unknown): boolean {
  return Array.isArray(output) && output[0] === 0;
}

/** A person ends the run. */
const aborted = recording({
  name: 'aborted',
  pipeline: () =>
    definePipeline({
      name: 'aborted',
      phases: [
        phase('done', { tasks: [task('t', { run: () => 1 })] }),
        phase('open', { after: ['done'], tasks: [task('t', { run: () => 1 })], review: () => 'ESCALATE: Go on?' }),
        phase('later', { after: ['open'], tasks: [task('t', { run: () => 1 })] }),
      ],
    }),
  people: () => ({ reply: { type: 'abort', reason: 'The project has ended.' }, by: 'ann' }),
});

/** Nobody answers: the run is left as it waits. */
const waiting = recording({
  name: 'waiting',
  pipeline: () =>
    definePipeline({
      name: 'waiting',
      phases: [
        phase('name', { tasks: [task('t', { run: human({ question: 'What is it called?', queue: 'owners' }) })] }),
        phase('draft', {
          tasks: [task('t', { run: ({ attempt }) => attempt })],
          review: {
            by: ({ attempt }) => (attempt === 0 ? retry('More.') : escalate('Is that enough?')),
            inbox: { severity: 'high' },
          },
        }),
        phase('print', {
          after: ['draft'],
          tasks: [task('t', { run: () => 1 })],
          review: human({ question: 'Is it straight?' }),
        }),
        phase('cover', { tasks: [task('t', { run: () => 1 })], review: human({ question: 'Is it bright?' }) }),
      ],
    }),
});

/** A task that waits for people elsewhere, and works again. */
const elsewhere = recording({
  name: 'elsewhere',
  pipeline: () =>
    definePipeline({
      name: 'elsewhere',
      limits: { durationMs: 1000 },
      phases: [
        phase('ask', {
          tasks: [
            task('t', {
              async run({ report, wait }) {
                report({ waiting: true });
                await wait(5000);
                report({ waiting: false });
                await wait(10);
                return 1;
              },
            }),
          ],
        }),
      ],
    }),
});

export const people = [elsewhere, asked, shared, refused, decisions, returned, aborted, waiting];
