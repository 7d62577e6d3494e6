import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definePipeline, human, phase, task, type Pipeline, type TaskContext } from '../../src/index.ts';
import type { InboxItem, Reply } from '../../src/inbox.ts';
import { startInput } from '../../src/runtime/start.ts';
import { runStep } from '../../src/runtime/steps/run-step.ts';
import { fake, simulatedTime, type FakeOptions } from '../rig.ts';
import { expectSame, typesOf } from './expect-same.ts';
import { runBySteps } from './stepper.ts';

const RUN = 'run-1';

describe('a run by steps', () => {
  it('has the records of a run in one process: retries with feedback, and a rewind', async () => {
    await expectSame(() =>
      pipelineOf([
        fake('a', { verdicts: ['RETRY: Name a number.', 'APPROVE'] }),
        fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: The number is wrong.', 'APPROVE'] }),
        fake('c', { after: ['b'], outputs: [new Error('unlucky'), 'done'], verdicts: ['RETRY: Shorter.'] }),
      ]),
    );
  });

  it('asks a person in a gate, and in a task', async () => {
    const make = () =>
      definePipeline({
        name: 'asks',
        phases: [
          phase('plan', {
            tasks: [task('draft', { run: () => 'a draft' }), task('budget', { run: human({ question: 'How much?' }) })],
          }),
          phase('build', {
            after: ['plan'],
            tasks: [task('work', { run: ({ inputs, attempt }) => `${JSON.stringify(inputs.plan)} ${attempt}` })],
            review: {
              by: [task('model', { run: () => 'APPROVE' }), task('owner', { run: human({ question: 'Good?' }) })],
            },
          }),
        ],
      });
    const replies = (): ((item: InboxItem) => Reply) => {
      let asked = 0;
      return ({ kind }) => {
        if (kind === 'task') return { type: 'value', value: 12 };
        asked += 1;
        return { type: 'decide', decision: asked === 1 ? 'RETRY: Greener.' : 'APPROVE' };
      };
    };
    const records = await expectSame(make, { replies });
    expect(typesOf(records).filter((type) => type === 'task.asked')).toHaveLength(3);
    expect(records.at(-1)?.event).toMatchObject({ type: 'run.ended', status: 'completed' });
  });

  it('asks a model once although its gate waits for a person', async () => {
    let asked = 0;
    const pipeline = definePipeline({
      name: 'once',
      phases: [
        phase('a', {
          tasks: [task('work', { run: () => 1 })],
          review: {
            by: [
              task('model', { run: () => ((asked += 1), 'APPROVE') }),
              task('owner', { run: human({ question: 'Good?' }) }),
            ],
          },
        }),
      ],
    });
    const { clock } = simulatedTime();
    const reply: Reply = { type: 'decide', decision: 'APPROVE' };
    const records = await runBySteps(pipeline, { runId: RUN, clock, answer: () => reply });
    expect(records.at(-1)?.event).toMatchObject({ status: 'completed' });
    expect(asked).toBe(1);
  });

  it('rejects when a deadline passes without an answer', async () => {
    const records = await expectSame(() =>
      definePipeline({
        name: 'late',
        phases: [
          phase('a', {
            tasks: [task('work', { run: () => 1 })],
            review: {
              by: task('owner', { run: human({ question: 'Good?', expireAfterMs: 60_000, onExpiry: 'reject' }) }),
            },
          }),
        ],
      }),
    );
    expect(typesOf(records)).toContain('item.changed');
    expect(records.at(-1)?.event).toMatchObject({ status: 'rejected' });
  });

  it('ends with the deadline of its limits', async () => {
    const records = await expectSame(() =>
      definePipeline({
        name: 'limited',
        limits: { deadlineMs: 5000 },
        phases: [phase('a', { tasks: [task('work', { run: human({ question: 'Well?' }) })] })],
      }),
    );
    expect(records.at(-1)?.event).toMatchObject({ status: 'exhausted', limit: 'deadlineMs' });
  });

  it('waits for the next try of a task without a worker', async () => {
    const make = () =>
      pipelineOf([
        fake('a', {
          tasks: [unlucky()],
        }),
      ]);
    const records = await expectSame(make);
    expect(typesOf(records).filter((type) => type === 'task.retrying')).toHaveLength(2);
  });

  it('goes on after its workers were lost, and repeats no task that was recorded', async () => {
    const calls: string[] = [];
    const noted = (name: string) =>
      task(name, {
        timeout: 0,
        async run() {
          calls.push(name);
          // So the start of the task is told in a batch before its end.
          for (let turn = 0; turn < 4; turn++) await setImmediate();
          return name;
        },
      });
    const make = () => {
      calls.length = 0;
      return definePipeline({
        name: 'lost',
        phases: [
          phase('a', {
            mode: 'sequential',
            tasks: [noted('one'), noted('two'), noted('three')],
            review: { by: task('model', { run: () => 'APPROVE' }) },
          }),
          phase('b', { after: ['a'], tasks: [noted('four')] }),
        ],
      });
    };
    await expectSame(make, { isLost: (batch) => batch === 2 });
    const count = (name: string) => calls.filter((one) => one === name).length;
    expect([count('one'), count('two'), count('four')]).toEqual([1, 2, 1]);
  });

  it('ignores facts about work that nobody wants any more', async () => {
    const pipeline = pipelineOf([fake('a')]);
    const input = await startInput(pipeline, RUN, { kept: true });
    const begun = await runStep({ pipeline, runId: RUN, records: [], now: 1, act: { type: 'begin', input } });
    const [work] = begun.work;
    const { records } = begun;
    const outcome = { type: 'done', outcome: { type: 'done', outputs: { work: 'stale' } } } as const;
    for (const token of ['a:1', 'b:2', '']) {
      const stale = await runStep({
        pipeline,
        runId: RUN,
        records,
        now: 2,
        act: { type: 'facts', token, facts: [], outcome },
      });
      expect([stale.isStale, stale.records, stale.work]).toMatchObject([true, [], [{ token: work?.token }]]);
    }
    expect(work?.token).toBe('a:2');
    const act = { type: 'cancel', reason: 'x'.repeat(60_000) } as const;
    const over = await runStep({ pipeline, runId: RUN, records, now: 2, act });
    expect([over.isOver, over.work]).toEqual([true, []]);
    const end = over.records.at(-1)?.event;
    expect(end?.type === 'run.ended' && end.reason?.length).toBeLessThan(51_000);
    const after = await runStep({ pipeline, runId: RUN, records: [...records, ...over.records], now: 3, act });
    expect([after.isOver, after.records]).toEqual([true, []]);
  });

  it('ignores reports that a lost worker has made before', async () => {
    const one = task('one', { run: () => 1 });
    const pipeline = definePipeline({
      name: 'twice',
      phases: [phase('a', { tasks: [one, task('two', { run: () => 2 })] })],
    });
    const input = await startInput(pipeline, RUN, { kept: true });
    const begun = await runStep({ pipeline, runId: RUN, records: [], now: 1, act: { type: 'begin', input } });
    const at = { phase: 'a', generation: 0, attempt: 0, task: 'one', try: 1 } as const;
    const error = { code: 'TASK_FAILED', name: 'Error', message: 'late' };
    const reports = [
      { type: 'task.started', ...at },
      { type: 'task.completed', ...at, output: 1 },
      { type: 'task.started', ...at },
      { type: 'task.completed', ...at, output: 2 },
      { type: 'task.failed', ...at, error },
    ] as const;
    const facts = reports.map((report) => ({ type: 'report', report }) as const);
    const act = { type: 'facts', token: 'a:2', facts } as const;
    const told = await runStep({ pipeline, runId: RUN, records: begun.records, now: 2, act });
    expect(told.records.map(({ event }) => event)).toEqual(reports.slice(0, 2));
    const again = await runStep({ pipeline, runId: RUN, records: [...begun.records, ...told.records], now: 3, act });
    expect([again.isStale, again.records]).toEqual([false, []]);
  });

  it('has the records of a run in one process, whatever its gates say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(drawnPhase, { minLength: 1, maxLength: 4 }), fc.boolean(), async (drawn, loses) => {
        const decisions = ['RETRY: As I said.', 'APPROVE'];
        const replies = (): ((item: InboxItem) => Reply) => {
          let asked = 0;
          return ({ empty }) => {
            asked += 1;
            return {
              type: 'decide',
              decision: empty ? 'REJECT: Nothing is there.' : (decisions[asked % 2] ?? 'APPROVE'),
            };
          };
        };
        await expectSame(() => pipelineOf(drawn.map(fakeOf)), {
          replies,
          isLost: (batch) => loses && batch % 2 === 1,
        });
      }),
      { numRuns: Number(process.env['PHASEGATE_SCENARIOS'] ?? 60), seed: 7 },
    );
  });
});

