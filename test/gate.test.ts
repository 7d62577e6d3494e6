import { describe, expect, it } from 'vitest';
import {
  approve,
  escalate,
  needsRework,
  policies,
  reject,
  retry,
  task,
  type ReviewContext,
  type TaskContext,
} from '../src/index.ts';
import { fake, fakeCheck, held, play, trace, untilAborted, never } from './rig.ts';

describe('a gate', () => {
  it('is optional: a phase without one is approved when its tasks are done', async () => {
    // Rules 4, 5.
    expect(await trace([fake('a')], { detail: ['tasks', 'reviews'] })).toEqual([
      'a started 0',
      'a/work try 1',
      'a/work done',
      'a approved v1 (unreviewed)',
      'run completed',
    ]);
  });

  it('approves, rejects and escalates by decision or by text', async () => {
    const phases = [
      fake('a', { verdicts: [approve()] }),
      fake('b', { verdicts: [reject('no use')] }),
      fake('c', { verdicts: ['reject: no use either'] }),
      fake('d', { verdicts: ['**APPROVE**'] }),
      fake('e', { verdicts: [escalate('too risky')] }),
    ];
    expect(
      await trace(phases, {
        detail: ['reviews'],
        when: { 'e escalated (requested): too risky': (run) => run.decide('e', 'APPROVE') },
      }),
    ).toEqual([
      'a started 0',
      'b started 0',
      'c started 0',
      'd started 0',
      'e started 0',
      'a review asked 1',
      'b review asked 1',
      'c review asked 1',
      'd review asked 1',
      'e review asked 1',
      'a decided approve',
      'a approved v1',
      'b decided reject',
      'b rejected: no use',
      'c decided reject',
      'c rejected: no use either',
      'd decided approve',
      'd approved v1',
      'e decided escalate',
      'e escalated (requested): too risky',
      'e decided approve by person',
      'e approved v1',
      'run rejected',
    ]);
  });

  it('gives the reviewer everything that its judgement needs', async () => {
    const a = fake('a', { outputs: ['same', 'other'], maxRetries: 2, verdicts: ['RETRY: once', 'APPROVE'] });
    const b = fake('b', {
      after: ['a'],
      tasks: [task('stable', { run: () => 1 }), task('moving', { run: ({ attempt }) => attempt })],
      maxRetries: 3,
      maxPredecessorRetries: 'unlimited',
      verdicts: [retry('more', { requiredChange: 'Move.' }), 'APPROVE'],
    });
    await trace([a, b], { run: { input: { topic: 'gates' }, runId: 'r:1' } });

    expect(b.reviews.map((one) => one.difference)).toEqual([{}, { moving: { before: 0, after: 1 } }]);
    expect(b.reviews.map((one) => one.retriesLeft)).toEqual([3, 2]);
    expect(b.reviews[1]).toMatchObject({
      outputs: { stable: 1, moving: 1 },
      context: { stable: 1, moving: 1 },
      rewindsLeft: { a: Infinity },
      attempt: 1,
      generation: 0,
      input: { topic: 'gates' },
      run: 'r:1',
      phase: 'b',
      task: 'review',
      idempotencyKey: 'r%3A1/b/0/1/review/review/1',
      revision: { attempt: 1, feedback: 'more', requiredChange: 'Move.' },
    });
    expect(b.reviews[1]?.inputs['a']).toEqual({ work: 'other' });
  });
});

describe('retry', () => {
  it('runs the phase again on the same inputs with feedback, until the budget is spent', async () => {
    // Rule 11, and the row "retry" of the table under rule 8.
    //  a    retries twice, then accepts
    const a = fake('a', { onExhausted: 'accept', verdicts: ['RETRY: one', 'RETRY: two', 'RETRY: three'] });

    const { lines, result } = await play([a], { detail: ['reviews'] });
    expect(lines).toEqual([
      'a started 0',
      'a review asked 1',
      'a decided retry',
      'a retrying: one',
      'a started 1: one',
      'a review asked 1',
      'a decided retry',
      'a retrying: two',
      'a started 2: two',
      'a review asked 1',
      'a decided retry',
      'a warned EXHAUSTED',
      'a approved v1 (exhausted)',
      'run completed',
    ]);
    expect(a.calls.map((call) => call.revision?.previousOutput)).toEqual([undefined, 'a 1', 'a 2']);
    expect(a.calls[2]?.revision?.history.map((one) => one.feedback)).toEqual(['one', 'two']);
    expect(result.phases['a']).toMatchObject({ exhausted: true, because: 'exhausted', corrections: 2, attempts: 3 });
    expect(result.outputs).toEqual({ a: { work: 'a 3' } });
    expect(result.warnings).toEqual([
      {
        phase: 'a',
        code: 'EXHAUSTED',
        message: "Approved without its reviewer's consent, as its 2 retries are spent: three",
      },
    ]);
  });

  it('is not granted with maxRetries: 0, and always with "unlimited"', async () => {
    const none = fake('none', { maxRetries: 0, onExhausted: 'accept', verdicts: ['RETRY: x'] });
    const many = fake('many', {
      maxRetries: 'unlimited',
      verdicts: Array.from({ length: 20 }, (_, index) => `RETRY: ${index}`),
    });
    const { result } = await play([none, many]);
    expect(result.phases['none']).toMatchObject({ attempts: 1, exhausted: true });
    expect(result.phases['many']).toMatchObject({ attempts: 21, exhausted: false, because: 'approved' });
  });

  it('shows each task its own previous output', async () => {
    // Rule 11, last sentence.
    const seen: unknown[] = [];
    const watch = ({ task: name, attempt, revision }: TaskContext) => {
      seen.push([name, revision?.previousOutput]);
      return `${name} ${attempt}`;
    };
    const a = fake('a', {
      tasks: [task('one', { run: watch }), task('two', { after: ['one'], run: watch })],
      verdicts: ['RETRY: x'],
    });
    await trace([a]);
    expect(seen).toEqual([
      ['one', undefined],
      ['two', undefined],
      ['one', 'one 0'],
      ['two', 'two 0'],
    ]);
  });
});

