import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  escalate,
  needsRework,
  phase,
  retry,
  retryPredecessor,
  startRun,
  task,
  type Decision,
  type Run,
  type TaskContext,
} from '../src/index.ts';
import { fake, held, play, trace, untilAborted } from './rig.ts';

describe('an escalated phase', () => {
  it('holds its dependents, and nothing else', async () => {
    //  a ──▶ b      c ──▶ d
    const work = held();
    const phases = [
      fake('a', { verdicts: ['ESCALATE: look'] }),
      fake('b', { after: ['a'] }),
      fake('c', { outputs: [work.script] }),
      fake('d', { after: ['c'] }),
    ];
    expect(
      await trace(phases, {
        when: {
          'a escalated (requested): look': () => work.release('c 1'),
          'd approved v1 (unreviewed) from c@1': (run) => run.decide('a', 'APPROVE'),
        },
      }),
    ).toEqual([
      'a started 0',
      'c started 0',
      'a escalated (requested): look',
      'c approved v1 (unreviewed)',
      'd started 0',
      'd approved v1 (unreviewed) from c@1',
      'a approved v1',
      'b started 0',
      'b approved v1 (unreviewed) from a@1',
      'run completed',
    ]);
  });

  it('runs again on the decision of a person, beyond the budget, and asks its gate again', async () => {
    // Rule 9: no budget binds a person, and the decision spends none.
    const a = fake('a', {
      maxRetries: 1,
      onExhausted: 'escalate',
      verdicts: ['RETRY: 1', 'RETRY: 2', 'RETRY: 3', 'APPROVE'],
    });
    const { lines, result } = await play([a], {
      detail: ['reviews'],
      when: {
        'a escalated (exhausted): 2': (run) => run.decide('a', retry('as I say', { requiredChange: 'Do it.' })),
        'a escalated (exhausted): 3': (run) => run.decide('a', 'RETRY: again'),
      },
    });
    expect(lines).toEqual([
      'a started 0',
      'a review asked 1',
      'a decided retry',
      'a retrying: 1',
      'a started 1: 1',
      'a review asked 1',
      'a decided retry',
      'a escalated (exhausted): 2',
      'a decided retry by person',
      'a retrying by person: as I say',
      'a started 2: as I say',
      'a review asked 1',
      'a decided retry',
      'a escalated (exhausted): 3',
      'a decided retry by person',
      'a retrying by person: again',
      'a started 3: again',
      'a review asked 1',
      'a decided approve',
      'a approved v1',
      'run completed',
    ]);
    expect(a.calls[2]?.revision).toMatchObject({ attempt: 2, feedback: 'as I say', requiredChange: 'Do it.' });
    expect(a.reviews.map((one) => one.retriesLeft)).toEqual([1, 0, 0, 0]);
    expect(result.phases['a']?.decisions.map((one) => one.by)).toEqual([
      'gate',
      'gate',
      'person',
      'gate',
      'person',
      'gate',
    ]);
  });

  it('may send back any ancestor by a person, at no cost to the gate', async () => {
    // Rules 9, 13.
    //  a ──▶ b ──▶ c
    const c = fake('c', {
      after: ['b'],
      maxPredecessorRetries: 1,
      verdicts: ['ESCALATE: who?', 'RETRY_PREDECESSOR b: mine', 'APPROVE'],
    });
    expect(
      (
        await trace([fake('a'), fake('b', { after: ['a'] }), c], {
          when: { 'c escalated (requested): who?': (run) => run.decide('c', retryPredecessor('a', 'theirs')) },
        })
      ).slice(4),
    ).toEqual([
      'c started 0',
      'c escalated (requested): who?',
      'c rewinding a by person: theirs',
      'b invalidated by a g1',
      'a started 1 g1: theirs',
      'a approved v2 (unreviewed)',
      'b started 0 g1',
      'b approved v2 (unreviewed) from a@2',
      'c started 0',
      'c rewinding b: mine',
      'b started 1 g2: mine',
      'b approved v3 (unreviewed) from a@2',
      'c started 0',
      'c approved v1 from b@3',
      'run completed',
    ]);
  });

  it('stays escalated and decidable if a phase it has read commits again', async () => {
    // Rules 3, 18 ('requester').
    //  a ──▶ b, c     c is escalated while b sends a back
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: x', 'APPROVE'] });
    const c = fake('c', { after: ['a'], verdicts: ['ESCALATE: look'] });
    expect(
      await trace([fake('a'), b, c], {
        concurrency: 1,
        when: { 'c escalated (requested): look': (run) => run.decide('c', 'APPROVE') },
      }),
    ).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'b rewinding a: x',
      'a started 1 g1: x',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b approved v1 from a@2',
      'c started 0',
      'c escalated (requested): look',
      'c approved v1 from a@2',
      'run completed',
    ]);
    const late = held();
    const other = [
      fake('a'),
      fake('b', { after: ['a'], verdicts: [late.script] }),
      fake('c', { after: ['a'], verdicts: ['ESCALATE: look'] }),
    ];
    expect(
      await trace(other, {
        when: {
          'c escalated (requested): look': () => late.release('RETRY_PREDECESSOR a: x'),
          'b approved v1 from a@2': (run) => run.decide('c', 'APPROVE'),
        },
      }),
    ).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'c started 0',
      'c escalated (requested): look',
      'b rewinding a: x',
      'a started 1 g1: x',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b approved v1 from a@2',
      'c approved v1 from a@1',
      'c stale by a',
      'run completed',
    ]);
  });

  it('runs again if its inputs are invalidated, and is no longer decidable', async () => {
    // Rule 18 ('all'): an escalated phase counts as working. Its question is withdrawn.
    //  a ──▶ b, c
    const late = held();
    const second = held();
    const phases = [
      fake('a'),
      fake('b', { after: ['a'], invalidate: 'all', verdicts: [late.script] }),
      fake('c', { after: ['a'], verdicts: ['ESCALATE: look', second.script] }),
    ];
    let refusal: unknown;
    expect(
      await trace(phases, {
        when: {
          'c escalated (requested): look': () => late.release('RETRY_PREDECESSOR a: x'),
          'c invalidated by a g1': async (run) => {
            refusal = await refusalOf(() => run.decide('c', 'APPROVE'));
            second.release('APPROVE');
          },
        },
      }),
    ).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'c started 0',
      'c escalated (requested): look',
      'b rewinding a: x',
      'a started 1 g1: x',
      'a approved v2 (unreviewed)',
      'c invalidated by a g1',
      'b started 0',
      'c started 0 g1',
      'b approved v1 from a@2',
      'c approved v1 from a@2',
      'run completed',
    ]);
    expect(refusal).toMatchObject({ code: 'NOT_ESCALATED' });
  });

  it('continues if a predecessor fails meanwhile, but cannot send it back', async () => {
    // Rule 19.
    //  a ──▶ b, c     b sends a back, a fails, c waits for a person
    const late = held();
    const phases = [
      fake('a', { outputs: ['a 1', new Error('broken')] }),
      fake('b', { after: ['a'], verdicts: [late.script] }),
      fake('c', { after: ['a'], verdicts: ['ESCALATE: look'] }),
    ];
    const decided = (decision: string) => ({
      when: {
        'c escalated (requested): look': () => late.release('RETRY_PREDECESSOR a: x'),
        'b failed with PREDECESSOR_FAILED': (run: Run) => run.decide('c', decision),
      },
    });
    expect((await trace(phases, decided('RETRY_PREDECESSOR a: y'))).slice(4)).toEqual([
      'c escalated (requested): look',
      'b rewinding a: x',
      'a started 1 g1: x',
      'a failed with TASK_FAILED',
      'b failed with PREDECESSOR_FAILED',
      'c rewinding a by person: y',
      'c failed with PREDECESSOR_FAILED',
      'run failed',
    ]);
  });

  it('cannot be approved if its tasks gave up without outputs', async () => {
    // Rule 9.
    let refusal: unknown;
    const b = fake('b', { after: ['a'], outputs: [needsRework('a', 'more')], verdicts: [] });
    expect(
      (
        await trace([fake('a'), b], {
          policy: { onLimit: 'escalate' },
          limits: { corrections: 0 },
          when: {
            'b escalated (limit): The limit of 0 for corrections is spent': async (run) => {
              refusal = await refusalOf(() => run.decide('b', 'APPROVE'));
              await run.decide('b', 'REJECT: then not');
            },
          },
        })
      ).slice(3),
    ).toEqual([
      'limit corrections reached 0/0 holds b',
      'b escalated (limit): The limit of 0 for corrections is spent',
      'b rejected: then not',
      'run rejected',
    ]);
    expect(refusal).toMatchObject({ code: 'DECISION_INVALID' });
  });

  it('is rejected for good by a person', async () => {
    expect(
      await trace([fake('a', { verdicts: [escalate('look')] }), fake('b', { after: ['a'] })], {
        when: { 'a escalated (requested): look': (run) => run.decide('a', 'REJECT: no') },
      }),
    ).toEqual(['a started 0', 'a escalated (requested): look', 'a rejected: no', 'b skipped by a', 'run rejected']);
  });

  it('is listed as waiting until it is decided', async () => {
    const { run, result } = await play(
      [fake('a', { verdicts: ['ESCALATE: 1'] }), fake('b', { verdicts: ['ESCALATE: 2'] })],
      {
        when: {
          'b escalated (requested): 2': async (one) => {
            expect(one.snapshot()).toMatchObject({ status: 'running', waiting: ['a', 'b'] });
            expect(one.snapshot().phases['a']).toMatchObject({ status: 'escalated', reason: '1' });
            await one.decide('a', 'APPROVE');
            expect(one.snapshot().waiting).toEqual(['b']);
            await one.decide('b', 'APPROVE');
          },
        },
      },
    );
    expect(run.snapshot().waiting).toEqual([]);
    expect(result.status).toBe('completed');
  });
});

