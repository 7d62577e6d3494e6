import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  approve,
  definePipeline,
  escalate,
  forkRun,
  phase,
  requestChanges,
  resumeRun,
  retry,
  retryRun,
  retryPredecessor,
  startRun,
  task,
  type Decision,
  type Run,
  memoryStore,
  readRun,
} from '../src/index.ts';
import { checkFork } from '../src/runtime/fork.ts';
import { copyRun } from '../src/runtime/records/copy-run.ts';
import { drive, idle, simulatedTime } from './rig.ts';

describe('resumeRun()', () => {
  it('waits for the rest of the backoff of a review error', async () => {
    const store = memoryStore();
    const time = simulatedTime();
    const asked: number[] = [];
    const make = () =>
      definePipeline({
        name: 'p',
        phases: [
          phase('a', {
            tasks: [task('t', { run: () => 1 })],
            review: () => {
              asked.push(time.clock.now());
              if (asked.length === 1) throw Object.assign(new Error('busy'), { retryAfterMs: 9000 });
              return 'APPROVE';
            },
          }),
        ],
      });
    const first = startRun(make(), { store, runId: 'r1', clock: time.clock });
    await new Promise<void>((resolve) => {
      first.events$.subscribe(({ event }) => event.type === 'review.started' && event.asked === 2 && resolve());
    });
    await idle();
    await time.pass(4000);
    first.suspend();
    await first.result;
    await time.pass(1000);
    const again = await resumeRun(store, 'r1', make(), { clock: time.clock });
    await drive(again, time);
    expect(asked).toEqual([0, 9000]);
    const events = (await readRun(store, 'r1')).map(({ event }) => event);
    expect(events.filter((event) => event.type === 'review.decided').map((event) => event.verdict)).toMatchObject([
      { type: 'unavailable', error: { message: 'busy', retryAfterMs: 9000 } },
      { type: 'approve' },
    ]);
  });

  it('continues the run', async () => {
    const store = memoryStore();
    const calls: string[] = [];
    let stop: (() => void) | undefined;
    const make = (block: boolean) =>
      definePipeline({
        name: 'p',
        phases: [
          phase('a', {
            tasks: [
              task('t', {
                run: ({ attempt }) => {
                  calls.push(`a${attempt}`);
                  return attempt;
                },
              }),
            ],
            review: ({ attempt }) => (attempt < 1 ? retry('more') : 'APPROVE'),
          }),
          phase('b', {
            after: ['a'],
            tasks: [
              task('x', {
                run: () => {
                  calls.push('bx');
                  return 1;
                },
              }),
              task('y', {
                after: ['x'],
                run: async ({ idempotencyKey }) => {
                  calls.push(`by ${idempotencyKey}`);
                  if (block) {
                    stop?.();
                    await new Promise(() => undefined);
                  }
                  return 2;
                },
              }),
            ],
          }),
        ],
      });
    const run = startRun(make(true), { store, runId: 'r' });
    await new Promise<void>((resolve) => (stop = resolve));
    run.suspend();
    expect((await run.result).status).toBe('suspended');
    const again: Run<unknown> = await resumeRun(store, 'r', make(false));
    const result = await again.result;
    expect(result.status).toBe('completed');
    expect(calls).toEqual(['a0', 'a1', 'bx', 'by r/b/0/0/task/y', 'by r/b/0/0/task/y']);
    expect(await store.run('r')).toMatchObject({ status: 'completed', lease: undefined, approved: 2, phases: 2 });
  });
});

describe('forkRun()', () => {
  const made: string[] = [];
  const pipeline = definePipeline({
    name: 'p',
    phases: [
      phase('draft', {
        tasks: [task('write', { run: ({ attempt }) => `draft ${attempt}` })],
        review: { by: () => retry('again'), maxRetries: 1, onExhausted: 'reject' },
      }),
      phase('print', {
        after: ['draft'],
        tasks: [task('press', { run: ({ inputs }) => void made.push(JSON.stringify(inputs)) })],
      }),
    ],
  });

  it('runs on from another decision', async () => {
    const store = memoryStore();
    expect((await startRun(pipeline, { store, runId: 'r' }).result).status).toBe('rejected');
    const forked = await forkRun(store, 'r', { at: { phase: 'draft' }, decision: approve() });
    const { status, phases } = await (await resumeRun(store, forked, pipeline)).result;
    expect(status).toBe('completed');
    expect(phases['draft']).toMatchObject({ because: 'approved', attempts: 2, outputs: { write: 'draft 1' } });
    expect(made).toEqual(['{"draft":{"write":"draft 1"}}']);
    expect(await store.run(forked)).toMatchObject({ forkOf: 'r', status: 'completed' });
    expect(await store.run('r')).toMatchObject({ status: 'rejected' });
  });

  it.each([
    ['a record that is no decision', { at: 2, decision: approve() }],
    ['a record that is not there', { at: 99 }],
    ['a phase that has not started', { at: { phase: 'print' } }],
    ['a phase that is not there', { at: { phase: 'nope' }, decision: approve() }],
  ])('refuses %s', async (_, options) => {
    const store = memoryStore();
    await startRun(pipeline, { store, runId: 'r' }).result;
    await expect(forkRun(store, 'r', options)).rejects.toMatchObject({ code: 'FORK_INVALID' });
    expect(await store.runs()).toHaveLength(1);
  });
});

