import { map } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  definePipeline,
  phase,
  readRun,
  startRun,
  task,
  type Report,
  type TaskContext,
  memoryStore,
  verifyRun,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import type { StandardSchemaV1 } from '../src/model/values/standard-schema.ts';
import { drive, fake, held, idle, never, play, simulatedTime, trace, untilAborted } from './rig.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const throwingProxy = () =>
  new Proxy(
    {},
    new Proxy(
      {},
      {
        get: () => () => {
          throw new Error('trapped');
        },
      },
    ),
  );
const throwingGetter = (key: string) =>
  Object.defineProperty({}, key, {
    enumerable: true,
    get: () => {
      throw new Error('no');
    },
  });

/** An object that is small in memory, and a text of 2^30 parts. */
function shared(): object {
  let value: object = {};
  for (let level = 0; level < 30; level++) value = { l: value, r: value };
  return value;
}

function sharedErrors(): Error {
  let error = new AggregateError([]);
  for (let level = 0; level < 30; level++) error = new AggregateError([error, error]);
  return error;
}

const circular: Record<string, unknown> = { code: 7 };
circular['self'] = circular;

describe('a handler that throws', () => {
  it.each<readonly [string, unknown, string]>([
    ['undefined', undefined, 'Thrown value was not an Error: undefined'],
    ['null', null, 'Thrown value was not an Error: null'],
    ['a string', 'broken', 'Thrown value was not an Error: "broken"'],
    ['a bigint', 10n, 'Thrown value was not an Error: 10'],
    ['a symbol', Symbol('s'), 'Thrown value was not an Error: Symbol(s)'],
    ['an object', { code: 7 }, 'Thrown value was not an Error: {"code":7}'],
    ['an object whose toJSON gives nothing', { toJSON: () => undefined }, 'Thrown value was not an Error: an object'],
    ['an object with a bigint', { count: 1n }, 'Thrown value was not an Error: {"count":"1"}'],
    ['an object that contains itself', circular, 'Thrown value was not an Error: {"code":7,"self":"…"}'],
    ['an Error whose cause shares parts at 30 levels', new Error('broken', { cause: shared() }), 'broken'],
    [
      'an Error whose errors share parts at 30 levels',
      sharedErrors(),
      expect.stringContaining('AggregateError: ') as string,
    ],
    ['an Error whose cause contains itself', new Error('broken', { cause: circular }), 'broken'],
    ['an object with a throwing getter', throwingGetter('message'), 'Thrown value could not be described'],
    [
      'an Error with a throwing message',
      Object.defineProperty(new Error('x'), 'message', { get: fail }),
      'Thrown value could not be described',
    ],
    ['a Proxy that traps everything', throwingProxy(), 'Thrown value could not be described'],
    ['a revoked Proxy', revoked(), 'Thrown value could not be described'],
  ])('fails its phase and stops its siblings: %s', async (_, thrown, message) => {
    for (const run of [throwing(thrown), async () => throwing(thrown)()]) {
      let sibling: AbortSignal | undefined;
      const a = fake('a', {
        tasks: [
          task('bad', { run }),
          task('beside', {
            run: (context) => {
              sibling = context.signal;
              return untilAborted(context);
            },
          }),
        ],
      });
      const { lines, result } = await play([a, fake('b', { after: ['a'] })]);
      expect(lines).toEqual(['a started 0', 'a failed with TASK_FAILED', 'b skipped by a', 'run failed']);
      expect(result.phases['a']?.error?.message).toEqual(message);
      expect(sibling?.aborted).toBe(true);
    }
  });

  it('is retried up to its limit for the same error', async () => {
    const a = fake('a', { tasks: [task('bad', { run: throwing(undefined), retry: { attempts: 3 } })] });
    expect((await trace([a], { detail: ['tasks'] })).filter((line) => line.includes('again'))).toHaveLength(2);
  });
});