describe('run.decide()', () => {
  it('refuses with the possible options, and changes nothing', async () => {
    //  a ──▶ b ──▶ d      c
    const phases = [
      fake('a'),
      fake('b', { after: ['a'], verdicts: ['ESCALATE: look'] }),
      fake('c'),
      fake('d', { after: ['b'] }),
    ];
    const refusals: unknown[] = [];
    const wrong: readonly (readonly [string, Decision | string])[] = [
      ['a', 'APPROVE'],
      ['nobody', 'APPROVE'],
      ['b', 'well'],
      ['b', ''],
      ['b', 'ESCALATE: you do it'],
      ['b', escalate('again')],
      ['b', { type: 'later' } as never],
      ['b', undefined as never],
      ['b', null as never],
      ['b', 'RETRY_PREDECESSOR c: not upstream'],
      ['b', 'RETRY_PREDECESSOR d: below'],
      ['b', 'RETRY_PREDECESSOR b: itself'],
      ['b', retryPredecessor('nobody', 'x')],
    ];
    const { run, lines } = await play(phases, {
      when: {
        'b escalated (requested): look': async (one) => {
          const before = JSON.stringify(one.snapshot());
          for (const [about, decision] of wrong) refusals.push(await refusalOf(() => one.decide(about, decision)));
          expect(JSON.stringify(one.snapshot())).toBe(before);
          await one.decide('b', approve());
        },
      },
    });
    refusals.push(await refusalOf(() => run.decide('b', 'APPROVE')));
    expect(lines.at(-1)).toBe('run completed');
    expect(refusals.map((one) => (one instanceof Error ? one.message.split('\n').slice(0, 2) : one)))
      .toMatchInlineSnapshot(`
        [
          [
            "Cannot decide on "a" as it does not wait for a decision",
            "Waiting are "b".",
          ],
          [
            "Cannot decide on "nobody" as it does not wait for a decision",
            "Waiting are "b".",
          ],
          [
            "Cannot decide on "b" as "well" is not a decision that ends an escalation",
            "Answer APPROVE, RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>; for a limit, APPROVE or REJECT only.",
          ],
          [
            "Cannot decide on "b" as "" is not a decision that ends an escalation",
            "Answer APPROVE, RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>; for a limit, APPROVE or REJECT only.",
          ],
          [
            "Cannot decide on "b" as "ESCALATE: you do it" is not a decision that ends an escalation",
            "Answer APPROVE, RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>; for a limit, APPROVE or REJECT only.",
          ],
          [
            "Cannot decide on "b" as "escalate" is not a decision that ends an escalation",
            "Answer APPROVE, RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>; for a limit, APPROVE or REJECT only.",
          ],
          [
            "Cannot decide on "b" as this object is not a decision that ends an escalation",
            "Answer APPROVE, RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>; for a limit, APPROVE or REJECT only.",
          ],
          [
            "Cannot decide on "b" as undefined is not a decision that ends an escalation",
            "Answer APPROVE, RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>; for a limit, APPROVE or REJECT only.",
          ],
          [
            "Cannot decide on "b" as null is not a decision that ends an escalation",
            "Answer APPROVE, RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>; for a limit, APPROVE or REJECT only.",
          ],
          [
            "Cannot send back "c" from "b" as it is not upstream",
            "Upstream are "a".",
          ],
          [
            "Cannot send back "d" from "b" as it is not upstream",
            "Upstream are "a".",
          ],
          [
            "Cannot send back "b" from "b" as it is not upstream",
            "Upstream are "a".",
          ],
          [
            "Cannot send back "nobody" from "b" as it is not upstream",
            "Upstream are "a".",
          ],
          [
            "Cannot decide on "b" as it does not wait for a decision",
            "Nothing waits for a decision now.",
          ],
        ]
      `);
  });

  it('may be called by a listener of events$ during the event', async () => {
    const a = fake('a', { verdicts: ['ESCALATE: look'] });
    const run = startRun(definePipeline({ name: 'p', phases: [a.definition] }));
    run.events$.subscribe(({ event }) => {
      if (event.type === 'phase.escalated') void run.decide(event.phase, 'APPROVE');
    });
    expect((await run.result).status).toBe('completed');
  });

  it('takes the first of two decisions', async () => {
    let second: unknown;
    expect(
      await trace([fake('a', { verdicts: ['ESCALATE: look'] })], {
        when: {
          'a escalated (requested): look': async (run) => {
            await run.decide('a', 'REJECT: first');
            second = await refusalOf(() => run.decide('a', 'APPROVE'));
          },
        },
      }),
    ).toEqual(['a started 0', 'a escalated (requested): look', 'a rejected: first', 'run rejected']);
    expect(second).toMatchObject({ code: 'NOT_ESCALATED' });
  });
});