describe('a fork', () => {
  const made = (input?: z.ZodType) =>
    definePipeline({ name: 'p', input, phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });

  it('has its input validated again, before it is stored and before it resumes', async () => {
    const store = memoryStore();
    const first = made(z.object({ topic: z.string() }));
    const second = made(z.object({ topic: z.string(), depth: z.number() }));
    await startRun(first, { store, runId: 'r', input: { topic: 'gates' } }).result;
    const point = { at: { phase: 'a' } };
    const error: unknown = await checkFork(store, 'r', point, second).catch((thrown: unknown) => thrown);
    expect(error).toMatchInlineSnapshot(`
      [PhasegateError: Cannot resume run r, a fork, as the schema of pipeline "p" refuses its input:
        depth: Invalid input: expected number, received undefined
      Resume it with the definition that the run was started with; or start another run, with an \`input\` that the schema accepts.
      Docs: docs/errors.md#INPUT_INVALID]
    `);
    const forked = await forkRun(store, 'r', point);
    await expect(resumeRun(store, forked, second)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await store.run(forked)).toMatchObject({ status: 'running', lease: undefined });
    expect((await (await resumeRun(store, forked, first)).result).status).toBe('completed');
  });

  it('has the given input validated, not the output of the schema', async () => {
    const store = memoryStore();
    const pipeline = made(z.string().transform((text) => text.length));
    await startRun(pipeline, { store, runId: 'r', input: 'gates' }).result;
    expect((await readRun(store, 'r'))[0]?.event).toMatchObject({
      type: 'run.started',
      input: 5,
      given: { value: 'gates' },
    });
    const forked = await forkRun(store, 'r', { at: { phase: 'a' } });
    expect((await (await resumeRun(store, forked, pipeline)).result).status).toBe('completed');
  });

  it('has its input validated even if none was given, or if there was no schema', async () => {
    const store = memoryStore();
    const [open, lenient, strict] = [made(), made(z.string().default('gates')), made(z.string())];
    await startRun(open, { store, runId: 'none' }).result;
    await startRun(open, { store, runId: 'some', input: 7 }).result;
    const point = { at: { phase: 'a' } };
    await checkFork(store, 'none', point, lenient);
    await expect(checkFork(store, 'none', point, strict)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(checkFork(store, 'some', point, strict)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await checkFork(store, 'some', point, made(z.number()));
  });

  it('keeps the input of an earlier build, which has not stored the given one', async () => {
    const store = memoryStore();
    const pipeline = made(z.string().transform((text) => text.length));
    await startRun(pipeline, { store, runId: 'r', input: 'gates' }).result;
    const [first, ...rest] = await readRun(store, 'r');
    if (first?.event.type !== 'run.started') throw new Error('a run begins with run.started');
    const { given: _, ...event } = first.event;
    const info = { startedAt: 0 };
    await copyRun(store, 'earlier', [{ ...first, event }, ...rest], info);
    const forked = await forkRun(store, 'earlier', { at: { phase: 'a' } });
    expect(await (await resumeRun(store, forked, pipeline)).result).toMatchObject({ status: 'completed' });
  });
});

describe('retryRun()', () => {
  it('knows no run whose input was refused, as that happens before anything is stored', async () => {
    const store = memoryStore();
    const input = z.object({ topic: z.string() });
    const pipeline = definePipeline({
      name: 'p',
      input,
      phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })],
    });
    const options: never = { store, runId: 'r', input: {} } as never;
    expect(await startRun(pipeline, options).result).toMatchObject({
      status: 'failed',
      error: { code: 'INPUT_INVALID' },
    });
    await expect(retryRun(store, 'r', pipeline)).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    expect(await store.runs()).toEqual([]);
    // The id of the refused run is free.
    await store.acquire('r', 'another', 1000);
  });

  it.each([
    ['was left at work', (run: Run<unknown>) => run.suspend(), undefined],
    ['waits for a person', (run: Run<unknown>) => run.suspend(), escalate('Look.')],
  ])('refuses a run that %s, which can be resumed as before', async (_, leave, verdict) => {
    const store = memoryStore();
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let waits = true;
    const pipeline = definePipeline({
      name: 'p',
      phases: [
        phase('a', {
          tasks: [task('t', { run: () => (waits && !verdict ? held : undefined) })],
          review: () => (waits && verdict ? verdict : approve()),
        }),
      ],
    });
    const run = startRun(pipeline, { store, runId: 'r' });
    for await (const { event } of run)
      if (event.type === (verdict ? 'phase.escalated' : 'task.started')) {
        leave(run);
        break;
      }
    expect((await run.result).status).toBe('suspended');
    const before = await readRun(store, 'r');
    await expect(retryRun(store, 'r', pipeline)).rejects.toMatchObject({ code: 'RUN_NOT_ENDED' });
    expect(await readRun(store, 'r')).toEqual(before);
    expect(await store.run('r')).toMatchObject({ status: 'running', lease: undefined });
    waits = false;
    goOn();
    const again = await resumeRun(store, 'r', pipeline);
    if (verdict) await again.decide('a', approve());
    expect((await again.result).status).toBe('completed');
  });
});