describe('a handler that never ends', () => {
  it('fails with its timeout', async () => {
    const a = fake('a', { tasks: [task('deaf', { timeout: 10, run: never })] });
    expect(await trace([a])).toEqual(['a started 0', 'a failed with TASK_TIMEOUT', 'run failed']);
  });

  it('keeps neither a run from being cancelled, nor a process from ending', async () => {
    const a = fake('a', { outputs: [never], verdicts: [] });
    const b = fake('b', { verdicts: [never] });
    const { result, timers, wait } = await play([a, b], {
      when: { 'b started 0': (run) => queueMicrotask(() => run.cancel()) },
    });
    expect(result.status).toBe('cancelled');
    await wait(5000);
    // The one-hour timeouts of both tasks must be gone: they would keep the process alive.
    expect(timers()).toBe(0);
  });

  it('does not keep a run from ending by durationMs', async () => {
    const a = fake('a', { outputs: [never] });
    expect((await play([a], { limits: { durationMs: 10 } })).result.status).toBe('exhausted');
  });

  it('does not keep its phase from failing for a sibling', async () => {
    // A failed attempt waits for siblings that ignore their signal only as long as for any stopped work.
    const a = fake('a', {
      tasks: [task('deaf', { timeout: 0, run: never }), task('bad', { run: throwing(new Error('x')) })],
    });
    expect(await trace([a], { timed: true })).toEqual([
      '0 a started 0',
      '5000 a failed with TASK_FAILED',
      '5000 run failed',
    ]);
  });

  it('gets 5 seconds before its phase restarts', async () => {
    // Rule 23, last sentence.
    //  a ──▶ m ──▶ r1, r2     m is invalidated while it works and ignores its signal
    const late = held();
    const deaf = held();
    const m = fake('m', { after: ['a'], outputs: ['m 1', deaf.script, 'm 3'] });
    const phases = [
      fake('a'),
      m,
      fake('r1', { after: ['m'], rewindTo: 'ancestors', verdicts: [late.script] }),
      fake('r2', { after: ['m'], rewindTo: 'ancestors', verdicts: ['RETRY_PREDECESSOR a: 2'] }),
    ];
    const { lines } = await play(phases, {
      timed: true,
      detail: ['tasks'],
      when: { 'm/work try 1': () => late.release('RETRY_PREDECESSOR a: 1') },
    });
    const m2 = lines.findIndex((line) => line === '0 m started 0 g2');
    expect(lines.slice(m2)).toEqual([
      '0 m started 0 g2',
      '5000 m/work try 1',
      '5000 m/work done',
      '5000 m approved v2 (unreviewed) from a@3',
      ...lines.slice(m2 + 4),
    ]);
    expect(lines.at(-1)).toBe('5000 run completed');
    deaf.release('late');
    await idle();
  });

  it('can be cancelled in a schema of the input', async () => {
    const time = simulatedTime();
    const pipeline = definePipeline({ name: 'p', phases: [fake('a').definition], input: schemaThat(never) });
    const run = startRun(pipeline, { clock: time.clock });
    await idle();
    run.cancel('enough');
    expect(await drive(run, time)).toMatchObject({ status: 'cancelled', reason: 'enough' });
  });

  it('ends with the timeout of the task in a schema of an output', async () => {
    const a = fake('a', { tasks: [task('t', { timeout: 100, output: schemaThat(never), run: () => 1 })] });
    expect((await trace([a])).at(-1)).toBe('run failed');
  });
});

