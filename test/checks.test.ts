import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  approve,
  definePipeline,
  matchesSchema,
  phase,
  predicate,
  resumeRun,
  retry,
  retryRun,
  retryPredecessor,
  startRun,
  task,
  type Check,
  type CheckOptions,
  type CheckResult,
  type Decision,
  type ReviewContext,
  type TaskContext,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import { readCheck } from '../src/model/review/check.ts';
import { faultOf, failedBefore } from '../src/model/review/baseline.ts';
import { copyRun } from '../src/runtime/records/copy-run.ts';
import { crashAfter, rehearse, type Crash } from '../src/testing.ts';
import { fake, fakeCheck, play, trace, type Fake, type Script } from './rig.ts';

/** Defines a check with a list of answers. Some are given before the first attempt. */
function check(name: string, answers: readonly Script[], options: CheckOptions = { baseline: true }): Check {
  return { ...fakeCheck(name, answers), ...options };
}

function findings(...failures: readonly string[]): CheckResult {
  return { passed: false, details: `${failures.length} failed`, failures: [...failures] };
}

/** Returns the required change of each attempt of a phase. */
function changesOf({ calls }: Fake): readonly (string | undefined)[] {
  return calls.map(({ revision }) => revision?.requiredChange);
}

async function warningsOf(phases: readonly Fake[]): Promise<readonly string[]> {
  const { result } = await play(phases);
  return result.warnings.map(({ code, message }) => `${code}: ${message}`);
}

describe('an answer of a check without words', () => {
  it.each(['', ' \n', { passed: false, requiredChange: '', details: ' ' }])('counts as false: %j', (answer) => {
    expect(readCheck('f', answer)).toEqual(readCheck('f', false));
    expect(readCheck('f', false)?.requiredChange).toBe('Make check "f" pass.');
  });
});