describe('a demand on a phase that has failed', () => {
  /*
   * research ─┬─ draft   sends research back, which fails then
   *             └─ facts   runs meanwhile, and sends research back, too
   */
  it('reaches the phase when the run is retried', async () => {
    const told: (string | undefined)[] = [];
    let fail: () => void = () => undefined;
    const failed = new Promise<void>((resolve) => (fail = resolve));
    let broken = true;
    const judge = (says: string) => () => (broken ? retryPredecessor('research', says) : approve());
    const pipeline = definePipeline({
      name: 'article',
      phases: [
        phase('research', {
          tasks: [
            task('read', {
              run({ revision }) {
                told.push(revision?.feedback);
                if (revision && broken) throw new Error('The library is closed');
                return 'notes';
              },
            }),
          ],
        }),
        phase('draft', { after: ['research'], tasks: [task('write', { run: () => 'text' })], review: judge('dates') }),
        phase('facts', {
          after: ['research'],
          tasks: [task('check', { run: () => (broken ? failed : undefined) })],
          review: judge('sources'),
        }),
      ],
    });
    const store = memoryStore();
    const run = startRun(pipeline, { store, runId: 'r' });
    run.events$.subscribe(({ event }) => {
      if (event.type === 'phase.failed' && event.phase === 'research') fail();
    });
    expect((await run.result).status).toBe('failed');
    expect(told).toEqual([undefined, 'dates']);

    broken = false;
    const { status } = await (await retryRun(store, 'r', pipeline)).result;
    expect(status).toBe('completed');
    expect(told).toHaveLength(3);
    expect(told[2]).toContain('dates');
    expect(told[2]).toContain('sources');
    expect((await readRun(store, 'r')).at(-1)?.event).toMatchObject({ type: 'run.ended', status: 'completed' });
  });

  it('reaches the phase as well if it sent itself back, and a limit asked a person instead', async () => {
    const told: (string | undefined)[] = [];
    const verdicts: Decision[] = [
      retry('again'),
      requestChanges([
        { severity: 'high', description: 'No sources.', affectedPhase: 'research' },
        { severity: 'low', description: 'No title.' },
      ]),
      approve(),
    ];
    const pipeline = definePipeline({
      name: 'article',
      limits: { attemptsPerPhase: 2 },
      policy: { onLimit: 'escalate' },
      phases: [
        phase('research', { tasks: [task('read', { run: () => 'notes' })] }),
        phase('draft', {
          after: ['research'],
          tasks: [task('write', { run: ({ revision }) => told.push(revision?.feedback) })],
          review: () => verdicts.shift() ?? approve(),
        }),
      ],
    });
    const store = memoryStore();
    const run = startRun(pipeline, { store, runId: 'r' });
    for await (const { event } of run) if (event.type === 'phase.escalated') run.cancel('later');
    expect((await run.result).status).toBe('cancelled');
    expect(told).toEqual([undefined, 'again']);

    const again = await retryRun(store, 'r', pipeline);
    for await (const { event } of again)
      if (event.type === 'limit.reached' && event.holds === null) await again.decide('attemptsPerPhase', approve());
    expect((await again.result).status).toBe('completed');
    expect(told).toEqual([undefined, 'again', expect.stringContaining('No title.')]);
  });
});