describe('an output that is not JSON', () => {
  class Point {
    x = 1;
  }
  const cyclic: Record<string, unknown> = {};
  cyclic['deep'] = [{ cyclic }];
  const tooDeep = nested(100_000);

  it.each<readonly [string, unknown, string]>([
    ['a function', () => 1, '$ is a function'],
    ['a symbol', Symbol('s'), '$ is a symbol'],
    ['a bigint', [1n], '$[0] is a bigint'],
    ['NaN', { a: { b: Number.NaN } }, '$.a.b is the number NaN'],
    ['Infinity', -Infinity, '$ is the number -Infinity'],
    ['a Date', { when: new Date(0) }, '$.when is an instance of Date'],
    ['a Map', new Map(), '$ is an instance of Map'],
    ['an Error', new Error('returned'), '$ is an instance of Error'],
    ['a RegExp', [/x/u], '$[0] is an instance of RegExp'],
    ['a typed array', new Uint8Array(2), '$ is an instance of Uint8Array'],
    ['a class instance', new Point(), '$ is an instance of Point'],
    ['a cycle', cyclic, '$.deep[0].cyclic is a reference back to an object that contains it'],
    ['a throwing getter', throwingGetter('x'), '$ is a getter or proxy that throws'],
    ['parts that are shared at 30 levels', shared(), '$ is a value that repeats parts, over 1000000 values in all'],
    ['100 000 levels', tooDeep, '$ is nested deeper than 1000 levels'],
  ])('is refused with its path: %s', async (_, output, found) => {
    const a = fake('a', { tasks: [task('t', { run: () => output })] });
    const { result } = await play([a]);
    expect(result.phases['a']?.error).toMatchObject({ code: 'OUTPUT_NOT_JSON' });
    expect(result.phases['a']?.error?.message.split('\n')[0]).toBe(
      `Cannot store the output of task "t" as ${found}, which is not JSON`,
    );
  });

  it('is accepted at any depth that can be copied, and compared by content', async () => {
    //  a ──▶ b, c     b sends a back with `changed`, which hashes the output
    const deep = nested(500);
    const phases = [
      fake('a', { outputs: [deep, deep] }),
      fake('b', { after: ['a'], invalidate: 'changed', verdicts: ['RETRY_PREDECESSOR a: x'] }),
      fake('c', { after: ['a'] }),
    ];
    const { lines, records } = await play(phases);
    expect(lines.at(-1)).toBe('run completed');
    expect(lines).not.toContain('c invalidated by a g1');
    expect(() => JSON.stringify(records)).not.toThrow();
  });

  it.each([
    [1000, 'completed'],
    [1001, 'failed'],
    [3000, 'failed'],
    [100_000, 'failed'],
  ])(
    'nested %i levels deep is carried up to 1 000, and refused beyond, whatever the stack has room for: %s',
    async (levels, status) => {
      const deep = nested(levels);
      const phases = [
        fake('a', { outputs: [deep, deep] }),
        fake('b', { after: ['a'], invalidate: 'changed', verdicts: ['RETRY_PREDECESSOR a: x'] }),
        fake('c', { after: ['a'] }),
      ];
      const { result, records } = await play(phases);
      expect([result.status, result.error]).toEqual([status, null]);
      if (status === 'failed') {
        expect(result.phases['a']?.error).toMatchObject({
          code: 'OUTPUT_NOT_JSON',
          message: expect.stringContaining('nested deeper than 1000 levels') as unknown,
        });
      }
      expect(() => JSON.stringify(records)).not.toThrow();
    },
  );

  it('is null if undefined, and loses keys without a value', async () => {
    const a = fake('a', { outputs: [undefined], verdicts: [] });
    const b = fake('b', { outputs: [{ x: undefined, y: [undefined], z: -0, ['__proto__']: 1 }] });
    const { result } = await play([a, b]);
    expect(JSON.stringify(result.outputs)).toBe('{"a":{"work":null},"b":{"work":{"y":[null],"z":0,"__proto__":1}}}');
  });
});

describe('a handler that changes its inputs', () => {
  it('has no effect on inputs or outputs of others', async () => {
    //  a ──▶ b ──▶ c
    const list = { items: [1] };
    const refused: unknown[] = [];
    const b = fake('b', {
      after: ['a'],
      outputs: [
        ({ inputs, input }: TaskContext) => {
          for (const change of [
            () => ((inputs as Record<string, unknown>)['a'] = 1),
            () => delete (inputs as Record<string, unknown>)['a'],
            () => Object.defineProperty(inputs, 'a', { value: 1 }),
            () => ((inputs['a'] as Record<string, unknown>)['work'] = 1),
            () => (inputs['a'] as Record<string, { items: number[] }>)['work']?.items.push(2),
            () => ((input as { deep: { x: number } }).deep.x = 2),
          ]) {
            try {
              change();
              refused.push(change.toString());
            } catch (error) {
              expect(error).toBeInstanceOf(TypeError);
            }
          }
          return list;
        },
      ],
      verdicts: [
        ({ outputs }: { outputs: Record<string, unknown> }) => {
          expect(() => ((outputs['work'] as typeof list).items[0] = 9)).toThrow(TypeError);
          expect(() => (outputs['work'] = 9)).toThrow(TypeError);
          return 'APPROVE';
        },
      ],
    });
    const input = { deep: { x: 1 } };
    const { result } = await play([fake('a', { outputs: [{ items: [1] }] }), b], { run: { input } });
    list.items.push(2);
    input.deep.x = 3;
    expect(refused).toEqual([]);
    expect(result.outputs).toEqual({ a: { work: { items: [1] } }, b: { work: { items: [1] } } });
    expect(Object.keys(b.calls[0]?.inputs ?? {})).toEqual(['a']);
  });
});