describe('a baseline', () => {
  it('is taken before the first task, and blames the phase if a check passed then and fails now', async () => {
    const order: string[] = [];
    const a = fake('a', {
      outputs: [() => order.push('work'), () => order.push('work')],
      checks: [
        {
          name: 'tests',
          baseline: true,
          run: ({ attempt, outputs }) => {
            order.push(`check ${attempt} ${Object.keys(outputs).length}`);
            return order.length === 1 || order.length > 3 || 'Repair it.';
          },
        },
      ],
    });
    expect(await trace([a], { detail: ['tasks'] })).toEqual([
      'a started 0',
      'a baseline clean',
      'a/work try 1',
      'a/work done',
      'a retrying: Check "tests" failed: Repair it.',
      'a started 1: Check "tests" failed: Repair it.',
      'a/work try 1',
      'a/work done',
      'a approved v1',
      'run completed',
    ]);
    // The baseline is not taken again before the second attempt.
    expect(order).toEqual(['check 0 0', 'work', 'check 0 1', 'work', 'check 1 1']);
  });

  it('turns an earlier failure into a warning with its log, which asks for no change', async () => {
    const a = fake('a', { checks: [check('tests', ['old failure', 'still failing']), check('lint', [true])] });
    expect(await trace([a])).toEqual([
      'a started 0',
      'a baseline tests',
      'a warned CHECK_PREEXISTING',
      'a approved v1',
      'run completed',
    ]);
    expect(await warningsOf([fake('a', { checks: [check('tests', ['old failure', 'still failing'])] })])).toEqual([
      'CHECK_PREEXISTING: No change is required, as the check failed before this phase began. Check "tests" failed: still failing',
    ]);
  });

  it('holds for every attempt on the same inputs, and only for checks that have one', async () => {
    const a = fake('a', {
      checks: [check('tests', ['was broken', 'still', 'still']), fakeCheck('size', ['Shorten it.', true])],
    });
    expect(await trace([a])).toEqual([
      'a started 0',
      'a baseline tests',
      'a warned CHECK_PREEXISTING',
      'a retrying: Check "size" failed: Shorten it.',
      'a started 1: Check "size" failed: Shorten it.',
      'a warned CHECK_PREEXISTING',
      'a approved v1',
      'run completed',
    ]);
  });

  it('compares by name if the check names its failures, and asks only for new ones to be repaired', async () => {
    const a = fake('a', {
      checks: [check('tests', [findings('old', 'older'), findings('old', 'new'), findings('old')])],
    });
    expect(await trace([a])).toEqual([
      'a started 0',
      'a baseline tests',
      'a retrying: Check "tests" failed: 2 failed | Not found before this phase began: new',
      'a started 1: Check "tests" failed: 2 failed | Not found before this phase began: new',
      'a warned CHECK_PREEXISTING',
      'a approved v1',
      'run completed',
    ]);
    expect(changesOf(a)).toEqual([
      undefined,
      'Fix what check "tests" finds and did not find before this phase began: new.',
    ]);
  });

  it.each<readonly [string, CheckResult, CheckResult, string]>([
    ['a whole before, names now', false, findings('x'), 'preexisting'],
    ['names before, a whole now', findings('x'), false, 'own'],
    ['the same names', findings('x', 'y'), findings('y', 'x', 'x'), 'preexisting'],
    ['fewer names', findings('x', 'y'), findings('x'), 'preexisting'],
    ['other names', findings('x'), findings('y'), 'added'],
    ['no names before, other words now', 'x', 'y', 'preexisting'],
  ])('%s', (_, before, now, type) => {
    const failed = (answer: CheckResult) => ({
      name: 'c',
      requiredChange: '',
      details: '',
      ...(typeof answer === 'object' && answer && { failures: answer.failures }),
    });
    expect(faultOf(failed(now), [failedBefore(failed(before))]).type).toBe(type);
    expect(faultOf(failed(now), []).type).toBe('own');
    expect(faultOf(failed(now), undefined).type).toBe('own');
  });

  it('stores digests of failures, and none if there are too many', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `test ${index}`);
    const before = (count: number) =>
      failedBefore({ name: 'c', requiredChange: '', details: '', failures: names(count) });
    expect(before(2)).toEqual({ check: 'c', marks: [expect.stringMatching(/^[\da-f]{16}$/u), expect.any(String)] });
    expect(before(2000).marks).toHaveLength(2000);
    expect(before(2001)).toEqual({ check: 'c' });
  });

  it('is unknown if the check throws: the phase warns, and a later failure counts', async () => {
    const a = fake('a', { checks: [check('tests', [new Error('no disk'), 'Repair it.', true])] });
    expect(await trace([a])).toEqual([
      'a started 0',
      'a warned CHECK_BASELINE_UNKNOWN',
      'a baseline clean',
      'a retrying: Check "tests" failed: Repair it.',
      'a started 1: Check "tests" failed: Repair it.',
      'a approved v1',
      'run completed',
    ]);
    expect(await warningsOf([fake('a', { checks: [check('tests', [{ passed: 'yes' }])] })])).toEqual([
      expect.stringMatching(
        /^CHECK_BASELINE_UNKNOWN: The result of check "tests" before .*: Cannot read the answer of check/u,
      ),
    ]);
  });

  it('is taken again if the phase is sent back, as its folder may have changed', async () => {
    //  a ─▶ b: b sends a back
    const a = fake('a', { checks: [check('tests', [true, true, 'broken by b', 'still'])] });
    const b = fake('b', { after: ['a'], verdicts: [retryPredecessor('a', 'Change it.')] });
    expect(await trace([a, b])).toEqual([
      'a started 0',
      'a baseline clean',
      'a approved v1',
      'b started 0',
      'b rewinding a: Change it.',
      'a started 1 g1: Change it.',
      'a baseline tests',
      'a warned CHECK_PREEXISTING',
      'a approved v2',
      'b started 0',
      'b approved v1 from a@2',
      'run completed',
    ]);
  });

  it('does not forgive a phase its own failures before a restart', async () => {
    //  a ─▶ b: the first attempt of b passes its check, and sends a back. The check does not run again.
    let runs = 0;
    const a = fake('a');
    const b = fake('b', {
      after: ['a'],
      checks: [check('tests', [true, true, () => (runs += 1) > 1 || 'Repair it.'])],
      verdicts: [retryPredecessor('a', 'Change it.')],
    });
    expect((await trace([a, b])).slice(3)).toEqual([
      'b baseline clean',
      'b rewinding a: Change it.',
      'a started 1 g1: Change it.',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b retrying: Check "tests" failed: Repair it.',
      'b started 1: Check "tests" failed: Repair it.',
      'b approved v1 from a@2',
      'run completed',
    ]);
  });

  it('does not forgive a failure that was accepted on exhaustion', async () => {
    //  a ─▶ b: the gate of a accepts a failure on exhaustion; b sends a back
    const checks = [check('tests', [true, 'Repair it.', 'Repair it.'])];
    const a = fake('a', { maxRetries: 0, onExhausted: 'accept', checks });
    const b = fake('b', { after: ['a'], verdicts: [retryPredecessor('a', 'Change it.')] });
    expect((await trace([a, b])).filter((line) => /warned|baseline|v\d/u.test(line))).toEqual([
      'a baseline clean',
      'a warned EXHAUSTED',
      'a approved v1 (exhausted)',
      'a warned EXHAUSTED',
      'a approved v2 (exhausted)',
      'b approved v1 from a@2',
    ]);
  });

  it('is not taken if the gate is not asked', async () => {
    const a = fake('a', { checks: [check('tests', [true, true, new Error('not again')])] });
    const b = fake('b', { after: ['a'], verdicts: [retryPredecessor('a', 'Change it.')], regate: false });
    const lines = await trace([a, b]);
    expect(lines.slice(5, 7)).toEqual(['a started 1 g1: Change it.', 'a approved v2 (unreviewed)']);
  });

  it('is part of the plan, and changes no plan without one', () => {
    const planOf = (checks: readonly Check[]) =>
      definePipeline({ name: 'p', phases: [fake('a', { checks }).definition] }).plan.phases[0]?.gate;
    expect(planOf([check('one', []), fakeCheck('two', [])])).toMatchObject({
      checks: ['one', 'two'],
      baseline: ['one'],
    });
    expect(planOf([fakeCheck('two', [])])).not.toHaveProperty('baseline');
  });
});