describe('run.cancel()', () => {
  it('ends the run at once: running work is aborted, unstarted phases are skipped, approved ones stay', async () => {
    // Rule 23.
    //  a ──▶ b ──▶ c      e waits for a person      f waits for a
    const signals: AbortSignal[] = [];
    const watched = (context: TaskContext) => {
      signals.push(context.signal);
      return untilAborted(context);
    };
    const phases = [
      fake('a'),
      fake('b', { after: ['a'], outputs: [watched] }),
      fake('c', { after: ['b'] }),
      fake('e', { verdicts: ['ESCALATE: look'] }),
      fake('g', { verdicts: [watched] }),
    ];
    const { lines, result, timers, run } = await play(phases, {
      when: { 'e escalated (requested): look': (one) => one.cancel('no more') },
    });
    expect(lines).toEqual([
      'a started 0',
      'e started 0',
      'g started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'e escalated (requested): look',
      'b cancelled by no more',
      'c skipped by no more',
      'e cancelled by no more',
      'g cancelled by no more',
      'run cancelled: no more',
    ]);
    expect(signals.map((one) => one.aborted)).toEqual([true, true]);
    expect(result).toMatchObject({ status: 'cancelled', reason: 'no more', outputs: { a: { work: 'a 1' } } });
    expect(timers()).toBe(0);
    run.cancel('again');
    expect(run.snapshot().reason).toBe('no more');
    await expect(run.outputs).rejects.toMatchObject({ code: 'RUN_UNSUCCESSFUL' });
  });

  it('keeps outputs that were approved and are being replaced', async () => {
    //  a ──▶ b
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: x'] });
    const a = fake('a', { outputs: ['a 1', untilAborted] });
    const { lines, result } = await play([a, b], { when: { 'a started 1 g1: x': (run) => run.cancel() } });
    expect(lines.slice(3)).toEqual([
      'b rewinding a: x',
      'a started 1 g1: x',
      'a cancelled by cancelled',
      'b cancelled by cancelled',
      'run cancelled: cancelled',
    ]);
    expect(result.phases['a']).toMatchObject({ status: 'cancelled', version: 1, outputs: { work: 'a 1' } });
  });

  it('runs no task before the run has begun', async () => {
    const a = fake('a');
    const { lines } = await play([a], { run: { signal: AbortSignal.abort(new Error('too late')) } });
    expect(lines.at(-1)).toBe('run cancelled: too late');
    expect(lines).not.toContain('a approved v1 (unreviewed)');
    expect(a.calls).toHaveLength(0);
  });
});