describe('report()', () => {
  it('refuses invalid usage with an error in the handler', async () => {
    const wrong: readonly Report[] = [
      { tokens: Number.NaN },
      { tokens: -1 },
      { tokens: Infinity },
      { costUsd: -0.01 },
      { costUsd: '1' as never },
      { tokens: Number.MAX_VALUE },
      { artifact: { name: 'x', content: () => 1 } },
      { artifact: 'text' as never },
      { artifact: { content: 1 } as never },
      { warning: 'text' as never },
      { warning: { code: 'C' } as never },
      ...[null, undefined, 'x', 5].map((one) => one as never),
    ];
    const codes: unknown[] = [];
    const a = fake('a', {
      outputs: [
        ({ report }: TaskContext) => {
          for (const one of wrong) {
            try {
              report(one);
            } catch (error) {
              codes.push((error as { code: string }).code);
            }
          }
        },
      ],
    });
    const { result } = await play([a]);
    expect(codes).toEqual(wrong.map(() => 'REPORT_INVALID'));
    expect(result.metrics).toMatchObject({ tokens: 0, costUsd: 0 });
  });

  it('takes progress that is no finite number, and marks that are no booleans, as records can store them', async () => {
    const store = memoryStore();
    const work = task('t', {
      run({ report }) {
        for (const progress of [0 / 0, Infinity, 0.5]) report({ progress });
        report({ tokens: 1, estimated: 'yes' as never });
      },
    });
    const run = startRun(definePipeline({ name: 'p', phases: [phase('a', { tasks: [work] })] }), { store });
    expect((await run.result).status).toBe('completed');
    expect((await verifyRun(store, run.id)).problems).toEqual([]);
    const reports = (await readRun(store, run.id))
      .map(({ event }) => event)
      .filter(({ type }) => type === 'task.reported');
    expect(reports).toMatchObject([
      { progress: 'NaN' },
      { progress: 'Infinity' },
      { progress: 0.5 },
      { tokens: 1, estimated: true },
    ]);
  });

  it('fails a handler that does not catch the refusal', async () => {
    const a = fake('a', { outputs: [({ report }: TaskContext) => report({ tokens: -5 })] });
    const { result } = await play([a]);
    expect(result.phases['a']?.error?.code).toBe('REPORT_INVALID');
  });

  it.each<readonly [string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'x'],
    ['a getter that throws', throwingGetter('tokens')],
    ['a Proxy that traps everything', throwingProxy()],
    ['an artifact without a name', { artifact: { content: 1 } }],
    ['progress of any kind', { progress: { toString: fail } }],
  ])('fails at most the task: %s', async (_, report) => {
    const a = fake('a', { outputs: [(context: TaskContext) => context.report(report as Report)] });
    const { result, records } = await play([a, fake('b')]);
    expect(['completed', 'failed']).toContain(result.status);
    expect(result.phases['b']?.status).toBe('approved');
    for (const record of records) expect(() => JSON.stringify(record)).not.toThrow();
  });

  it('counts after the end of the task or its try, and is ignored after the end of the run', async () => {
    const contexts: TaskContext[] = [];
    const keep = (value: unknown) => (context: TaskContext) => {
      contexts.push(context);
      return value;
    };
    const a = fake('a', {
      tasks: [
        task('t', { run: keep(1) }),
        task('slow', {
          timeout: 10,
          retry: { attempts: 2 },
          run: (context: TaskContext) => {
            keep(0)(context);
            return contexts.length < 3 ? untilAborted(context) : 2;
          },
        }),
        task('last', {
          after: ['t', 'slow'],
          run: () => {
            for (const context of contexts) context.report({ tokens: 1 });
          },
        }),
      ],
    });
    const { result } = await play([a]);
    for (const context of [...contexts, ...a.calls]) context.report({ tokens: 1 });
    expect(result.metrics.tokens).toBe(3);
    expect(() => contexts[0]?.report({ tokens: Number.NaN })).not.toThrow();
  });
});

describe('a handler that resolves after it was aborted', () => {
  it('has no effect', async () => {
    const late = held();
    const a = fake('a', { outputs: [late.script] });
    const { lines, records } = await play([a], { when: { 'a started 0': (run) => run.cancel() } });
    late.release('too late');
    await idle();
    expect(lines.at(-1)).toBe('run cancelled: cancelled');
    expect(records.at(-1)?.event.type).toBe('run.ended');
  });

  it('has no effect if it rejects either', async () => {
    const late = held();
    const { result } = await play([fake('a', { outputs: [late.script] })], {
      when: { 'a started 0': (run) => run.cancel() },
    });
    late.fail(new Error('too late'));
    await idle();
    expect(result.status).toBe('cancelled');
  });
});