describe('onExhausted', () => {
  const verdicts = [retry('weak'), retry('weaker'), retry('weakest')];

  it("'reject' rejects", async () => {
    const lines = await trace([fake('a', { maxRetries: 1, onExhausted: 'reject', verdicts })]);
    expect(lines).toEqual([
      'a started 0',
      'a retrying: weak',
      'a started 1: weak',
      'a rejected: its only retry is spent: weaker',
      'run rejected',
    ]);
  });

  it("'escalate' asks a person", async () => {
    const lines = await trace([fake('a', { maxRetries: 0, onExhausted: 'escalate', verdicts })], {
      when: { 'a escalated (exhausted): weak': (run) => run.decide('a', 'REJECT: agreed') },
    });
    expect(lines).toEqual(['a started 0', 'a escalated (exhausted): weak', 'a rejected: agreed', 'run rejected']);
  });

  it("'acceptBest' takes the attempt with the highest score, the later of equals", async () => {
    // The last row of the table under rule 8.
    function best(scores: readonly (number | undefined)[]) {
      return fake('a', {
        maxRetries: scores.length - 1,
        onExhausted: 'acceptBest',
        verdicts: scores.map((score) => ({ ...retry('more'), ...(score !== undefined && { score }) })),
      });
    }
    async function chosen(scores: readonly (number | undefined)[]) {
      const { result } = await play([best(scores)]);
      return result.outputs['a'];
    }
    expect(await chosen([3, 9, 5])).toEqual({ work: 'a 2' });
    expect(await chosen([9, 5, 9])).toEqual({ work: 'a 3' });
    expect(await chosen([9, 9, 5])).toEqual({ work: 'a 2' });
    expect(await chosen([-1, undefined, -2])).toEqual({ work: 'a 1' });
    expect(await chosen([undefined, undefined])).toEqual({ work: 'a 2' });
  });

  it('also ends a rewind whose budget is spent', async () => {
    //  a ──▶ b
    const b = fake('b', {
      after: ['a'],
      maxPredecessorRetries: 0,
      onExhausted: 'reject',
      verdicts: ['RETRY_PREDECESSOR a: again'],
    });
    expect((await trace([fake('a'), b])).slice(2)).toEqual([
      'b started 0',
      'b rejected: it has no retries of a predecessor: a: again',
      'run rejected',
    ]);
  });
});

describe('onUnrecognised and onInvalidTarget', () => {
  it('approve with a warning under policies.ensemble', async () => {
    //  a ──▶ b
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR nobody: x'] });
    const a = fake('a', { verdicts: ['looks nice'] });
    const { lines, result } = await play([a, b], { policy: policies.ensemble });
    expect(lines).toEqual([
      'a started 0',
      'a warned UNRECOGNISED',
      'a approved v1 (unrecognised)',
      'b started 0',
      'b warned INVALID_TARGET',
      'b approved v1 (invalidTarget) from a@1',
      'run completed',
    ]);
    expect(result.warnings.map((one) => one.message)).toEqual([
      "Approved as no verdict was recognised in the reviewer's answer",
      'Approved as the reviewer sent back a phase that it may not send back: nobody: x',
    ]);
  });

  it("'escalate' asks a person about a forbidden target", async () => {
    //  a ──▶ b ──▶ c     c may only send back b
    const c = fake('c', {
      after: ['b'],
      onInvalidTarget: 'escalate',
      verdicts: ['RETRY_PREDECESSOR a: wrong'],
    });
    const lines = await trace([fake('a'), fake('b', { after: ['a'] }), c], {
      when: { 'c escalated (invalidTarget): a: wrong': (run) => run.decide('c', 'RETRY_PREDECESSOR a: do it') },
    });
    // Rule 9: a person may send back phases that the gate may not.
    expect(lines.slice(4)).toEqual([
      'c started 0',
      'c escalated (invalidTarget): a: wrong',
      'c rewinding a by person: do it',
      'b invalidated by a g1',
      'a started 1 g1: do it',
      'a approved v2 (unreviewed)',
      'b started 0 g1',
      'b approved v2 (unreviewed) from a@2',
      'c started 0',
      'c approved v1 from b@2',
      'run completed',
    ]);
  });

  it("'ask' asks again for text without a decision", async () => {
    // Rule 8.
    const a = fake('a', { onUnrecognised: 'ask', verdicts: ['hmm', 'well', 'APPROVE'] });
    expect(await trace([a], { detail: ['reviews'], timed: true })).toEqual([
      '0 a started 0',
      '0 a review asked 1',
      '0 a decided unrecognised',
      '0 a review asked 2',
      '1000 a decided unrecognised',
      '1000 a review asked 3',
      '3000 a decided approve',
      '3000 a approved v1',
      '3000 run completed',
    ]);
    expect(a.calls).toHaveLength(1);
  });
});