describe('a baseline of a stored run', () => {
  /** Rehearses a phase whose process dies. @returns Also the calls of its task and its check. */
  async function resumed(crash: Crash, answers: readonly CheckResult[], by: readonly Decision[] = [approve()]) {
    const calls: string[] = [];
    const called = (answer: unknown) => (context: TaskContext) => {
      calls.push(context.idempotencyKey.replace('rehearsal/a/0/', ''));
      return answer;
    };
    const review = { checks: [check('tests', [])], by: () => approve() };
    const only = phase('a', { tasks: [task('work', { run: () => 'done' })], review });
    const run = await rehearse(definePipeline({ name: 'p', phases: [only] }), {
      tasks: { work: called('done') },
      checks: { tests: answers.map((answer) => called(answer)) },
      reviews: { a: by },
      crashes: [crash],
    });
    expect(run.result.status).toBe('completed');
    return { ...run, calls };
  }

  it('is not taken again by the process that resumes the run, and counts there', async () => {
    const { result, calls, records } = await resumed(crashAfter('task.started'), ['broken before', 'still broken']);
    expect(result.warnings).toMatchObject([
      { phase: 'a', code: 'CHECK_PREEXISTING', message: expect.stringContaining('still broken') as unknown },
    ]);
    expect(calls).toEqual(['0/baseline/tests/1', '0/task/work', '0/check/tests/1/1']);
    const types = records.map(({ event }) => event.type);
    expect(types.filter((type) => type === 'check.baselined')).toHaveLength(1);
    expect(types.indexOf('check.baselined')).toBeLessThan(types.indexOf('task.started'));
  });

  it('is not taken again if the process ended before a task began', async () => {
    const { result, calls } = await resumed(crashAfter('check.baselined'), ['broken before', 'still broken']);
    expect(result.warnings.map(({ code }) => code)).toEqual(['CHECK_PREEXISTING']);
    expect(calls).toEqual(['0/baseline/tests/1', '0/task/work', '0/check/tests/1/1']);
  });

  it('holds for a later attempt in the process that resumes the run', async () => {
    const answers = ['broken before', 'still broken', 'still broken'];
    const { result, calls } = await resumed(crashAfter('phase.retrying'), answers, [retry('again'), approve()]);
    expect(result.warnings).toMatchObject([{ code: 'CHECK_PREEXISTING' }, { code: 'CHECK_PREEXISTING' }]);
    expect(calls.slice(3)).toEqual(['1/task/work', '1/check/tests/1/1']);
  });

  it('does not let a phase pass on retry if its check rejected it', async () => {
    // The folder is unchanged since the first attempt.
    const tests = check('tests', [true, 'broken by its work', 'broken by its work', 'broken by its work']);
    const { definition } = fake('a', { checks: [tests], maxRetries: 0, onExhausted: 'reject' });
    const pipeline = definePipeline({ name: 'p', phases: [definition] });
    const store = memoryStore();
    expect((await startRun(pipeline, { store, runId: 'r' }).result).status).toBe('rejected');
    expect((await (await retryRun(store, 'r', pipeline)).result).status).toBe('rejected');
  });
});