// --- internal ---

const drawnPhase = fc.record({
  verdicts: fc.option(
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant('APPROVE') },
        fc.constantFrom('RETRY: Again.', 'RETRY: Once more.', 'REJECT: No.', 'ESCALATE: Hm.', 'unclear'),
        fc.nat({ max: 2 }).map((back) => ({ back })),
        fc.constant(new Error('the model is away')),
      ),
      { maxLength: 4 },
    ),
  ),
  outputs: fc.array(fc.oneof(fc.constant('fine'), fc.constant('other'), fc.constant(new Error('broken'))), {
    maxLength: 3,
  }),
  attempts: fc.integer({ min: 1, max: 2 }),
});

type Drawn = typeof drawnPhase extends fc.Arbitrary<infer T> ? T : never;

/** A phase after the one before. Its gate may send back any ancestor. */
function fakeOf({ verdicts, outputs, attempts }: Drawn, index: number) {
  const name = `p${index}`;
  let run = 0;
  const work = task('work', {
    retry: { attempts },
    run: ({ revision }: TaskContext) => {
      run += 1;
      const output = outputs[run - 1] ?? `${name} ${run}`;
      if (output instanceof Error) throw output;
      return `${output} ${revision?.feedback ?? ''}`;
    },
  });
  const options: FakeOptions = {
    after: index === 0 ? [] : [`p${index - 1}`],
    tasks: [work],
    ...(verdicts && {
      verdicts: verdicts.map((one) =>
        typeof one === 'object' && 'back' in one
          ? `RETRY_PREDECESSOR p${Math.max(0, index - 1 - one.back)}: Look again.`
          : one,
      ),
    }),
  };
  return fake(name, options);
}

/** A task whose first two tries fail, a minute apart. */
function unlucky() {
  let tries = 0;
  return task('work', {
    retry: { attempts: 3, backoff: { first: 60_000, factor: 1 } },
    run: () => {
      tries += 1;
      if (tries < 3) throw new Error('unlucky');
      return tries;
    },
  });
}

function pipelineOf(phases: readonly ReturnType<typeof fake>[]): Pipeline {
  return definePipeline({ name: 'steps', phases: phases.map(({ definition }) => definition) });
}
