import { describe, expect, it, vi } from 'vitest';
import {
  approve,
  definePipeline,
  escalate,
  human,
  phase,
  resumeRun,
  startRun,
  task,
  type Limits,
  type Policy,
  type Run,
  type TaskContext,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { InboxItem } from '../src/inbox.ts';
import type { RunRecord } from '../src/records.ts';
import { foldTimeline, type Timeline } from '../src/projections/timeline/timeline.ts';
import { fails, rehearse, reports, takes, type Script } from '../src/testing.ts';
import { drive, fake, play, simulatedTime, untilAborted, type SimulatedTime } from './rig.ts';

describe('foldTimeline()', () => {
  it('has work, reviews, retries and the backoff of a task', async () => {
    const flaky = task('t', { retry: { attempts: 2, backoff: { first: 40, factor: 1, max: 40 } }, run: () => 1 });
    const phases = [
      phase('a', { tasks: [flaky], review: () => 'APPROVE' }),
      phase('b', { after: ['a'], tasks: [task('t', { run: () => 1 })] }),
    ];
    const records = await rehearsed(phases, {
      tasks: { a: [takes(10, fails('busy')), takes(10, 1), takes(10, 2)], b: takes(7, 1) },
      reviews: { a: [takes(5, 'RETRY: more'), takes(5, 'APPROVE')] },
    });
    const timeline = folded(records);
    expect(told(timeline)).toEqual([
      'a work g0 a0 0-60 done',
      'a backoff g0 a0 t 10-50 again',
      'a review g0 a0 60-65 retry',
      'a work g0 a1 65-75 done',
      'a review g0 a1 75-80 approved',
      'b work g0 a0 80-87 approved',
    ]);
    expect(timeline).toMatchObject({ from: 0, to: 87, arrows: [], holds: [] });
    expectSound(timeline, records);
  });

  it('has phases that wait while others run again, and the rewinds', async () => {
    //  a ──▶ b ──▶ c      c ⇢ a, and d has read a
    //  └───▶ d
    const time = simulatedTime();
    const lasts = (ms: number) => [1, 2, 3].map((value) => () => after(time, ms, value));
    const phases = [
      fake('a', { outputs: lasts(10) }),
      fake('b', { after: ['a'], outputs: lasts(20) }),
      fake('c', {
        after: ['b'],
        outputs: lasts(30),
        verdicts: ['RETRY_PREDECESSOR a: numbers', 'APPROVE'],
        rewindTo: 'ancestors',
        invalidate: 'all',
      }),
      fake('d', { after: ['a'], outputs: lasts(100) }),
    ];
    const { records } = await play(phases, { time });
    const timeline = folded(records);
    expect(told(timeline)).toEqual([
      'a work g0 a0 0-10 approved',
      'b work g0 a0 10-30 approved',
      'd work g0 a0 10-70 invalidated',
      'c work g0 a0 30-60 done',
      'c review g0 a0 60-60 rewind',
      'c waiting g0 a0 60-90 started',
      'b waiting g0 a0 60-70 started',
      'a work g1 a1 60-70 approved',
      'b work g1 a0 70-90 approved',
      // The earlier handler ignores its signal, so the new one waits for its end.
      'd work g1 a0 70-210 approved',
      'c work g0 a0 90-120 done',
      'c review g0 a0 120-120 approved',
    ]);
    const sent = records.find(({ event }) => event.type === 'phase.rewinding');
    expect(timeline.arrows).toEqual([{ from: 'c', to: 'a', time: 60, seq: sent?.seq }]);
    expectSound(timeline, records);
  });

  it('has the waits for a person: of a phase, a task and a reviewer', async () => {
    const phases = [
      phase('a', { tasks: [task('t', { run: () => 1 })], review: () => 'APPROVE' }),
      phase('b', {
        after: ['a'],
        tasks: [task('same', { run: human({ question: 'Which?' }) })],
        review: { by: task('same', { run: human({ question: 'Right?' }) }) },
      }),
    ];
    const records = await rehearsed(phases, {
      tasks: { a: [takes(10, 1), 2] },
      reviews: { a: ['ESCALATE: look', takes(5, 'APPROVE')] },
      people: {
        a: [takes(30, 'RETRY: again')],
        b: ({ kind }: InboxItem) => takes(50, kind === 'task' ? 'this' : approve()),
      },
    });
    const timeline = folded(records);
    expect(told(timeline)).toEqual([
      'a work g0 a0 0-10 done',
      'a review g0 a0 10-10 escalated',
      'a person g0 a0 10-40 retry',
      'a work g0 a1 40-40 done',
      'a review g0 a1 40-45 approved',
      'b work g0 a0 45-95 done',
      'b person g0 a0 same 45-95 answered',
      'b review g0 a0 95-145 approved',
      'b person g0 a0 same 95-145 answered',
    ]);
    expectSound(timeline, records);
  });

  it('has the wait for a person across a resume, until the answer', async () => {
    const store = memoryStore();
    const pipeline = definePipeline({
      name: 'p',
      phases: [phase('a', { tasks: [task('ask', { run: human({ question: 'How many?' }) })] })],
    });
    const run = startRun(pipeline, { store, runId: 'r' });
    const item = await question(run);
    run.suspend();
    await run.result;
    const again = await resumeRun(store, 'r', pipeline);
    await question(again);
    await again.answer(item, { type: 'value', value: 3 });
    await again.result;
    const waits = folded(await readRun(store, 'r')).bars.filter(({ kind }) => kind === 'person');
    expect(waits).toMatchObject([{ task: 'ask', outcome: 'answered' }]);
  });

  it('has a repeated review', async () => {
    const time = simulatedTime();
    const lost = async () => {
      await lasting(time, 10);
      throw new Error('no answer');
    };
    const one = fake('a', { verdicts: [lost, 'APPROVE'], reviewBackoff: { first: 30, factor: 1, max: 30 } });
    expect(told(folded((await play([one], { time })).records))).toEqual([
      'a work g0 a0 0-0 done',
      'a review g0 a0 0-10 again',
      'a review g0 a0 10-40 approved',
    ]);
  });

  it('has one bar at a time if a phase is sent back while it runs again', async () => {
    //  a ──▶ b      b ⇢ a, and while that runs again c ⇢ a
    //  └───▶ c
    const time = simulatedTime();
    const phases = [
      fake('a', { outputs: [10, 20, 20].map((ms) => () => after(time, ms, ms)) }),
      fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: numbers', 'APPROVE'] }),
      fake('c', { after: ['a'], verdicts: [() => after(time, 5, 'RETRY_PREDECESSOR a: names'), 'APPROVE'] }),
    ];
    const { records } = await play(phases, { time });
    const timeline = folded(records);
    expect(told({ ...timeline, bars: timeline.bars.filter((bar) => bar.phase === 'a') })).toEqual([
      'a work g0 a0 0-10 approved',
      'a work g1 a1 10-30 approved',
      'a work g2 a2 30-50 approved',
    ]);
    expect(timeline.arrows.map(({ from, to, time: at }) => `${from} ${to} ${at}`)).toEqual(['b a 10', 'c a 15']);
    expectSound(timeline, records);
  });

  it('shows a limit that holds one phase as a question about it', async () => {
    const { records } = await play([fake('a', { verdicts: ['RETRY: more'] })], {
      limits: { attemptsPerPhase: 1 },
      policy: { onLimit: 'escalate' },
      when: { 'limit attemptsPerPhase reached 1/1 holds a': (run) => run.decide('a', 'APPROVE') },
    });
    const timeline = folded(records);
    expect(timeline.holds).toEqual([]);
    expect(told(timeline).at(-1)).toBe('a person g0 a0 0-0 approved');
  });

  it('has limits that hold the whole run', async () => {
    const tasks = [task('t', { run: () => 1 })];
    const records = await rehearsed(
      [phase('a', { tasks }), phase('b', { after: ['a'], tasks })],
      { tasks: { a: reports({ costUsd: 2 }, takes(10, 1)), b: 1 }, people: { costUsd: takes(60, approve()) } },
      { limits: { costUsd: 1 }, policy: { onLimit: 'escalate' } },
    );
    const timeline = folded(records);
    const reached = records.find(({ event }) => event.type === 'limit.reached');
    expect(timeline.holds).toEqual([{ limit: 'costUsd', from: 0, to: 60, seq: reached?.seq }]);
    expect(told(timeline)).toEqual(['a work g0 a0 0-10 approved', 'b work g0 a0 60-60 approved']);
  });

  it('has the backoff of a retried reviewer, up to its due time', async () => {
    const retry = { attempts: 2, backoff: { first: 40, factor: 1, max: 40 } };
    const judge = task('judge', { retry, run: () => 'APPROVE' });
    const records = await rehearsed([phase('a', { tasks: [task('t', { run: () => 1 })], review: judge })], {
      tasks: { a: 1 },
      reviews: { judge: [takes(10, fails('busy')), takes(10, 'APPROVE')] },
    });
    const during = foldTimeline();
    for (const record of records) {
      during.apply(record);
      if (record.event.type === 'task.retrying') break;
    }
    expect(told(during.timeline())).toEqual([
      'a work g0 a0 0-0 done',
      'a review g0 a0 0-',
      'a backoff g0 a0 judge 10-',
    ]);
    expect(told(folded(records))).toEqual([
      'a work g0 a0 0-0 done',
      'a review g0 a0 0-60 approved',
      'a backoff g0 a0 judge 10-50 again',
    ]);
  });

  it('has no work while there was no process', async () => {
    const time = simulatedTime();
    const store = memoryStore();
    const make = (first: boolean) =>
      definePipeline({
        name: 'p',
        phases: [
          phase('a', { tasks: [task('t', { run: first ? untilAborted : () => after(time, 10, 1) })] }),
          phase('b', { tasks: [task('t', { run: () => 1 })], review: () => escalate('look') }),
          phase('c', { tasks: [task('note', { run: first ? reporting(time) : () => 1 })] }),
          phase('d', {
            tasks: [task('t', { run: () => 1 })],
            review: { by: task('judge', { run: () => (first ? new Promise<never>(() => undefined) : 'APPROVE') }) },
          }),
        ],
      });
    const run = startRun(make(true), { store, runId: 'r', clock: time.clock });
    await new Promise<void>((resolve) => {
      run.events$.subscribe(({ event }) => event.type === 'phase.escalated' && resolve());
    });
    await time.pass(20);
    run.suspend();
    await run.result;
    await time.pass(1000);
    const again = await resumeRun(store, 'r', make(false), { clock: time.clock });
    await drive(again, time, [() => again.decide('b', 'APPROVE')]);
    const records = await readRun(store, 'r');
    const timeline = folded(records);
    expect(told(timeline)).toEqual([
      'a work g0 a0 0-20 interrupted',
      'b work g0 a0 0-0 done',
      'c work g0 a0 0-20 interrupted',
      'd work g0 a0 0-0 done',
      'b review g0 a0 0-0 escalated',
      'd review g0 a0 0-20 interrupted',
      'b person g0 a0 0-1020 approved',
      'a work g0 a0 1020-1030 approved',
      'c work g0 a0 1020-1020 approved',
      'd review g0 a0 1020-1020 approved',
    ]);
    expectSound(timeline, records);
  });

  it('ends with the cancelled run, whatever is running', async () => {
    const time = simulatedTime();
    const phases = [
      fake('a', { outputs: [untilAborted] }),
      fake('b', { verdicts: ['ESCALATE: look'] }),
      fake('c', { tasks: [task('t', { run: human({ question: 'Which?' }) })] }),
    ];
    const { records } = await play(phases, {
      time,
      when: {
        'b escalated (requested): look': async (run) => {
          await time.pass(10);
          run.cancel('enough');
        },
      },
    });
    const bars = [
      'a work g0 a0 0-10 cancelled',
      'b work g0 a0 0-0 done',
      'c work g0 a0 0-10 cancelled',
      'b review g0 a0 0-0 escalated',
      'c person g0 a0 t 0-10 cancelled',
      'b person g0 a0 0-10 cancelled',
    ];
    expect(told(folded(records))).toEqual(bars);
    // The records of a run that was cancelled without its process contain only its end.
    const withoutWords = records.filter(({ event }) => event.type !== 'phase.cancelled');
    expect(told(folded(withoutWords))).toEqual(bars);
  });

  it('keeps unchanged bars as identical objects, and does not modify earlier results', async () => {
    const { records } = await play([fake('a', { verdicts: ['RETRY: x', 'APPROVE'] }), fake('b', { after: ['a'] })]);
    const fold = foldTimeline();
    const given = records.map((record) => {
      fold.apply(record);
      return { timeline: fold.timeline(), asText: JSON.stringify(fold.timeline()) };
    });
    expect(fold.timeline()).toBe(given.at(-1)?.timeline);
    given.forEach(({ timeline, asText }) => expect(JSON.stringify(timeline)).toBe(asText));
    const ended = given.flatMap(({ timeline }) => timeline.bars.filter(({ to }) => to !== null));
    expect(new Set(ended).size).toBe(given.at(-1)?.timeline.bars.length);
  });

  it('examines each record as often in a long run as in a short one', () => {
    const looksAt = (count: number): number => {
      let looks = 0;
      const records = Array.from({ length: count }, (_, index): RunRecord => {
        const event = { type: 'phase.started', phase: `p${index % 20}`, generation: index, attempt: 0 } as const;
        const record = { runId: 'r', seq: index + 1, time: index, event };
        return new Proxy(record, {
          get(target, key) {
            looks += 1;
            const value: unknown = Reflect.get(target, key);
            return value;
          },
        });
      });
      folded(records);
      return looks / count;
    };
    expect(looksAt(5000)).toBe(looksAt(50));
  });
});

// --- internal ---

/** Rehearses phases. @returns The records, with times from 0. */
async function rehearsed(
  phases: readonly ReturnType<typeof phase>[],
  script: Script,
  more: { readonly limits?: Limits; readonly policy?: Policy } = {},
): Promise<readonly RunRecord[]> {
  const { records } = await rehearse(definePipeline({ name: 'p', phases, ...more }), script);
  const start = records[0]?.time ?? 0;
  return records.map((record) => ({ ...record, time: record.time - start }));
}

function folded(records: readonly RunRecord[]): Timeline {
  const fold = foldTimeline();
  for (const record of records) fold.apply(record);
  return fold.timeline();
}

function told({ bars }: Timeline): readonly string[] {
  return bars.map(
    ({ phase: name, kind, generation, attempt, task: waits, from, to, outcome }) =>
      `${name} ${kind} g${generation} a${attempt} ${waits === undefined ? '' : `${waits} `}${from}-${to ?? ''}${outcome === undefined ? '' : ` ${outcome}`}`,
  );
}

/** Asserts that bars are in order, begin with a record, and do not overlap within a phase. */
function expectSound({ bars }: Timeline, records: readonly RunRecord[]): void {
  const ends = new Map<string, number>();
  let before = 0;
  for (const { phase: name, task: waits, from, to, seq } of bars) {
    expect(seq).toBeGreaterThanOrEqual(before);
    expect(records[seq - 1]?.time).toBe(from);
    before = seq;
    if (waits !== undefined) continue;
    expect(from).toBeGreaterThanOrEqual(ends.get(name) ?? 0);
    ends.set(name, to ?? Infinity);
  }
}

function lasting({ clock }: SimulatedTime, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, ms);
  });
}

/** Work that reports repeatedly while it runs. */
function reporting(time: SimulatedTime): (context: TaskContext) => Promise<never> {
  return async (context) => {
    await lasting(time, 20);
    context.report({ progress: 'half' });
    return untilAborted(context);
  };
}

async function after<T>(time: SimulatedTime, ms: number, value: T): Promise<T> {
  await lasting(time, ms);
  return value;
}

/** Returns the id of the first pending item. */
async function question(run: Run): Promise<string> {
  return vi.waitUntil(() => run.inbox()[0]?.id);
}