describe('failed checks', () => {
  const KEY = 'sk-ant-api03-4fPq8Zx91LmNb7Vc';

  function build() {
    const checks: readonly Check[] = [
      { name: 'lint', run: ({ attempt }) => attempt > 0 || `found ${KEY}` },
      { name: 'types', run: () => true },
      { name: 'tests', run: ({ attempt }) => attempt > 0 },
    ];
    const a = phase('a', { tasks: [task('work', { run: () => 'done' })], review: { checks } });
    return definePipeline({ name: 'p', phases: [a] });
  }

  /** Returns the records of a run whose first attempt fails two checks. */
  async function recordsOf(): Promise<readonly RunRecord[]> {
    const store = memoryStore();
    const run = startRun(build(), { store });
    await run.result;
    return readRun(store, run.id);
  }

  function failedIn(records: readonly RunRecord[]) {
    return records.flatMap(({ event }) => (event.type === 'review.decided' ? [event.failedChecks] : []));
  }

  it('are named in the record of the decision, without secrets', async () => {
    expect(failedIn(await recordsOf())).toEqual([
      [
        { name: 'lint', details: 'Check "lint" failed: found [redacted]' },
        { name: 'tests', details: 'Check "tests" failed.' },
      ],
      undefined,
    ]);
  });

  it.each([true, false])('let a run be resumed from every record, with their names in records: %s', async (named) => {
    const records = (await recordsOf()).map((record): RunRecord => {
      if (named || record.event.type !== 'review.decided') return record;
      const { failedChecks: _, ...event } = record.event;
      return { ...record, event };
    });
    for (const { seq } of records.slice(0, -1)) {
      const store = memoryStore();
      const before = records.slice(0, seq);
      await copyRun(store, 'r', before, {});
      const run = await resumeRun(store, 'r', build());
      expect([seq, (await run.result).status]).toEqual([seq, 'completed']);
      expect((await readRun(store, 'r')).slice(0, seq).map(({ event }) => event)).toEqual(
        before.map(({ event }) => event),
      );
    }
  });

  it('are absent from decisions of other reviewers', async () => {
    const a = fake('a', { checks: [fakeCheck('lint', ['no'])], maxRetries: 0, onExhausted: 'escalate' });
    const { records } = await play([a], {
      when: { 'a escalated (exhausted): Check "lint" failed: no': (run) => run.decide('a', retry('Go on.')) },
    });
    expect(failedIn(records)).toEqual([[{ name: 'lint', details: 'Check "lint" failed: no' }], undefined, undefined]);
  });
});