describe('an invalid run id', () => {
  it.each(['', 'a\0b', '\uD800'])('%j fails the run before it begins, with and without a store', async (runId) => {
    const begun: string[] = [];
    const run = async (context: TaskContext) => begun.push(context.phase);
    const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run })] })] });
    for (const store of [undefined, memoryStore()]) {
      const { status, error } = await startRun(pipeline, { runId, store }).result;
      expect([status, error?.code]).toEqual(['failed', 'INPUT_INVALID']);
      expect(error?.message).toMatch(/^Cannot name a run as its id is /u);
    }
    expect(begun).toEqual([]);
  });
});

describe('a thenable', () => {
  function thenable(then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void) {
    // oxlint-disable-next-line unicorn/no-thenable -- a thenable is what is tried here
    return { then };
  }
  const run = (value: unknown) => ({ tasks: [task('t', { timeout: 100, run: () => value })] });

  it.each<readonly [string, unknown, unknown]>([
    ['resolves twice', thenable((resolve) => [resolve(1), resolve(2)]), 1],
    ['resolves, then rejects', thenable((resolve, reject) => [resolve(1), reject(new Error('x'))]), 1],
    ['resolves, then throws', thenable((resolve) => (resolve(1), fail())), 1],
    ['resolves with a promise', thenable((resolve) => resolve(Promise.resolve(3))), 3],
  ])('is used once: %s', async (_, value, expected) => {
    const { result, timers } = await play([fake('a', run(value))]);
    expect(result.outputs['a']).toEqual({ t: expected });
    expect(timers()).toBe(0);
  });

  it.each<readonly [string, unknown, string]>([
    ['throws', thenable(fail), 'TASK_FAILED'],
    ['has a then that cannot be read', throwingGetter('then'), 'TASK_FAILED'],
    ['never calls back', thenable(() => undefined), 'TASK_TIMEOUT'],
    [
      'resolves with one that never calls back',
      thenable((resolve) => resolve(thenable(() => undefined))),
      'TASK_TIMEOUT',
    ],
    [
      'is a function that never calls back',
      Object.assign(
        () => 1,
        thenable(() => undefined),
      ),
      'TASK_TIMEOUT',
    ],
  ])('fails its task, and leaves no timer behind: %s', async (_, value, code) => {
    const { result, timers } = await play([fake('a', run(value))]);
    expect(result.phases['a']?.error?.code).toBe(code);
    expect(timers()).toBe(0);
  });
});

describe('functions of a definition that throw', () => {
  it('retryable: the task fails, and its siblings are stopped', async () => {
    let sibling: AbortSignal | undefined;
    const a = fake('a', {
      tasks: [
        task('t', { run: throwing(new Error('x')), retry: { attempts: 3, retryable: fail } }),
        task('beside', {
          run: (context) => {
            sibling = context.signal;
            return untilAborted(context);
          },
        }),
      ],
    });
    expect(await trace([a], { detail: ['tasks'] })).toEqual([
      'a started 0',
      'a/t try 1',
      'a/beside try 1',
      'a/t failed with TASK_FAILED',
      'a/beside failed with TASK_FAILED',
      'a failed with TASK_FAILED',
      'run failed',
    ]);
    expect(sibling?.aborted).toBe(true);
  });

  it('schemas of output, phase input and pipeline input', async () => {
    const output = fake('output', { tasks: [task('t', { run: () => 1, output: schemaThat(fail) })] });
    const input = fake('input', { after: ['other'], input: schemaThat(fail) });
    const { result } = await play([output, input, fake('other')]);
    expect(result.phases['output']?.error).toMatchObject({ code: 'TASK_FAILED', message: 'fail' });
    expect(result.phases['input']?.error).toMatchObject({ code: 'TASK_FAILED', message: 'fail' });
    const whole = await play([fake('a')], { schema: schemaThat(fail) });
    expect(whole.lines).toEqual(['a skipped by the run failed', 'run failed with TASK_FAILED']);
    expect(whole.result.phases['a']?.status).not.toBe('running');
  });

  it('schemas that answer garbage', async () => {
    for (const answer of [undefined, null, 7, { issues: 'no' }, throwingProxy()]) {
      const a = fake('a', { tasks: [task('t', { run: () => 1, output: schemaThat(() => answer) })] });
      const { result } = await play([a, fake('b')]);
      expect(result.phases['b']?.status).toBe('approved');
      expect(result.phases['a']?.status).toMatch(/approved|failed/u);
    }
  });
});