describe('an unavailable review', () => {
  it('is repeated after a growing backoff, spends no retry, and then fails the phase', async () => {
    // Rule 8.
    const a = fake('a', {
      maxRetries: 0,
      reviewBackoff: { first: 100, factor: 3, max: 500 },
      verdicts: [new Error('busy'), new Error('busy'), new Error('busy'), new Error('gone')],
    });
    const { lines, result } = await play([a], { detail: ['reviews'], timed: true });
    expect(lines).toEqual([
      '0 a started 0',
      '0 a review asked 1',
      '0 a decided unavailable',
      '0 a review asked 2',
      '100 a decided unavailable',
      '100 a review asked 3',
      '400 a decided unavailable',
      '400 a review asked 4',
      '900 a decided unavailable',
      '900 a failed with REVIEW_UNAVAILABLE',
      '900 run failed',
    ]);
    expect(result.phases['a']?.error?.message).toMatch(/was unavailable in 4 tries: gone/u);
    expect(a.calls).toHaveLength(1);
  });

  it('starts counting again with the next attempt', async () => {
    // Rule 8: "per attempt".
    const a = fake('a', {
      maxReviewErrors: 1,
      verdicts: [new Error('1'), 'RETRY: x', new Error('2'), 'APPROVE'],
    });
    expect(await trace([a], { detail: ['reviews'], timed: true })).toEqual([
      '0 a started 0',
      '0 a review asked 1',
      '0 a decided unavailable',
      '0 a review asked 2',
      '1000 a decided retry',
      '1000 a retrying: x',
      '1000 a started 1: x',
      '1000 a review asked 1',
      '1000 a decided unavailable',
      '1000 a review asked 2',
      '2000 a decided approve',
      '2000 a approved v1',
      '2000 run completed',
    ]);
  });

  it('is escalated in an attended run', async () => {
    const a = fake('a', { maxReviewErrors: 0, verdicts: [new Error('gone')] });
    expect(
      await trace([a], {
        run: { attended: true },
        when: { 'a escalated (reviewUnavailable): gone': (run) => run.decide('a', 'APPROVE') },
      }),
    ).toEqual(['a started 0', 'a escalated (reviewUnavailable): gone', 'a approved v1', 'run completed']);
  });

  it('comes from an error, and from an uncertain request for changes', async () => {
    // Rule 8: `unavailable`, `inconclusive`; a certain answer and an uncertain approval count.
    const a = fake('a', {
      verdicts: [
        new Error('not now'),
        { ...retry('unsure'), confidence: 0.6 },
        { ...reject('unsure'), confidence: 0.1 },
        { ...retry('sure'), confidence: 0.61 },
        { ...approve(), confidence: 0.1 },
      ],
    });
    const { lines, records } = await play([a], { detail: ['reviews'] });
    expect(lines).toEqual([
      'a started 0',
      'a review asked 1',
      'a decided unavailable',
      'a review asked 2',
      'a decided inconclusive',
      'a review asked 3',
      'a decided inconclusive',
      'a review asked 4',
      'a decided retry',
      'a retrying: sure',
      'a started 1: sure',
      'a review asked 1',
      'a decided approve',
      'a approved v1',
      'run completed',
    ]);
    const first = records.map((one) => one.event).find((one) => one.type === 'review.decided');
    expect(first).toMatchObject({ verdict: { type: 'unavailable', error: { code: 'TASK_FAILED' } } });
  });

  it('takes any confidence with minConfidence: 0', async () => {
    const a = fake('a', { minConfidence: 0, verdicts: [{ ...retry('guess'), confidence: 0 }] });
    expect(await trace([a])).toEqual([
      'a started 0',
      'a retrying: guess',
      'a started 1: guess',
      'a approved v1',
      'run completed',
    ]);
  });

  it('also comes from a reviewer that times out', async () => {
    // Rule 8: "or timed out". The reviewer stops on its signal.
    const a = fake('a', { checks: [], maxReviewErrors: 0 });
    const slow = task('slow', { timeout: 50, run: untilAborted });
    const definition = {
      ...a.definition,
      options: { ...a.definition.options, review: { by: slow, maxReviewErrors: 1 } },
    } as typeof a.definition;
    expect(await trace([{ ...a, definition }], { detail: ['reviews'], timed: true })).toEqual([
      '0 a started 0',
      '0 a review asked 1',
      '50 a decided unavailable',
      '50 a review asked 2',
      '1100 a decided unavailable',
      '1100 a failed with REVIEW_UNAVAILABLE',
      '1100 run failed',
    ]);
  });
});