describe('the signal of a run', () => {
  it('gives its text as the reason, as it is', async () => {
    const { result } = await play([fake('a')], { run: { signal: AbortSignal.abort('the user left') } });
    expect(result).toMatchObject({ status: 'cancelled', reason: 'the user left' });
  });

  it.each([new Error('the user left'), 15])(
    'does not differ from the reason of cancel(), which may be %s',
    async (given) => {
      const pipeline = definePipeline({ name: 'p', phases: [fake('a').definition] });
      const [run, other] = [startRun(pipeline), startRun(pipeline, { signal: AbortSignal.abort(given) })];
      run.cancel(given as never);
      const { reason } = await run.result;
      expect(reason).toContain(given instanceof Error ? 'the user left' : '15');
      expect((await other.result).reason).toBe(reason);
    },
  );

  it('cancels the run with its reason', async () => {
    const controller = new AbortController();
    const a = fake('a', { outputs: [untilAborted] });
    const { lines, result } = await play([a], {
      run: { signal: controller.signal },
      when: { 'a started 0': () => controller.abort(new Error('shutting down')) },
    });
    expect(lines).toEqual(['a started 0', 'a cancelled by shutting down', 'run cancelled: shutting down']);
    expect(result.status).toBe('cancelled');
  });

  it('has no effect once the run has ended', async () => {
    const controller = new AbortController();
    const { run } = await play([fake('a')], { run: { signal: controller.signal } });
    controller.abort();
    expect(run.snapshot().status).toBe('completed');
  });
});

async function refusalOf(call: () => Promise<void>): Promise<unknown> {
  try {
    await call();
    return 'not refused';
  } catch (error) {
    return error;
  }
}

describe('a limit that asks a person', () => {
  it('is lifted or not, and refuses every other decision', async () => {
    const a = phase('a', { tasks: [task('t', { estimate: { costUsd: 5 }, run: () => 1 })] });
    const pipeline = definePipeline({
      name: 'p',
      phases: [a],
      limits: { costUsd: 1 },
      policy: { onLimit: 'escalate' },
    });
    const run = startRun(pipeline);
    await new Promise<void>((resolve) => {
      run.events$.subscribe(({ event }) => event.type === 'limit.reached' && resolve());
    });
    const [item] = run.inbox();
    const said = (decision: Decision) => run.answer(item?.id ?? '', { type: 'decide', decision });
    for (const decision of [retry('x'), escalate('y'), retryPredecessor('a', 'z')]) {
      await expect(said(decision)).rejects.toThrow(
        `Cannot decide on "costUsd" as "${decision.type}" is not a decision that lifts or keeps a limit\n`,
      );
    }
    await said(approve());
    expect(await run.result).toMatchObject({ status: 'completed' });
  });
});