describe('a schema', () => {
  it.each<readonly [string, unknown, string]>([
    ['refuses without a reason', { issues: [] }, '(root): no reason given'],
    ['gives an issue without a message', { issues: [{ path: ['a'] }] }, 'a: no reason given'],
    ['gives an issue that is none', { issues: [null] }, '(root): no reason given'],
    ['returns nothing', undefined, '(root): its schema has returned neither a value nor issues'],
    ['gives a text for issues', { issues: 'no' }, '(root): its schema has returned issues that cannot be read'],
    [
      'gives a path with nothing',
      { issues: [{ path: [null] }] },
      '(root): its schema has returned issues that cannot be read',
    ],
    [
      'gives a text for a path',
      { issues: [{ path: 'a' }] },
      '(root): its schema has returned issues that cannot be read',
    ],
    [
      'gives an object for a message',
      { issues: [{ message: Object.create(null) as unknown }] },
      '(root): its schema has returned issues that cannot be read',
    ],
    ['returns a boolean', true, '(root): its schema has returned neither a value nor issues'],
  ])('that %s refuses the output', async (_, answer, line) => {
    const a = fake('a', { tasks: [task('t', { run: () => 1, output: schemaThat(() => answer) })] });
    const { result } = await play([a]);
    expect(result.phases['a']?.error).toMatchObject({ code: 'OUTPUT_INVALID' });
    expect(result.phases['a']?.error?.message.split('\n')[1]).toBe(`  ${line}`);
  });
});

describe('a reviewer that answers garbage', () => {
  it.each<readonly [string, unknown]>([
    ['a number', 7],
    ['true', true],
    ['a list', ['APPROVE']],
    ['an empty object', {}],
    ['a wrong type', { type: 'approved' }],
    ['a type that is an object', { type: {} }],
    ['feedback that is no text', { type: 'retry', feedback: 7 }],
    ['a confidence out of range', { type: 'approve', confidence: 7 }],
    ['undefined', undefined],
    ['null', null],
  ])('fails the phase at once, as code must decide: %s', async (_, answer) => {
    const { lines, records } = await play([fake('a', { verdicts: [() => answer] })]);
    expect(lines).toEqual(['a started 0', 'a failed with DECISION_INVALID', 'run failed']);
    for (const record of records) expect(() => JSON.stringify(record)).not.toThrow();
  });

  it.each<readonly [string, unknown]>([
    ['a function', () => 'APPROVE'],
    ['a Date', new Date()],
    ['a cycle', cyclicVerdict()],
    ['a trapping Proxy', throwingProxy()],
  ])('counts as no answer: %s', async (_, answer) => {
    const a = fake('a', { maxReviewErrors: 1, verdicts: [() => answer, () => answer] });
    const { lines, records } = await play([a]);
    expect(lines).toEqual(['a started 0', 'a failed with REVIEW_UNAVAILABLE', 'run failed']);
    for (const record of records) expect(() => JSON.stringify(record)).not.toThrow();
  });

  it.each<readonly [string, unknown]>([
    ['an empty text', ''],
    ['nearly a megabyte without a verdict', 'no verdict here\n'.repeat(60_000)],
  ])('counts as text without a decision: %s', async (_, answer) => {
    const a = fake('a', { onUnrecognised: 'approve', verdicts: [() => answer] });
    const { lines } = await play([a]);
    expect(lines).toEqual(['a started 0', 'a warned UNRECOGNISED', 'a approved v1 (unrecognised)', 'run completed']);
  });

  it('includes a check', async () => {
    for (const answer of [7, {}, { passed: 'yes' }, [], throwingProxy(), Symbol('x')]) {
      const a = fake('a', { maxReviewErrors: 0, checks: [{ name: 'c', run: () => answer as never }] });
      expect((await play([a])).result.phases['a']?.error?.code).toBe('REVIEW_UNAVAILABLE');
    }
  });
});