describe('checks', () => {
  it('run first and all of them; if any fails, no reviewer is asked', async () => {
    // Rule 6.
    const order: string[] = [];
    const note = (name: string, answers: readonly unknown[]) => {
      const check = fakeCheck(name, answers);
      return {
        name,
        run: (context: ReviewContext) => {
          order.push(name);
          return check.run(context);
        },
      };
    };
    const a = fake('a', {
      checks: [
        note('lint', ['no semicolons', true]),
        note('size', [false, undefined]),
        note('test', [{ passed: false, requiredChange: 'Fix test 3.', details: 'expected 1' }, { passed: true }]),
        note('fine', [null, true]),
      ],
      verdicts: ['APPROVE'],
    });
    const { lines } = await play([a], { detail: ['reviews'] });
    expect(lines).toEqual([
      'a started 0',
      'a review asked 1',
      'a decided retry',
      'a retrying: Check "lint" failed: no semicolons | Check "size" failed. | Check "test" failed: expected 1',
      'a started 1: Check "lint" failed: no semicolons | Check "size" failed. | Check "test" failed: expected 1',
      'a review asked 1',
      'a decided approve',
      'a approved v1',
      'run completed',
    ]);
    expect(order).toEqual(['lint', 'size', 'test', 'fine', 'lint', 'size', 'test', 'fine']);
    expect(a.reviews).toHaveLength(1);
    expect(a.calls[1]?.revision?.requiredChange).toBe('no semicolons Make check "size" pass. Fix test 3.');
  });

  it('approve without a reviewer if all pass', async () => {
    const a = fake('a', { checks: [fakeCheck('one', [false])] });
    expect(await trace([a])).toEqual([
      'a started 0',
      'a retrying: Check "one" failed.',
      'a started 1: Check "one" failed.',
      'a approved v1',
      'run completed',
    ]);
  });

  it('that have passed do not run again with a repeated review of the attempt', async () => {
    // Rules 6, 8.
    let runs = 0;
    const a = fake('a', {
      checks: [{ name: 'count', run: () => (runs += 1) > 0 }],
      verdicts: [new Error('busy'), 'RETRY: more', 'APPROVE'],
    });
    expect((await play([a])).result.status).toBe('completed');
    expect([runs, a.reviews.length, a.calls.length]).toEqual([2, 3, 2]);
  });

  it('that throw are review errors, not failed checks', async () => {
    const a = fake('a', { maxRetries: 0, checks: [fakeCheck('one', [new Error('disk full'), true])] });
    expect(await trace([a], { detail: ['reviews'] })).toEqual([
      'a started 0',
      'a review asked 1',
      'a decided unavailable',
      'a review asked 2',
      'a decided approve',
      'a approved v1',
      'run completed',
    ]);
  });
});

describe('several reviewers', () => {
  function panel(reviewers: Record<string, readonly unknown[]>, options: object = {}) {
    return fake('c', { after: ['b'], rewindTo: 'ancestors', reviewers, ...options });
  }
  async function verdictOf(reviewers: Record<string, readonly unknown[]>, options: object = {}) {
    const { records } = await play([fake('a'), fake('b', { after: ['a'] }), panel(reviewers, options)], {
      run: { attended: true },
      when: new Proxy({}, { get: (_, line: string) => (line.startsWith('c escalated') ? decideOnC : undefined) }),
    });
    const decided = records.flatMap(({ event }) =>
      event.type === 'review.decided' && event.phase === 'c' && event.by === 'gate' ? event : [],
    );
    return decided[0]?.verdict;
  }
  function decideOnC(run: { decide(about: string, decision: string): void }) {
    run.decide('c', 'APPROVE');
  }

  it.each([
    // Rule 7, first that applies.
    ['all approve', [['APPROVE'], ['APPROVE']], {}, { type: 'approve' }],
    ['enough approve', [['APPROVE'], ['REJECT: no'], ['APPROVE']], { quorum: 2 }, { type: 'approve' }],
    ['enough approve, one is missing', [['APPROVE'], [new Error('x')]], { quorum: 1 }, { type: 'approve' }],
    [
      'rejection over escalation',
      [['ESCALATE: hm'], ['REJECT: no'], ['RETRY: x']],
      {},
      { type: 'reject', reason: 'no' },
    ],
    [
      'escalation over rewind',
      [['RETRY_PREDECESSOR b: x'], ['ESCALATE: hm'], ['APPROVE']],
      {},
      { type: 'escalate', reason: 'hm' },
    ],
    [
      'rewind over retry, the earliest target, feedback for it joined',
      [['RETRY_PREDECESSOR b: late'], ['RETRY_PREDECESSOR a: one'], ['RETRY: x'], ['RETRY_PREDECESSOR a: two']],
      {},
      { type: 'retryPredecessor', phase: 'a', feedback: 'one\n\ntwo' },
    ],
    [
      'retries joined',
      [['RETRY: one'], ['APPROVE'], ['RETRY: two']],
      { quorum: 2 },
      { type: 'retry', feedback: 'one\n\ntwo' },
    ],
    ['unrecognised approves, and is warned of', [['nice'], ['APPROVE']], {}, { type: 'unrecognised', text: 'nice' }],
    ['clear approvals are enough', [['nice'], ['APPROVE'], ['APPROVE']], { quorum: 2 }, { type: 'approve' }],
  ])('%s', async (_, lists, options, expected) => {
    const reviewers = Object.fromEntries(lists.map((list, index) => [`r${index}`, list as readonly unknown[]]));
    expect(await verdictOf(reviewers, options)).toEqual(expected);
  });

  it('are asked again only if their answer is missing', async () => {
    // Rules 7, 8: r1 threw; the others keep their answers.
    const c = panel({ r0: ['RETRY: kept'], r1: [new Error('busy'), 'APPROVE'], r2: ['APPROVE'] });
    const { lines } = await play([fake('a'), fake('b', { after: ['a'] }), c], { detail: ['reviews'], timed: true });
    expect(lines.slice(4, 10)).toEqual([
      '0 c started 0',
      '0 c review asked 1',
      '0 c decided unavailable',
      '0 c review asked 2',
      '1000 c decided retry',
      '1000 c retrying: kept',
    ]);
    expect(c.reviews.map((one) => one.task)).toEqual(['r0', 'r1', 'r2', 'r1', 'r0', 'r1', 'r2']);
  });

  it('are asked at the same time', async () => {
    // Rule 7: r0 only ends once r1 has begun.
    let begun: () => void = () => undefined;
    const other = new Promise<void>((resolve) => (begun = resolve));
    const c = panel({
      r0: [() => other.then(() => 'APPROVE')],
      r1: [
        () => {
          begun();
          return 'APPROVE';
        },
      ],
    });
    expect((await play([fake('a'), fake('b', { after: ['a'] }), c])).result.status).toBe('completed');
  });
});

