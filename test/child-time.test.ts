/** Time of work of a run whose task waits for people: in a run of its own, or elsewhere. */
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  human,
  memoryStore,
  phase,
  resumeRun,
  startRun,
  task,
  type Pipeline,
  type Run,
  type TaskContext,
} from '../src/index.ts';
import { rehearse } from '../src/testing.ts';
import { idle, simulatedTime, type SimulatedTime } from './rig.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const HALF_AN_HOUR = HOUR / 2;

const working = (ms: number) => ({ run: ({ wait }: Pick<TaskContext, 'wait'>) => wait(ms) });

/** A run of two levels whose innermost one works for 2 seconds, asks a person, and works for 3 seconds. */
function nested() {
  const ask = phase('ask', { after: ['one'], tasks: [task('ask', { run: human({ question: 'Good?' }) })] });
  const inner = definePipeline({
    name: 'inner',
    phases: [
      phase('one', { tasks: [task('t', working(2 * SECOND))] }),
      ask,
      phase('two', { after: [ask], tasks: [task('t', working(3 * SECOND))] }),
    ],
  });
  const outer = (name: string, made: Pipeline<unknown>) =>
    definePipeline({
      name,
      limits: { durationMs: 10 * SECOND },
      phases: [phase('build', { tasks: [task('all', { pipeline: () => made })] })],
    });
  return outer('outer', outer('middle', inner));
}

async function asked(run: Run<unknown>, time: SimulatedTime): Promise<string> {
  await settled();
  await time.pass(2 * SECOND);
  await settled();
  return run.inbox()[0]?.id ?? '';
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await idle();
}

describe('time in which the run of a task waits for people', () => {
  it('is no time of work of any run above it', async () => {
    const time = simulatedTime();
    const run = startRun(nested(), { store: memoryStore(), runId: 'r', clock: time.clock });
    const item = await asked(run, time);
    await time.pass(5 * HOUR);
    await run.answer(item, { type: 'value', value: 1 });
    await settled();
    await time.pass(3 * SECOND);
    expect(await run.result).toMatchObject({
      status: 'completed',
      metrics: { durationMs: 5 * SECOND, elapsedMs: 5 * HOUR + 5 * SECOND },
    });
  });

  it('is none after a restart either, and its end is noticed', async () => {
    const time = simulatedTime();
    const store = memoryStore();
    const pipeline = nested();
    const first = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    const item = await asked(first, time);
    first.suspend();
    await first.result;
    const run = await resumeRun(store, 'r', pipeline, { clock: time.clock });
    await settled();
    await time.pass(5 * HOUR);
    await run.answer(item, { type: 'value', value: 1 });
    await settled();
    await time.pass(3 * SECOND);
    const { status, metrics } = await run.result;
    expect([status, metrics.durationMs]).toEqual(['completed', 5 * SECOND]);
  });
});

describe('a task that reports a wait for people', () => {
  it('does not work until it reports that it works again', async () => {
    const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
    const { result } = await rehearse(pipeline, {
      tasks: {
        async t({ report, wait }: TaskContext) {
          await wait(SECOND);
          report({ waiting: true });
          await wait(HALF_AN_HOUR);
          report({ waiting: false });
          await wait(SECOND);
        },
      },
    });
    expect(result.metrics).toMatchObject({ durationMs: 2 * SECOND, elapsedMs: HALF_AN_HOUR + 2 * SECOND });
  });
});