describe('a consumer of events$ that throws', () => {
  it('is notified, gets no more events, and harms neither the run nor other consumers', async () => {
    const shout = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const run = startRun(definePipeline({ name: 'p', phases: [fake('a').definition] }));
    const errors: unknown[] = [];
    let calls = 0;
    const seen: RunRecord[] = [];
    run.events$.subscribe(() => {
      calls += 1;
      throw new Error('deaf');
    });
    run.events$.subscribe({ next: fail, error: (error: unknown) => errors.push(error) });
    run.events$.subscribe({
      next: fail,
      error: fail,
    });
    run.events$.subscribe({ complete: fail });
    run.events$.subscribe((record) => seen.push(record));
    expect((await run.result).status).toBe('completed');
    await idle();
    expect(calls).toBe(1);
    expect(errors).toEqual([new Error('fail')]);
    expect(seen.at(-1)?.event.type).toBe('run.ended');
    expect(shout).toHaveBeenCalled();
  });

  it('gets the error in its error handler, in a pipe', async () => {
    const run = startRun(definePipeline({ name: 'p', phases: [fake('a').definition] }));
    const error = new Promise((resolve) => {
      run.events$.pipe(map(fail)).subscribe({ error: resolve });
    });
    expect(await error).toEqual(new Error('fail'));
    expect((await run.result).status).toBe('completed');
  });

  it('without an error handler does not end the process, in a pipe', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const run = startRun(definePipeline({ name: 'p', phases: [fake('a').definition] }));
    run.events$.pipe(map(fail)).subscribe();
    run.events$.pipe(map((record) => record.seq)).subscribe(fail);
    expect((await run.result).status).toBe('completed');
    // RxJS rethrows from a timer. An uncaught exception would fail this file.
    await new Promise((resolve) => setTimeout(resolve, 0));
  });

  it('lets an operator stop early', async () => {
    const { take, firstValueFrom, toArray, lastValueFrom } = await import('rxjs');
    const run = startRun(definePipeline({ name: 'p', phases: [fake('a').definition] }));
    expect((await firstValueFrom(run.events$)).seq).toBe(1);
    const two = await lastValueFrom(run.events$.pipe(take(2), toArray()));
    expect(two.map((record) => record.seq)).toEqual([1, 2]);
    expect((await run.result).status).toBe('completed');
  });
});

describe('an async iterator', () => {
  it('harms nothing if it is left early, thrown into, or never read', async () => {
    const run = startRun(definePipeline({ name: 'p', phases: [fake('a').definition] }));
    for await (const record of run) if (record.seq === 2) break;
    const unread = run[Symbol.asyncIterator]();
    const iterator = run[Symbol.asyncIterator]();
    await iterator.next();
    await expect(iterator.throw?.(new Error('mine'))).rejects.toThrow('mine');
    expect(unread).toBeDefined();
    expect((await run.result).status).toBe('completed');
  });
});

describe('a store', () => {
  const two = () => [fake('a'), fake('b', { after: ['a'] })];

  it.each<readonly [string, () => void | Promise<void>]>([
    ['throws', fail],
    ['rejects', () => Promise.reject(new Error('fail'))],
    ['throws nothing', throwing(undefined)],
  ])('ends the run with STORE_FAILED: %s', async (_, append) => {
    const { result, lines } = await play(two(), { run: { store: { ...memoryStore(), append } } });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'STORE_FAILED' } });
    // Nothing was stored, so nothing was published. Only the result reports the end.
    expect(lines).toEqual([]);
    // No phase continues after the end of the run.
    for (const one of Object.values(result.phases)) expect(one.status).not.toMatch(/running|reviewing|retrying/u);
  });

  it('stops running work if it fails', async () => {
    let signal: AbortSignal | undefined;
    const a = fake('a', {
      outputs: [
        (context: TaskContext) => {
          ({ signal } = context);
          return untilAborted(context);
        },
      ],
    });
    const kept = memoryStore();
    const append: typeof kept.append = (batch, lease) => {
      if (signal) throw new Error('full');
      return kept.append(batch, lease);
    };
    const b = fake('b', {
      outputs: [
        async (context: TaskContext) => {
          await Promise.resolve();
          context.report({ tokens: 1 });
          return untilAborted(context);
        },
      ],
    });
    const { result, timers } = await play([a, b], { run: { store: { ...kept, append } } });
    expect(result.error?.code).toBe('STORE_FAILED');
    expect(signal?.aborted).toBe(true);
    await idle();
    expect(timers()).toBe(0);
  });

  it('fails the run if it only fails at the last record, as the end is unknown to others', async () => {
    const { result } = await play(two(), {
      run: {
        store: {
          ...memoryStore(),
          append: ({ records }) => {
            if (records.some((record) => record.event.type === 'run.ended')) throw new Error('full');
          },
        },
      },
    });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'STORE_FAILED' } });
    expect(result.outputs['a']).toBeDefined();
  });

  it('gets every record once and in order before the result, even if it is slow', async () => {
    const kept: number[] = [];
    let busy = false;
    const { records, run } = await play(two(), {
      run: {
        store: {
          ...memoryStore(),
          append: async ({ runId, records: batch }) => {
            expect(busy).toBe(false);
            busy = true;
            await idle();
            kept.push(...batch.map((record) => record.seq));
            busy = false;
            expect(batch.every((record) => record.runId === runId)).toBe(true);
          },
        },
      },
    });
    expect(kept).toEqual(records.map((record) => record.seq));
    expect(run.snapshot().status).toBe('completed');
  });
});