describe('tasks', () => {
  it('leave no listeners behind, however many read their signal', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    const many = Array.from({ length: 12 }, (_, index) =>
      task(`t${index}`, { run: (context) => untilAborted(context) }),
    );
    const bad = task('bad', { run: () => Promise.reject(new Error('no')) });
    const { result } = await play([fake('a', { tasks: [...many, bad] })]);
    expect(result.phases['a']?.error?.message).toContain('no');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });

  it('run along their dependencies, one after the other, or all at once', async () => {
    function three(mode: 'dependencies' | 'sequential' | 'parallel') {
      const run = ({ context }: TaskContext) => Object.keys(context).join('');
      return fake('p', {
        mode,
        tasks: [task('x', { run }), task('y', { run }), task('z', { after: ['x'], run })],
      });
    }
    const started = async (mode: Parameters<typeof three>[0]) => {
      const { lines, result } = await play([three(mode)], { detail: ['tasks'] });
      return [lines.slice(1, -2).map((line) => line.replace('p/', '')), result.outputs['p']];
    };
    expect(await started('dependencies')).toEqual([
      ['x try 1', 'y try 1', 'x done', 'y done', 'z try 1', 'z done'],
      { x: '', y: '', z: 'x' },
    ]);
    expect(await started('sequential')).toEqual([
      ['x try 1', 'x done', 'y try 1', 'y done', 'z try 1', 'z done'],
      { x: '', y: 'x', z: 'xy' },
    ]);
    expect(await started('parallel')).toEqual(await started('dependencies'));
  });

  it('are retried with a growing backoff, which spends no review retry', async () => {
    const a = fake('a', {
      maxRetries: 0,
      verdicts: ['APPROVE'],
      tasks: [
        task('flaky', {
          retry: { attempts: 4, backoff: { first: 10, factor: 10, max: 500 } },
          run: failing(3),
        }),
      ],
    });
    expect(await trace([a], { detail: ['tasks'], timed: true })).toEqual([
      '0 a started 0',
      '0 a/flaky try 1',
      '0 a/flaky again in 10 with TASK_FAILED',
      '10 a/flaky try 2',
      '10 a/flaky again in 100 with TASK_FAILED',
      '110 a/flaky try 3',
      '110 a/flaky again in 500 with TASK_FAILED',
      '610 a/flaky try 4',
      '610 a/flaky done',
      '610 a approved v1',
      '610 run completed',
    ]);
  });

  it('are not retried if the failure is not retryable', async () => {
    const a = fake('a', {
      tasks: [
        task('t', { retry: { attempts: 5, retryable: (error) => String(error) !== 'Error: fatal' }, run: fatal }),
      ],
    });
    expect(await trace([a], { detail: ['tasks'] })).toEqual([
      'a started 0',
      'a/t try 1',
      'a/t failed with TASK_FAILED',
      'a failed with TASK_FAILED',
      'run failed',
    ]);
  });

  it('that time out are aborted, and retried', async () => {
    const seen: boolean[] = [];
    const a = fake('a', {
      tasks: [
        task('slow', {
          timeout: 200,
          retry: { attempts: 2, backoff: { first: 1000 } },
          run: async (context) => {
            await untilAborted(context).catch(() => undefined);
            seen.push(context.signal.aborted);
          },
        }),
      ],
    });
    const { lines, result, timers } = await play([a], { detail: ['tasks'], timed: true });
    expect(lines).toEqual([
      '0 a started 0',
      '0 a/slow try 1',
      '200 a/slow again in 1000 with TASK_TIMEOUT',
      '1200 a/slow try 2',
      '1400 a/slow failed with TASK_TIMEOUT',
      '1400 a failed with TASK_TIMEOUT',
      '1400 run failed',
    ]);
    expect(seen).toEqual([true, true]);
    expect(result.phases['a']?.error?.code).toBe('TASK_TIMEOUT');
    expect(timers()).toBe(0);
  });

  it('that time out fail with TASK_TIMEOUT, whatever they throw on abort', async () => {
    const a = fake('a', { tasks: [task('slow', { timeout: 200, run: untilAborted })] });
    expect(await trace([a], { detail: ['tasks'], timed: true })).toEqual([
      '0 a started 0',
      '0 a/slow try 1',
      '200 a/slow failed with TASK_TIMEOUT',
      '200 a failed with TASK_TIMEOUT',
      '200 run failed',
    ]);
  });

  it('that ignore their signal get 5 seconds more', async () => {
    const a = fake('a', { tasks: [task('deaf', { timeout: 200, run: never })] });
    expect(await trace([a], { timed: true })).toEqual([
      '0 a started 0',
      '5200 a failed with TASK_TIMEOUT',
      '5200 run failed',
    ]);
  });

  it('have no timeout with timeout: 0', async () => {
    const a = fake('a', { tasks: [task('t', { timeout: 0, run: never })] });
    expect(await trace([a], { limits: { durationMs: 1e12 }, timed: true })).toEqual([
      '0 a started 0',
      '1000000000000 limit durationMs reached 1000000000000/1000000000000',
      '1000000005000 a cancelled by The limit of 1000000000000 for durationMs is spent',
      '1000000005000 run exhausted (durationMs): The limit of 1000000000000 for durationMs is spent',
    ]);
  });

  it('stop their siblings when they fail, and nothing starts after them', async () => {
    const signals: boolean[] = [];
    const a = fake('a', {
      tasks: [
        task('bad', { run: fatal }),
        task('beside', {
          run: (context) => untilAborted(context).finally(() => signals.push(context.signal.aborted)),
        }),
        task('later', { after: ['beside'], run: () => 1 }),
      ],
    });
    const { lines, result } = await play([a], { detail: ['tasks'] });
    expect(lines).toEqual([
      'a started 0',
      'a/bad try 1',
      'a/beside try 1',
      'a/bad failed with TASK_FAILED',
      'a/beside failed with TASK_FAILED',
      'a failed with TASK_FAILED',
      'run failed',
    ]);
    expect(signals).toEqual([true]);
    expect(result.phases['a']?.error?.message).toBe('fatal');
  });
});

