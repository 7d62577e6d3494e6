/** Attempts with unchanged outputs, and demands that are repeated in the same words. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  phase,
  requestChanges,
  resumeRun,
  retryRun,
  startRun,
  task,
  type TaskContext,
  memoryStore,
} from '../src/index.ts';
import { itemDetail, type InboxItem } from '../src/inbox.ts';
import type { RunRecord } from '../src/records.ts';
import { becauseOf } from '../src/projections/wording/item-words.ts';
import { copyRun } from '../src/runtime/records/copy-run.ts';
import { aborts, rehearse } from '../src/testing.ts';
import { fake, fakeCheck, play, trace } from './rig.ts';

const demands = (count: number) => Array.from({ length: count }, (_, at) => `RETRY: change ${at}`);
const about = (lines: readonly string[]) =>
  lines.filter((line) => /unchanged|loop|started|run /u.test(line) && !line.includes(' rejected: '));

describe('an attempt with the output that was sent back', () => {
  it('is recorded before its review, with its consecutive number', async () => {
    const work = fake('work', {
      maxRetries: 5,
      loopAfter: 'unlimited',
      outputs: ['one', 'one', 'one', 'two', 'two'],
      verdicts: demands(4),
    });
    const { lines, records } = await play([work], { detail: ['reviews', 'tasks'] });
    expect(lines.filter((line) => line.includes('unchanged'))).toEqual([
      'work unchanged 1',
      'work unchanged 2',
      'work unchanged 1',
    ]);
    const at = records.findIndex(({ event }) => event.type === 'attempt.unchanged');
    expect(records.slice(at - 1, at + 2).map(({ event }) => event.type)).toEqual([
      'task.completed',
      'attempt.unchanged',
      'review.started',
    ]);
    expect(records[at]?.event).toEqual({
      type: 'attempt.unchanged',
      phase: 'work',
      generation: 0,
      attempt: 1,
      times: 1,
    });
  });

  it('is a loop after `loopAfter` consecutive ones', async () => {
    const work = fake('work', { maxRetries: 9, outputs: Array(9).fill('one'), verdicts: demands(9) });
    expect(about(await trace([work]))).toEqual([
      'work started 0',
      'work started 1: change 0',
      'work unchanged 1',
      'work started 2: change 1',
      'work unchanged 2',
      'work goes round in a loop: unchanged',
      'run rejected',
    ]);
  });

  it('is no loop if other attempts are between, or with `loopAfter: unlimited`', async () => {
    const turns = fake('work', {
      maxRetries: 4,
      outputs: ['one', 'one', 'two', 'two', 'three'],
      verdicts: demands(4),
    });
    expect((await trace([turns])).join('\n')).not.toContain('loop');
    const free = fake('work', {
      maxRetries: 4,
      loopAfter: 'unlimited',
      outputs: Array(9).fill(1),
      verdicts: demands(4),
    });
    expect((await trace([free])).join('\n')).not.toContain('loop');
  });

  it('is reported to its reviewers and its checks', async () => {
    const seen: unknown[] = [];
    const work = fake('work', {
      maxRetries: 5,
      loopAfter: 'unlimited',
      outputs: ['one', 'one', 'one', 'two'],
      verdicts: demands(3),
      checks: [
        {
          name: 'count',
          run: ({ unchanged }) => {
            seen.push(unchanged);
            return true;
          },
        },
      ],
    });
    await play([work]);
    expect(work.reviews.map(({ unchanged }) => unchanged)).toEqual([0, 1, 2, 0]);
    expect(seen).toEqual([0, 1, 2, 0]);
  });

  it('may belong to a phase that a later one has sent back, and is then a loop of the later gate', async () => {
    //  a ──▶ b
    //  ▲─────┘ again and again; a has the same output
    const b = fake('b', {
      after: ['a'],
      maxPredecessorRetries: 9,
      verdicts: Array.from({ length: 9 }, (_, at) => `RETRY_PREDECESSOR a: change ${at}`),
    });
    expect(about(await trace([fake('a', { outputs: Array(9).fill('one') }), b]))).toEqual([
      'a started 0',
      'b started 0',
      'a started 1 g1: change 0',
      'a unchanged 1',
      'b started 0',
      'a started 2 g2: change 1',
      'a unchanged 2',
      'b started 0',
      'b goes round in a loop: unchanged',
      'run rejected',
    ]);
  });

  it('is compared by content, of all tasks together', async () => {
    let asked = 0;
    const orders = [
      { x: 1, y: 2 },
      { y: 2, x: 1 },
    ];
    const work = fake('work', {
      tasks: [
        task('first', { run: () => orders[asked++ % 2] }),
        task('second', { run: ({ attempt }) => (attempt < 2 ? 'same' : 'other') }),
      ],
      verdicts: demands(2),
    });
    expect((await trace([work])).filter((line) => line.includes('unchanged'))).toEqual(['work unchanged 1']);
  });

  it('does not exist without outputs, as these would show the work', async () => {
    const work = fake('work', {
      maxRetries: 4,
      outputs: Array(9).fill(() => undefined),
      verdicts: demands(4),
    });
    expect((await trace([work])).join('\n')).not.toMatch(/unchanged|loop/u);
  });

  it('is no loop by itself if checks find something else each time: they see more than outputs', async () => {
    const answers = ['one is wrong', 'two is wrong', 'three is wrong', 'four is wrong', true];
    const work = fake('work', {
      maxRetries: 9,
      outputs: Array(9).fill('done'),
      checks: [fakeCheck('tests', answers)],
    });
    const other = await trace([work]);
    expect(other.join('\n')).not.toContain('loop');
    expect(other.at(-1)).toBe('run completed');
    const stuck = fake('work', {
      maxRetries: 9,
      outputs: Array(9).fill('done'),
      checks: [fakeCheck('tests', Array(9).fill('one is wrong'))],
    });
    expect((await trace([stuck])).filter((line) => line.includes('loop'))).toEqual([
      'work goes round in a loop: unchanged',
      'work rejected: it goes round in a loop: Check "tests" failed: one is wrong',
    ]);
  });

  it('is the reason for asking a person, in words, with the unchanged attempts', async () => {
    const review = { by: () => 'APPROVE', maxRetries: 5, onExhausted: 'escalate' } as const;
    const work = phase('work', { tasks: [task('text', { run: () => 'text' })], review });
    const asked: InboxItem[] = [];
    const { records } = await rehearse(definePipeline({ name: 'p', phases: [work] }), {
      tasks: { text: 'text' },
      reviews: { work: demands(3) },
      people: { work: (item: InboxItem) => (asked.push(item), aborts()) },
    });
    const [item] = asked;
    if (!item) throw new Error('Nobody is asked.');
    expect(item.because).toBe('loop');
    expect(becauseOf(item)).toBe(
      'it goes round in a loop: 2 attempts in a row had the outputs that were sent back, and they are sent back again',
    );
    const { attempts } = itemDetail(records, item);
    expect(attempts.map(({ unchanged }) => unchanged)).toEqual([undefined, 1, 2]);
  });

  it('is counted again after a decision of a person', async () => {
    const work = fake('work', {
      maxRetries: 9,
      onExhausted: 'escalate',
      outputs: Array(9).fill('one'),
      verdicts: demands(5),
    });
    const { lines } = await play([work], {
      when: {
        'work escalated (loop): change 2': (run) => run.decide('work', 'RETRY: look closely'),
        'work escalated (loop): change 4': (run) => run.decide('work', 'REJECT: enough'),
      },
    });
    expect(
      about(lines)
        .filter((line) => !line.includes('escalated'))
        .slice(-6),
    ).toEqual([
      'work started 3: look closely',
      'work unchanged 1',
      'work started 4: change 3',
      'work unchanged 2',
      'work goes round in a loop: unchanged',
      'run rejected',
    ]);
  });
});

describe('feedback in the same words', () => {
  it('is a loop at its `loopAfter`th consecutive repetition', async () => {
    const work = fake('work', { maxRetries: 9, verdicts: Array(9).fill('RETRY: more') });
    expect(about(await trace([work]))).toEqual([
      'work started 0',
      'work started 1: more',
      'work started 2: more',
      'work goes round in a loop: feedback',
      'run rejected',
    ]);
  });

  it('is no loop in other words, or after an approval, or after a review with an issue', async () => {
    const verdicts = ['RETRY: a', 'RETRY: a', 'RETRY: b', 'RETRY: a', 'RETRY: a'];
    expect((await trace([fake('work', { maxRetries: 9, verdicts })])).join('\n')).not.toContain('loop');
    const issue = requestChanges([{ severity: 'low', description: 'A word is missing.' }]);
    const between = ['RETRY: a', 'RETRY: a', issue, 'RETRY: a', 'RETRY: a'];
    expect((await trace([fake('work', { maxRetries: 9, verdicts: between })])).join('\n')).not.toContain('loop');
    const approved = fake('work', { maxRetries: 9, verdicts: ['RETRY: a', 'RETRY: a', 'APPROVE', 'RETRY: a'] });
    const later = fake('later', { after: ['work'], verdicts: ['RETRY_PREDECESSOR work: cite'] });
    expect((await trace([approved, later])).join('\n')).not.toContain('loop');
  });

  it('is a loop of a later gate that sends back the same phase with it', async () => {
    const b = fake('b', {
      after: ['a'],
      maxPredecessorRetries: 9,
      verdicts: Array(9).fill('RETRY_PREDECESSOR a: more'),
    });
    expect((await trace([fake('a'), b])).filter((line) => /loop: feedback|rewinding/u.test(line))).toEqual([
      'b rewinding a: more',
      'b rewinding a: more',
      'b goes round in a loop: feedback',
    ]);
  });

  it('is counted across a failed review, and across generations', async () => {
    const work = fake('work', {
      after: ['base'],
      maxRetries: 9,
      reviewBackoff: { first: 0 },
      verdicts: ['RETRY: a', new Error('no network'), 'RETRY: a', 'RETRY: a'],
    });
    expect((await trace([fake('base'), work])).filter((line) => line.includes('loop: feedback'))).toHaveLength(1);
  });

  it('is counted again after a retry of a run that has ended', async () => {
    let reviews = 0;
    const work = phase('work', {
      tasks: [task('text', { run: () => reviews })],
      review: { maxRetries: 5, by: () => (++reviews > 5 ? 'APPROVE' : 'RETRY: a') },
    });
    const pipeline = definePipeline({ name: 'p', phases: [work] });
    const store = memoryStore();
    expect((await startRun(pipeline, { store, runId: 'r' }).result).status).toBe('rejected');
    expect(reviews).toBe(3);
    const run = await retryRun(store, 'r', pipeline);
    expect((await run.result).status).toBe('completed');
    expect(reviews).toBe(6);
  });
});

describe('a run of the second edition', () => {
  // The fixture is of an earlier build, left while the fourth attempt of `stuck` was running.
  const records = readFileSync(new URL('fixtures/kept/second-edition.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RunRecord);
  const text = (run: (context: TaskContext) => unknown) => [task('text', { run })];
  const pipeline = definePipeline({
    name: 'second',
    policy: { invalidate: 'changed' },
    phases: [
      phase('source', {
        tasks: [task('x', { run: () => 'x' }), task('y', { run: ({ attempt }) => `y ${attempt}` })],
        review: () => 'APPROVE',
      }),
      phase('same', { tasks: text(() => 'same'), review: () => 'APPROVE' }),
      phase('reader', { after: ['source'], tasks: text(() => 'x') }),
      phase('equal', { after: ['same'], tasks: text(() => 'same') }),
      phase('judge', {
        after: ['reader', 'equal'],
        tasks: text(() => 'judged'),
        review: { rewindTo: ['source', 'same'], by: () => 'APPROVE' },
      }),
      phase('stuck', { tasks: text(() => 'text'), review: { by: () => 'RETRY: More.', maxRetries: 3 } }),
      phase('bystander', { after: ['source'], tasks: text(() => 'x') }),
      phase('witness', { after: ['same'], tasks: text(() => 'same') }),
    ],
  });

  it('continues by the rules that it began with', async () => {
    const store = memoryStore();
    await copyRun(store, 'second', records, { startedAt: records[0]?.time ?? 0 });
    const run = await resumeRun(store, 'second', pipeline);
    expect((await run.result).phases['stuck']).toMatchObject({ status: 'rejected', attempts: 4 });
    const later = (await store.read('second')).slice(records.length).map(({ event }) => event.type);
    expect(later).toEqual([
      'run.resumed',
      'task.started',
      'task.completed',
      'review.started',
      'review.decided',
      'phase.rejected',
      'run.ended',
    ]);
  });

  it('would end otherwise by the present rules', async () => {
    const { phases } = await startRun(pipeline).result;
    expect(phases['stuck']).toMatchObject({ status: 'rejected', attempts: 3 });
  });
});
