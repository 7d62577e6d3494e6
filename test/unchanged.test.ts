/** Attempts that put out what was sent back, and demands that are made again in the same words. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  itemDetail,
  phase,
  requestChanges,
  resumeRun,
  retryRun,
  startRun,
  task,
  type InboxItem,
  type RunRecord,
  type TaskContext,
  memoryStore,
} from '../src/index.ts';
import { becauseOf } from '../src/projections/wording/item-words.ts';
import { copyRun } from '../src/runtime/fork.ts';
import { fake, fakeCheck, play, trace } from './rig.ts';

const demands = (count: number) => Array.from({ length: count }, (_, at) => `RETRY: change ${at}`);
const about = (lines: readonly string[]) => lines.filter((line) => /unchanged|loop|started|run /u.test(line));

describe('an attempt that puts out what was sent back', () => {
  it('is recorded before its review, with how often in a row', async () => {
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

  it('is a loop after `loopAfter` of them in a row', async () => {
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

  it('is no loop where the attempts between were other ones, or with `loopAfter: unlimited`', async () => {
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

  it('is told to its reviewers and its checks', async () => {
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

  it('is one of a phase that a later one has sent back, and a loop of the gate that goes on to send it back', async () => {
    //  a ──▶ b
    //  ▲─────┘ again and again; a puts out the same
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

  it('is none where nothing is put out, as that says nothing of what was done', async () => {
    const work = fake('work', {
      maxRetries: 4,
      outputs: Array(9).fill(() => undefined),
      verdicts: demands(4),
    });
    expect((await trace([work])).join('\n')).not.toMatch(/unchanged|loop/u);
  });

  it('is no loop by itself where checks find something else each time: they see more than outputs', async () => {
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
    ]);
  });

  it('is why a person is asked, in words, with the attempts that have changed nothing', async () => {
    const store = memoryStore();
    const work = phase('work', {
      tasks: [task('text', { run: () => 'text' })],
      review: { by: ({ attempt }) => `RETRY: change ${attempt}`, maxRetries: 5, onExhausted: 'escalate' },
    });
    const run = startRun(definePipeline({ name: 'p', phases: [work] }), { store, runId: 'r', attended: true });
    for await (const { event } of run) if (event.type === 'phase.escalated') break;
    const [item] = run.inbox();
    expect(item).toMatchObject({ because: 'loop' });
    expect(item && becauseOf(item)).toBe(
      'it goes round in a loop: 2 attempts in a row had the outputs that were sent back, and the demand is repeated',
    );
    const { attempts } = itemDetail(await store.read('r'), item as InboxItem);
    expect(attempts.map(({ unchanged }) => unchanged)).toEqual([undefined, 1, 2]);
    run.cancel();
    await run.result;
  });

  it('starts anew where a person has decided', async () => {
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
  it('is a loop where it repeats the one before for the `loopAfter`th time in a row', async () => {
    const work = fake('work', { maxRetries: 9, verdicts: Array(9).fill('RETRY: more') });
    expect(about(await trace([work]))).toEqual([
      'work started 0',
      'work started 1: more',
      'work started 2: more',
      'work goes round in a loop: feedback',
      'run rejected',
    ]);
  });

  it('is none in other words, or where it was approved, or an issue was found between', async () => {
    const verdicts = ['RETRY: a', 'RETRY: a', 'RETRY: b', 'RETRY: a', 'RETRY: a'];
    expect((await trace([fake('work', { maxRetries: 9, verdicts })])).join('\n')).not.toContain('loop');
    const issue = requestChanges([{ severity: 'low', description: 'A word is missing.' }]);
    const between = ['RETRY: a', 'RETRY: a', issue, 'RETRY: a', 'RETRY: a'];
    expect((await trace([fake('work', { maxRetries: 9, verdicts: between })])).join('\n')).not.toContain('loop');
    const approved = fake('work', { maxRetries: 9, verdicts: ['RETRY: a', 'RETRY: a', 'APPROVE', 'RETRY: a'] });
    const later = fake('later', { after: ['work'], verdicts: ['RETRY_PREDECESSOR work: cite'] });
    expect((await trace([approved, later])).join('\n')).not.toContain('loop');
  });

  it('is one of a later gate that sends back the same phase with it', async () => {
    const b = fake('b', {
      after: ['a'],
      maxPredecessorRetries: 9,
      verdicts: Array(9).fill('RETRY_PREDECESSOR a: more'),
    });
    expect((await trace([fake('a'), b])).filter((line) => /loop|rewinding/u.test(line))).toEqual([
      'b rewinding a: more',
      'b rewinding a: more',
      'b goes round in a loop: feedback',
    ]);
  });

  it('goes on where the review could not be had between, and in another generation', async () => {
    const work = fake('work', {
      after: ['base'],
      maxRetries: 9,
      reviewBackoff: { first: 0 },
      verdicts: ['RETRY: a', new Error('no network'), 'RETRY: a', 'RETRY: a'],
    });
    expect((await trace([fake('base'), work])).filter((line) => line.includes('loop'))).toHaveLength(1);
  });

  it('starts anew where a run that has ended is tried again', async () => {
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
  // Made by the build of commit 46d083e, and left while the fourth attempt of `stuck` was at work.
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

  it('goes on by the rules that it began with', async () => {
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

  it('would end otherwise by the rules of today', async () => {
    const { phases } = await startRun(pipeline).result;
    expect(phases['stuck']).toMatchObject({ status: 'rejected', attempts: 3 });
  });
});