describe('onFailure', () => {
  //  bad ──▶ below ──▶ lower      other ──▶ last
  const graph = () => [
    fake('bad', { outputs: [new Error('broken')] }),
    fake('other', { verdicts: ['RETRY: x'] }),
    fake('below', { after: ['bad'] }),
    fake('lower', { after: ['below', 'other'] }),
    fake('last', { after: ['other'] }),
  ];

  it("'continue' skips dependents, and runs the rest", async () => {
    // Rules 19, 20.
    expect(await trace(graph())).toEqual([
      'bad started 0',
      'other started 0',
      'bad failed with TASK_FAILED',
      'below skipped by bad',
      'lower skipped by bad',
      'other retrying: x',
      'other started 1: x',
      'other approved v1',
      'last started 0',
      'last approved v1 (unreviewed) from other@1',
      'run failed',
    ]);
  });

  it("'halt' ends the run", async () => {
    // Rule 19.
    expect(await trace(graph(), { policy: { onFailure: 'halt' } })).toEqual([
      'bad started 0',
      'other started 0',
      'bad failed with TASK_FAILED',
      'other cancelled by Phase "bad" was not done',
      'below skipped by Phase "bad" was not done',
      'lower skipped by Phase "bad" was not done',
      'last skipped by Phase "bad" was not done',
      'run failed: Phase "bad" was not done',
    ]);
  });

  it("'halt' ends a run as rejected if a phase was rejected", async () => {
    const phases = [fake('a', { verdicts: ['REJECT: no'] }), fake('b', { after: ['a'] })];
    expect(await trace(phases, { policy: policies.phased })).toEqual([
      'a started 0',
      'a rejected: no',
      'b skipped by Phase "a" was rejected',
      'run rejected: Phase "a" was rejected',
    ]);
  });

  it('prefers failure over rejection', async () => {
    // Rule 20.
    const rejected = () => fake('r', { verdicts: ['REJECT: no'] });
    const failed = () => fake('f', { outputs: [new Error('x')] });
    expect((await play([rejected(), failed()])).result.status).toBe('failed');
    expect((await play([failed(), rejected()])).result.status).toBe('failed');
    expect((await play([rejected(), fake('fine')])).result.status).toBe('rejected');
  });

  it('fails waiting requesters, keeps approved phases, and lets running ones continue', async () => {
    // Rule 19, all of it:
    //  a ──▶ b ──▶ d     b sends a back; a is rejected the second time
    //  └───▶ c           c was approved and keeps what it has
    const a = fake('a', { verdicts: ['APPROVE', 'REJECT: worse'] });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: better'] });
    const c = fake('c', { after: ['a'] });
    const d = fake('d', { after: ['b'] });
    const { lines, result } = await play([a, b, c, d]);
    expect(lines).toEqual([
      'a started 0',
      'a approved v1',
      'b started 0',
      'c started 0',
      'c approved v1 (unreviewed) from a@1',
      'b rewinding a: better',
      'a started 1 g1: better',
      'a rejected: worse',
      'b failed with PREDECESSOR_FAILED',
      'd skipped by b',
      'run failed',
    ]);
    expect(result.outputs).toEqual({ c: { work: 'c 1' } });
    // Semantics 5: the cause is the reason of the phase above.
    expect(result.phases['b']?.error).toMatchObject({ code: 'PREDECESSOR_FAILED', cause: 'worse' });
  });

  it('PREDECESSOR_FAILED has its cause: the error of the phase above, or of the first in a chain', async () => {
    //  a ──▶ b ──▶ c     c sends b back, b sends a back, a fails
    const a = fake('a', { outputs: ['a 1', new Error('the disk is full')] });
    const b = fake('b', { after: ['a'], verdicts: ['APPROVE', 'RETRY_PREDECESSOR a: better'] });
    const c = fake('c', { after: ['b'], verdicts: ['RETRY_PREDECESSOR b: more'] });
    const { result } = await play([a, b, c]);
    expect(result.phases['b']?.error).toMatchObject({ cause: 'TASK_FAILED: the disk is full' });
    expect(result.phases['c']?.error).toMatchObject({
      code: 'PREDECESSOR_FAILED',
      cause: 'TASK_FAILED: the disk is full',
    });
  });

  it('PREDECESSOR_FAILED has its cause: the reason of a person who skipped the phase above', async () => {
    const a = fake('a', { verdicts: ['APPROVE', 'ESCALATE: look'] });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: better'] });
    const { result } = await play([a, b], {
      when: {
        'a escalated (requested): look': (run) =>
          run.answer(run.inbox()[0]?.id ?? '', { type: 'skip', reason: 'not worth it' }),
      },
    });
    expect(result.phases['b']?.error).toMatchObject({ code: 'PREDECESSOR_FAILED', cause: 'not worth it' });
  });

  it('keeps and marks approved phases that had to run again', async () => {
    // Rule 19: m is between a and d, was approved and invalidated; a fails before m can run again.
    //  a ──▶ m ──▶ d
    const a = fake('a', { outputs: ['a 1', new Error('broken')] });
    const m = fake('m', { after: ['a'] });
    const d = fake('d', { after: ['m'], rewindTo: 'ancestors', verdicts: ['RETRY_PREDECESSOR a: more'] });
    const { lines, result } = await play([a, m, d]);
    expect(lines.slice(5)).toEqual([
      'd rewinding a: more',
      'm invalidated by a g1',
      'a started 1 g1: more',
      'a failed with TASK_FAILED',
      'm stale by a',
      'd failed with PREDECESSOR_FAILED',
      'run failed',
    ]);
    expect(result.phases['m']).toMatchObject({ status: 'approved', stale: true, version: 1 });
    expect(result.outputs).toEqual({ m: { work: 'm 1' } });
  });

  it('refuses a rewind to a phase that is doomed', async () => {
    // Rule 19, last clause: c still works, and then sends a back, which has failed meanwhile.
    //  a ──▶ b, c     b sends a back, a fails
    const a = fake('a', { outputs: ['a 1', new Error('broken')] });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: more'] });
    let release: (text: string) => void = () => undefined;
    const c = fake('c', {
      after: ['a'],
      verdicts: [() => new Promise<string>((resolve) => (release = resolve))],
    });
    expect(
      await trace([a, b, c], {
        when: { 'b failed with PREDECESSOR_FAILED': () => release('RETRY_PREDECESSOR a: me too') },
      }),
    ).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'c started 0',
      'b rewinding a: more',
      'a started 1 g1: more',
      'a failed with TASK_FAILED',
      'b failed with PREDECESSOR_FAILED',
      'c rewinding a: me too',
      'c failed with PREDECESSOR_FAILED',
      'run failed',
    ]);
  });

  it('fails a task that asks for rework of a failed phase', async () => {
    const b = fake('b', { outputs: [needsRework('nobody', 'x')] });
    const { result } = await play([b]);
    expect(result.phases['b']?.error?.code).toBe('REWORK_IMPOSSIBLE');
  });
});