describe('retries of a check', () => {
  it('let it pass with a warning if it passes on a later try', async () => {
    const a = fake('a', { checks: [check('tests', ['unlucky', true], { retries: 1 })] });
    expect(await warningsOf([a])).toEqual([
      'CHECK_FLAKY: Check "tests" passed when it was run again, without any change. Before that: Check "tests" failed: unlucky',
    ]);
    expect(a.calls).toHaveLength(1);
  });

  it('are each recorded as a task of their own, also if the review is repeated', async () => {
    const seen: string[] = [];
    const answers = ['unlucky', true, 'unlucky', new Error('no disk'), true];
    const tests: Check = {
      name: 'tests',
      baseline: true,
      retries: 1,
      run: ({ idempotencyKey }) => {
        const answer = answers[seen.length];
        seen.push(idempotencyKey);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
    await play([fake('a', { checks: [tests] })], { run: { runId: 'r' } });
    expect(seen).toEqual([
      'r/a/0/0/baseline/tests/1',
      'r/a/0/0/baseline/tests/2',
      'r/a/0/0/check/tests/1/1',
      'r/a/0/0/check/tests/1/2',
      'r/a/0/0/check/tests/2/1',
    ]);
  });

  it('are limited in number, after which the check has failed', async () => {
    const a = fake('a', { checks: [check('tests', ['1', '2', '3', '4', '5', true], { retries: 2 })] });
    expect(await trace([a])).toEqual([
      'a started 0',
      'a retrying: Check "tests" failed: 3',
      'a started 1: Check "tests" failed: 3',
      'a warned CHECK_FLAKY',
      'a approved v1',
      'run completed',
    ]);
  });

  it('apply to a baseline: a flaky failure is not forgiven', async () => {
    const answers = ['unlucky', true, 'Repair it.', 'Repair it.', true];
    const a = fake('a', { checks: [check('tests', answers, { baseline: true, retries: 1 })] });
    expect(await trace([a])).toEqual([
      'a started 0',
      'a warned CHECK_FLAKY',
      'a baseline clean',
      'a retrying: Check "tests" failed: Repair it.',
      'a started 1: Check "tests" failed: Repair it.',
      'a approved v1',
      'run completed',
    ]);
  });

  it('do not happen if the check throws: that is a review error', async () => {
    let runs = 0;
    const throwing: Check = {
      name: 'tests',
      retries: 3,
      run: () => {
        runs += 1;
        throw new Error('no disk');
      },
    };
    const a = fake('a', { checks: [throwing], maxReviewErrors: 1 });
    expect((await play([a])).result.phases['a']?.error?.code).toBe('REVIEW_UNAVAILABLE');
    expect(runs).toBe(2);
  });

  it.each([
    [{ retries: -1 }, '"review.checks[0].retries" is -1; expected a number from 0'],
    [{ retries: 101 }, '"review.checks[0].retries" is 101; expected a number up to 100'],
    [{ timeout: -1 }, '"review.checks[0].timeout" is -1; expected a number from 0'],
    [{ baseline: 'yes' }, '"review.checks[0].baseline" is "yes"; expected true or false'],
  ])('are validated with the other options: %j', (options, message) => {
    const one = { name: 'tests', run: () => true, ...options } as Check;
    expect(() => definePipeline({ name: 'p', phases: [fake('a', { checks: [one] }).definition] })).toThrow(message);
  });
});

describe('the timeout of a check', () => {
  it('ends it with a review error, and is in milliseconds', async () => {
    const stuck: Check = {
      name: 'tests',
      timeout: 50,
      run: ({ signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('late')))),
    };
    const { result, lines } = await play([fake('a', { checks: [stuck], maxReviewErrors: 0 })], { timed: true });
    expect(result.phases['a']?.error?.message).toContain('"tests" as its timeout of 50 ms is over');
    expect(lines.at(-1)).toBe('50 run failed');
  });
});

describe('predicate()', () => {
  it('calls a function', async () => {
    const short = predicate(
      'length',
      ({ outputs }: ReviewContext<{ work: string }>) => outputs.work.length < 5 || 'Write less.',
    );
    const a = fake('a', { outputs: ['far too long', 'ok'], checks: [short] });
    await play([a]);
    expect(changesOf(a)).toEqual([undefined, 'Write less.']);
    expect(predicate('x', () => true, { baseline: true, retries: 1, timeout: 5 })).toMatchObject({
      name: 'x',
      baseline: true,
      retries: 1,
      timeout: 5,
    });
  });

  it('has the given types, which have to fit its phase', () => {
    phase('note', {
      tasks: (make) => [make('text', { run: () => 'x' })],
      review: { checks: [predicate<{ text: string }>('length', ({ outputs }) => outputs.text.length > 0)] },
    });
    phase('note', {
      tasks: (make) => [make('text', { run: () => 'x' })],
      // @ts-expect-error the phase has no such task
      review: { checks: [predicate<{ words: number }>('length', ({ outputs }) => outputs.words > 0)] },
    });
  });
});

describe('matchesSchema()', () => {
  const plan = z.object({ steps: z.array(z.string()).min(1), owner: z.string() });

  it('sends the phase back with each problem that the schema finds', async () => {
    const outputs = [{ steps: [1, 2] }, { steps: ['build'] }, { steps: ['build'], owner: 'me', more: 1 }];
    const a = fake('a', { outputs, checks: [matchesSchema('work', plan)] });
    const { result } = await play([a]);
    expect(result.outputs).toEqual({ a: { work: { steps: ['build'], owner: 'me', more: 1 } } });
    expect(changesOf(a)).toEqual([
      undefined,
      'Fix the 3 problems that the schema finds in the output of task "work".',
      'Fix what the schema finds in the output of task "work".',
    ]);
    expect(a.calls[1]?.revision?.feedback).toBe(
      [
        'Check "schema of work" failed:',
        'steps.0: Invalid input: expected string, received number',
        'steps.1: Invalid input: expected string, received number',
        'owner: Invalid input: expected string, received undefined',
      ].join('\n'),
    );
  });

  it('takes a task, a name, and an asynchronous schema', async () => {
    const slow = z.string().refine(async (text) => text === 'right', 'must be right');
    const work = task('work', { run: ({ attempt }) => (attempt === 0 ? 'wrong' : 'right') });
    const a = fake('a', { tasks: [work], checks: [matchesSchema(work, slow, { name: 'is right' })] });
    const { lines } = await play([a]);
    expect(lines).toContain('a retrying: Check "is right" failed: (root): must be right');
  });

  it('limits the number of problems and the length of each', async () => {
    const list = z.array(z.custom<string>(() => false, 'x'.repeat(2000)));
    const a = fake('a', { outputs: [Array.from({ length: 50 }, () => 1), []], checks: [matchesSchema('work', list)] });
    await play([a]);
    const lines = a.calls[1]?.revision?.feedback.split('\n') ?? [];
    expect(lines).toHaveLength(22);
    expect(Math.max(...lines.map((line) => line.length))).toBe(500);
    expect(lines.at(-1)).toBe('and 30 more');
  });

  it('reports a missing task, or a missing schema', async () => {
    const a = fake('a', { checks: [matchesSchema('wrok', plan)], maxReviewErrors: 0 });
    expect((await play([a])).result.phases['a']?.error?.message).toContain(
      'Cannot check the output of task "wrok" as its phase has no such task, but "work"',
    );
    expect(() => matchesSchema('work', {} as never)).toThrow(
      'Cannot check the output of task "work" as the given value is no Standard Schema',
    );
  });
});