describe('names', () => {
  const odd = [
    'a.b',
    '#c',
    'd/e',
    'f g',
    'xstate.stop',
    'task.started',
    'phase.approved',
    '*',
    '..',
    'é🙂',
    '漢字',
    '{}',
    '"quoted"',
    'length',
    'then',
    'toJSON',
    '0',
    '-1',
    'cancel',
    'decide',
    'null',
    'x'.repeat(300),
  ];

  it.each(odd)('%s works for phases, tasks and reviewers, and can be sent back and decided on', async (name) => {
    //  <name> ──▶ last     last sends it back, then asks a person
    const first = phase(name, {
      tasks: [task(name, { run: ({ attempt }) => `${name} ${attempt}` })],
      review: { by: task(name, { run: () => 'APPROVE' }), checks: [{ name, run: () => true }] },
    });
    const last = fake('last', {
      after: [name],
      outputs: [({ inputs }: TaskContext) => inputs[name]?.[name]],
      verdicts: [`RETRY_PREDECESSOR ${JSON.stringify(name)}: again`, 'APPROVE'],
    });
    const { lines, result } = await play([{ definition: first, calls: [], prompts: [], reviews: [] }, last], {
      detail: ['reviews'],
    });
    expect(lines).toEqual([
      `${name} started 0`,
      `${name} review asked 1`,
      `${name} decided approve`,
      `${name} approved v1`,
      'last started 0',
      'last review asked 1',
      'last decided retryPredecessor',
      `last rewinding ${name}: again`,
      `${name} started 1 g1: again`,
      `${name} review asked 1`,
      `${name} decided approve`,
      `${name} approved v2`,
      'last started 0',
      'last review asked 1',
      'last decided approve',
      `last approved v1 from ${name}@2`,
      'run completed',
    ]);
    expect(result.outputs[name]).toEqual({ [name]: `${name} 1` });
    expect(last.calls[0]?.inputs[name]).toEqual({ [name]: `${name} 0` });
  });
});

describe('names that would collide', () => {
  it.each([
    ...Object.getOwnPropertyNames(Object.prototype),
    'prototype',
    '__x',
    'corrections',
    'perPair',
    'attemptsPerPhase',
    'costUsd',
    'tokens',
    'durationMs',
  ])('%s is refused for phases, tasks, reviewers and checks', (name) => {
    const work = task(name, { run: () => 'APPROVE' });
    const one = phase(name, { tasks: [work], review: { by: work, checks: [{ name, run: () => true }] } });
    expect(() => definePipeline({ name: 'p', phases: [one] })).toThrow(
      /^Cannot define pipeline "p" as it has 4 problems/u,
    );
  });
});

describe('an input of a run', () => {
  it('that its schema refuses, or that is not JSON, fails the run before any task', async () => {
    const a = fake('a');
    const refused = await play([a], { schema: z.object({ topic: z.string() }), run: { input: { topic: 7 } } });
    expect(refused.result).toMatchObject({ status: 'failed', error: { code: 'INPUT_INVALID' } });
    const garbled = await play([a], { run: { input: { when: new Date() } } });
    expect(garbled.result).toMatchObject({ status: 'failed', error: { code: 'INPUT_INVALID' } });
    expect(a.calls).toHaveLength(0);
  });

  it('is the output of its schema', async () => {
    const a = fake('a', { outputs: [({ input }: TaskContext) => input] });
    const { result } = await play([a], { schema: z.object({ n: z.coerce.number() }), run: { input: { n: '7' } } });
    expect(result.outputs['a']).toEqual({ work: { n: 7 } });
  });
});

function fail(): never {
  throw new Error('fail');
}

function throwing(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function nested(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}

function cyclicVerdict(): unknown {
  const verdict: Record<string, unknown> = { type: 'approve' };
  verdict['self'] = verdict;
  return verdict;
}

function schemaThat(validate: (value: unknown) => unknown): StandardSchemaV1 {
  return { '~standard': { version: 1, vendor: 'test', validate: validate as never } };
}