describe('concurrency', () => {
  const graph = () => [
    fake('a', { verdicts: ['RETRY: x'] }),
    fake('b'),
    fake('c', { after: ['b'] }),
    fake('d', { after: ['a', 'b'] }),
    fake('e'),
  ];

  it('1 runs one phase at a time, oldest first, and a retry keeps its slot', async () => {
    // Rule 2.
    expect(await trace(graph(), { concurrency: 1 })).toEqual([
      'a started 0',
      'a retrying: x',
      'a started 1: x',
      'a approved v1',
      'b started 0',
      'b approved v1 (unreviewed)',
      'e started 0',
      'e approved v1 (unreviewed)',
      'c started 0',
      'c approved v1 (unreviewed) from b@1',
      'd started 0',
      'd approved v1 (unreviewed) from a@1 b@1',
      'run completed',
    ]);
  });

  it('2 runs at most two, whichever end first', async () => {
    const verdict = held();
    const [, ...others] = graph();
    expect(
      await trace([fake('a', { verdicts: [verdict.script] }), ...others], {
        concurrency: 2,
        when: { 'c approved v1 (unreviewed) from b@1': () => verdict.release('RETRY: x') },
      }),
    ).toEqual([
      'a started 0',
      'b started 0',
      'b approved v1 (unreviewed)',
      'e started 0',
      'e approved v1 (unreviewed)',
      'c started 0',
      'c approved v1 (unreviewed) from b@1',
      'a retrying: x',
      'a started 1: x',
      'a approved v1',
      'd started 0',
      'd approved v1 (unreviewed) from a@1 b@1',
      'run completed',
    ]);
  });

  it('releases the slot of a phase that waits for a person or a predecessor', async () => {
    // Rules 2, 12.
    //  a ──▶ b     b sends a back, then asks a person; c and d need a slot
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: x', 'ESCALATE: look'] });
    expect(
      await trace([fake('a'), b, fake('c', { after: ['a'] }), fake('d', { after: ['c'] })], {
        concurrency: 1,
        when: { 'b escalated (requested): look': (run) => run.decide('b', 'RETRY: once more') },
      }),
    ).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'b rewinding a: x',
      'a started 1 g1: x',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b escalated (requested): look',
      'c started 0',
      'c approved v1 (unreviewed) from a@2',
      'd started 0',
      'd approved v1 (unreviewed) from c@1',
      'b retrying by person: once more',
      'b started 1: once more',
      'b approved v1 from a@2',
      'run completed',
    ]);
  });
});

function failing(times: number) {
  let tries = 0;
  return () => {
    tries += 1;
    if (tries <= times) throw new Error(`failure ${tries}`);
    return tries;
  };
}

function fatal(): never {
  throw new Error('fatal');
}

describe('a reviewer error with its own retryable flag', () => {
  /** The error of a model client with a wrong key. */
  const locked = Object.assign(new Error('the key is wrong'), { retryable: false });

  function waiting(ms: number): Error {
    return Object.assign(new Error('busy'), { retryAfterMs: ms });
  }

  it('is not repeated if it is final: the phase fails at once, with the error', async () => {
    const { lines, result } = await play([fake('a', { verdicts: [locked] })], { detail: ['reviews'] });
    expect(lines).toEqual([
      'a started 0',
      'a review asked 1',
      'a decided unavailable',
      'a failed with REVIEW_UNAVAILABLE',
      'run failed',
    ]);
    expect(result.phases['a']?.attempts).toBe(1);
    expect(result.phases['a']?.error?.message).toBe(
      [
        'Cannot judge phase "a" as its review was unavailable in one try: the key is wrong',
        'The work was not rejected. Asking again cannot help: repair the reviewer, or run attended so that a person decides.',
        'Docs: docs/errors.md#REVIEW_UNAVAILABLE',
      ].join('\n'),
    );
  });

  it('asks a person at once if it is final and the run is attended', async () => {
    const { lines } = await play([fake('a', { verdicts: [locked] })], {
      run: { attended: true },
      when: { 'a escalated (reviewUnavailable): the key is wrong': (run) => run.decide('a', 'APPROVE') },
    });
    expect(lines).toEqual([
      'a started 0',
      'a escalated (reviewUnavailable): the key is wrong',
      'a approved v1',
      'run completed',
    ]);
  });

  it('ends a review if it is final, even after another error was repeated', async () => {
    const { lines, records } = await play([fake('a', { verdicts: [new Error('busy'), locked] })], {
      detail: ['reviews'],
    });
    expect(lines.filter((line) => line.startsWith('a review'))).toEqual(['a review asked 1', 'a review asked 2']);
    const errors = records.flatMap(({ event }) =>
      event.type === 'review.decided' && event.verdict.type === 'unavailable' ? [event.verdict.error.permanent] : [],
    );
    expect(errors).toEqual([undefined, true]);
  });

  it('is repeated if it is retryable, even if the task itself is not retried', async () => {
    const unusable = Object.assign(new Error('no verdict'), { retryable: false, permanent: false });
    const review = fake('a', { verdicts: [unusable, 'APPROVE'] });
    expect((await play([review])).lines.at(-1)).toBe('run completed');
  });

  it('is not repeated if it is final, and the other reviewers may suffice without it', async () => {
    const one = fake('a', {
      quorum: 1,
      reviewers: { left: [new Error('busy'), 'APPROVE'], right: [locked, 'APPROVE'] },
    });
    const { lines } = await play([one], { detail: ['reviews'] });
    expect(lines).toEqual([
      'a started 0',
      'a review asked 1',
      'a decided unavailable',
      'a review asked 2',
      'a decided approve',
      'a approved v1',
      'run completed',
    ]);
    expect(one.reviews.map(({ task: name }) => name)).toEqual(['left', 'right', 'left']);
  });

  it('ends the review if it is final, and the others do not suffice', async () => {
    const one = fake('a', { reviewers: { left: [new Error('busy'), 'APPROVE'], right: [locked, 'APPROVE'] } });
    const { lines, result } = await play([one]);
    expect(lines).toEqual(['a started 0', 'a failed with REVIEW_UNAVAILABLE', 'run failed']);
    expect(result.phases['a']?.error?.message).toContain('the key is wrong');
  });

  it.each<[string, readonly unknown[], number]>([
    ['how long to wait is not asked sooner', [waiting(7000), 'APPROVE'], 7000],
    ['a shorter wait than the gate has is asked when the gate says', [waiting(7), 'APPROVE'], 1000],
    ['a longer wait than the gate has is asked after the longest', [waiting(1e9), 'APPROVE'], 60_000],
    ['an endless wait is asked after the longest', [waiting(Infinity), 'APPROVE'], 60_000],
    ['a wait before another that says nothing is forgotten', [waiting(7000), new Error('busy'), 'APPROVE'], 9000],
  ])('%s', async (_, verdicts, ms) => {
    const { records } = await play([fake('a', { verdicts })]);
    const [first] = records;
    const last = records.findLast(({ event }) => event.type === 'review.decided');
    expect((last?.time ?? 0) - (first?.time ?? 0)).toBe(ms);
  });

  it('the longest backoff of several reviewers counts', async () => {
    const one = fake('a', { reviewers: { left: [waiting(3000), 'APPROVE'], right: [waiting(9000), 'APPROVE'] } });
    const { records } = await play([one]);
    expect((records.at(-1)?.time ?? 0) - (records[0]?.time ?? 0)).toBe(9000);
  });
});
