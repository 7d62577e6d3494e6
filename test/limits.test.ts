import { describe, expect, it } from 'vitest';
import { task, type TaskContext } from '../src/index.ts';
import { fake, held, idle, never, play, trace, untilAborted } from './rig.ts';

describe("onLimit: 'stop'", () => {
  it('ends the run when corrections are spent', async () => {
    // Rules 21, 22: every correction of the run counts, a rewind as much as a retry.
    //  a ──▶ b
    const a = fake('a', { verdicts: ['RETRY: 1', 'APPROVE', 'APPROVE'] });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: 2', 'RETRY: 3'] });
    const { lines, result } = await play([a, b, fake('c', { after: ['b'] })], { limits: { corrections: 2 } });
    expect(lines.slice(3)).toEqual([
      'a approved v1',
      'b started 0',
      'b rewinding a: 2',
      'a started 2 g1: 2',
      'a approved v2',
      'b started 0',
      'limit corrections reached 2/2',
      'b cancelled by The limit of 2 for corrections is spent',
      'c skipped by The limit of 2 for corrections is spent',
      'run exhausted (corrections): The limit of 2 for corrections is spent',
    ]);
    expect(result).toMatchObject({
      status: 'exhausted',
      limit: 'corrections',
      reason: 'The limit of 2 for corrections is spent',
      limitsLeft: { corrections: 0 },
      metrics: { corrections: 2 },
      outputs: { a: { work: 'a 3' } },
    });
  });

  it('ends the run when one phase has sent back one other too often', async () => {
    // Rule 21: perPair counts each pair for itself, and not retries.
    //  a, b ──▶ c
    const c = fake('c', {
      after: ['a', 'b'],
      maxPredecessorRetries: 'unlimited',
      verdicts: ['RETRY: 0', 'RETRY_PREDECESSOR a: 1', 'RETRY_PREDECESSOR b: 1', 'RETRY_PREDECESSOR a: 2'],
    });
    const { lines } = await play([fake('a'), fake('b'), c], { limits: { perPair: 1 } });
    expect(lines.slice(4)).toEqual([
      'c started 0',
      'c retrying: 0',
      'c started 1: 0',
      'c rewinding a: 1',
      'a started 1 g1: 1',
      'a approved v2 (unreviewed)',
      'c started 0',
      'c rewinding b: 1',
      'b started 1 g1: 1',
      'b approved v2 (unreviewed)',
      'c started 0',
      'limit perPair reached 1/1',
      'c cancelled by The limit of 1 for perPair is spent',
      'run exhausted (perPair): The limit of 1 for perPair is spent',
    ]);
  });

  it('ends the run before one attempt too many of a phase', async () => {
    // Rule 21: attempts are counted over all generations.
    //  a ──▶ b
    const a = fake('a', { verdicts: ['RETRY: 1', 'APPROVE'] });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: 2'] });
    expect(await trace([a, b], { limits: { attemptsPerPhase: 2 } })).toEqual([
      'a started 0',
      'a retrying: 1',
      'a started 1: 1',
      'a approved v1',
      'b started 0',
      'b rewinding a: 2',
      'limit attemptsPerPhase reached 2/2',
      'a stale by The limit of 2 for attemptsPerPhase is spent',
      'b cancelled by The limit of 2 for attemptsPerPhase is spent',
      'run exhausted (attemptsPerPhase): The limit of 2 for attemptsPerPhase is spent',
    ]);
  });

  it('ends the run when more tokens or money are reported than allowed', async () => {
    // Rule 21: usage of reviewers counts, too. The allowed amount may be used in full, and then nothing starts.
    const spend = (tokens: number) => (context: Pick<TaskContext, 'report'>) => {
      context.report({ tokens, costUsd: tokens / 1000 });
      return 'APPROVE';
    };
    const phases = () => [
      fake('a', { outputs: [spend(60)], verdicts: [spend(40)] }),
      fake('b', { after: ['a'], outputs: [spend(1)] }),
      fake('c', { after: ['b'] }),
    ];
    expect(await trace(phases(), { limits: { tokens: 102 }, detail: ['reports'] })).toEqual([
      'a started 0',
      'a/work reported 60 tokens, 0.06 USD',
      'a/review reported 40 tokens, 0.04 USD',
      'a approved v1',
      'b started 0',
      'b/work reported 1 tokens, 0.001 USD',
      'b approved v1 (unreviewed) from a@1',
      'c started 0',
      'c approved v1 (unreviewed) from b@1',
      'run completed',
    ]);
    expect((await trace(phases(), { limits: { tokens: 101 } })).slice(4)).toEqual([
      'c started 0',
      'limit tokens reached 101/101',
      'c cancelled by The limit of 101 for tokens is spent',
      'run exhausted (tokens): The limit of 101 for tokens is spent',
    ]);
    const { lines, result } = await play(phases(), { limits: { tokens: 99 } });
    expect(lines.slice(1)).toEqual([
      'limit tokens reached 100/99',
      'a cancelled by The limit of 99 for tokens is spent',
      'b skipped by The limit of 99 for tokens is spent',
      'c skipped by The limit of 99 for tokens is spent',
      'run exhausted (tokens): The limit of 99 for tokens is spent',
    ]);
    expect(result.metrics).toMatchObject({ tokens: 100 });
    expect((await play(phases(), { limits: { costUsd: 0.05 } })).result).toMatchObject({
      status: 'exhausted',
      limit: 'costUsd',
    });
  });

  it('ends the run at its time limit, and stops running work', async () => {
    // Rules 21, 23.
    const signals: AbortSignal[] = [];
    const slow = fake('slow', {
      outputs: [
        (context: TaskContext) => {
          signals.push(context.signal);
          return untilAborted(context);
        },
      ],
    });
    const { lines, result, timers } = await play([slow, fake('after', { after: ['slow'] }), fake('quick')], {
      limits: { durationMs: 5000 },
      timed: true,
    });
    expect(lines).toEqual([
      '0 slow started 0',
      '0 quick started 0',
      '0 quick approved v1 (unreviewed)',
      '5000 limit durationMs reached 5000/5000',
      '5000 slow cancelled by The limit of 5000 for durationMs is spent',
      '5000 after skipped by The limit of 5000 for durationMs is spent',
      '5000 run exhausted (durationMs): The limit of 5000 for durationMs is spent',
    ]);
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    expect(result.phases['slow']?.status).toBe('cancelled');
    expect(timers()).toBe(0);
  });

  it('leaves no timer of durationMs behind in a run that is done', async () => {
    const { timers, result } = await play([fake('a')], { limits: { durationMs: 5000 } });
    expect(result.status).toBe('completed');
    expect(timers()).toBe(0);
  });
});

describe("onLimit: 'escalate'", () => {
  const policy = { onLimit: 'escalate' } as const;

  it('holds the one phase with a correction too many; approve accepts its attempt', async () => {
    // Rule 22.
    const a = fake('a', { verdicts: ['RETRY: 1', 'RETRY: 2'] });
    const b = fake('b', { outputs: ['b 1'] });
    const { lines, result } = await play([a, b, fake('c', { after: ['a'] })], {
      policy,
      limits: { corrections: 1 },
      when: { 'a escalated (limit): The limit of 1 for corrections is spent': (run) => run.decide('a', 'APPROVE') },
    });
    expect(lines).toEqual([
      'a started 0',
      'b started 0',
      'b approved v1 (unreviewed)',
      'a retrying: 1',
      'a started 1: 1',
      'limit corrections reached 1/1 holds a',
      'a escalated (limit): The limit of 1 for corrections is spent',
      'a approved v1',
      'c started 0',
      'c approved v1 (unreviewed) from a@1',
      'run completed',
    ]);
    expect(result.outputs['a']).toEqual({ work: 'a 2' });
  });

  it('holds the phase again at the next correction; those of people count and are never refused', async () => {
    // Rules 9, 21, 22.
    const a = fake('a', { maxRetries: 5, verdicts: ['RETRY: 1', 'RETRY: 2', 'APPROVE'] });
    let asked = 0;
    const { lines, result } = await play([a], {
      policy,
      limits: { corrections: 0 },
      when: {
        'a escalated (limit): The limit of 0 for corrections is spent': async (run) => {
          asked += 1;
          await run.decide('a', `RETRY: by me ${asked}`);
        },
      },
    });
    expect(lines).toEqual([
      'a started 0',
      'limit corrections reached 0/0 holds a',
      'a escalated (limit): The limit of 0 for corrections is spent',
      'a retrying by person: by me 1',
      'a started 1: by me 1',
      'limit corrections reached 1/0 holds a',
      'a escalated (limit): The limit of 0 for corrections is spent',
      'a retrying by person: by me 2',
      'a started 2: by me 2',
      'a approved v1',
      'run completed',
    ]);
    expect(result.metrics.corrections).toBe(2);
  });

  it('holds the requester of a rewind too many; a person may reject, or send back anyway', async () => {
    // Rule 22, perPair.
    //  a ──▶ b
    const b = () =>
      fake('b', {
        after: ['a'],
        verdicts: ['RETRY_PREDECESSOR a: 1', 'RETRY_PREDECESSOR a: 2', 'APPROVE'],
      });
    const limit = 'b escalated (limit): The limit of 1 for perPair is spent';
    const told = (decision: string) =>
      trace([fake('a'), b()], {
        policy,
        limits: { perPair: 1 },
        when: { [limit]: (run) => run.decide('b', decision) },
      });
    const opening = [
      'b rewinding a: 1',
      'a started 1 g1: 1',
      'a approved v2 (unreviewed)',
      'b started 0',
      'limit perPair reached 1/1 holds b',
      limit,
    ];
    expect((await told('REJECT: enough')).slice(3)).toEqual([...opening, 'b rejected: enough', 'run rejected']);
    expect((await told('RETRY_PREDECESSOR a: really')).slice(3)).toEqual([
      ...opening,
      'b rewinding a by person: really',
      'a started 2 g2: really',
      'a approved v3 (unreviewed)',
      'b started 0',
      'b approved v1 from a@3',
      'run completed',
    ]);
  });

  it('holds a waiting phase before an attempt too many', async () => {
    // Rule 22: attemptsPerPhase holds only a phase that waits, here to retry.
    const a = fake('a', { maxRetries: 5, verdicts: ['RETRY: 1', 'RETRY: 2'] });
    expect(
      await trace([a, fake('b')], {
        policy,
        limits: { attemptsPerPhase: 2 },
        when: {
          'a escalated (limit): The limit of 2 for attemptsPerPhase is spent': (run) => run.decide('a', 'APPROVE'),
        },
      }),
    ).toEqual([
      'a started 0',
      'b started 0',
      'b approved v1 (unreviewed)',
      'a retrying: 1',
      'a started 1: 1',
      'limit attemptsPerPhase reached 2/2 holds a',
      'a escalated (limit): The limit of 2 for attemptsPerPhase is spent',
      'a approved v1',
      'run completed',
    ]);
  });

  it('holds the whole run if a phase that does not wait would start too often', async () => {
    // Rule 22: a is approved, so it waits for no decision; it would begin its third attempt.
    //  a ──▶ b
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: 1', 'APPROVE'] });
    const options = (decision: string) => ({
      policy,
      limits: { attemptsPerPhase: 1 },
      when: {
        'limit attemptsPerPhase reached 1/1': (run: { decide(about: string, decision: string): void }) =>
          run.decide('attemptsPerPhase', decision),
      },
    });
    const opening = ['b started 0', 'b rewinding a: 1', 'limit attemptsPerPhase reached 1/1'];
    expect((await trace([fake('a'), b], options('APPROVE'))).slice(2)).toEqual([
      ...opening,
      'limit attemptsPerPhase lifted',
      'a started 1 g1: 1',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b approved v1 from a@2',
      'run completed',
    ]);
    const again = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: 1', 'APPROVE'] });
    expect((await trace([fake('a'), again], options('REJECT: no'))).slice(2)).toEqual([
      ...opening,
      'a stale by The limit for attemptsPerPhase is spent, and was not lifted: no',
      'b cancelled by The limit for attemptsPerPhase is spent, and was not lifted: no',
      'run exhausted (attemptsPerPhase): The limit for attemptsPerPhase is spent, and was not lifted: no',
    ]);
  });

  it('lets running tries end and starts no other, until a person lifts it', async () => {
    // Rule 22.
    //  spender, slow ──▶ next
    const slow = held();
    const gated = fake('slow', { outputs: [slow.script], verdicts: ['RETRY: once', 'APPROVE'] });
    const phases = [
      gated,
      fake('spender', { outputs: [(context: TaskContext) => context.report({ tokens: 11 })] }),
      fake('next', { after: ['spender', 'slow'] }),
    ];
    const { lines, run } = await play(phases, {
      policy,
      limits: { tokens: 10 },
      when: {
        'spender approved v1 (unreviewed)': async (one) => {
          expect(one.snapshot().waiting).toEqual(['tokens']);
          slow.release('s 1');
          await idle();
          expect(one.snapshot().phases['slow']).toMatchObject({ status: 'reviewing', done: ['work'] });
          expect(gated.reviews).toEqual([]);
          await one.decide('tokens', 'APPROVE');
        },
      },
    });
    expect(lines).toEqual([
      'slow started 0',
      'spender started 0',
      'limit tokens reached 11/10',
      'spender approved v1 (unreviewed)',
      'limit tokens lifted',
      'slow retrying: once',
      'slow started 1: once',
      'slow approved v1',
      'next started 0',
      'next approved v1 (unreviewed) from spender@1 slow@1',
      'run completed',
    ]);
    expect(run.snapshot().waiting).toEqual([]);
  });

  it('ends the run as exhausted if a person rejects', async () => {
    const a = fake('a', {
      tasks: [
        task('t', {
          run: (context) => {
            context.report({ costUsd: 2 });
            return never();
          },
        }),
      ],
    });
    expect(
      await trace([a], {
        policy,
        limits: { costUsd: 1 },
        when: { 'limit costUsd reached 2/1': (run) => run.decide('costUsd', 'REJECT: too much') },
      }),
    ).toEqual([
      'a started 0',
      'limit costUsd reached 2/1',
      'a cancelled by The limit for costUsd is spent, and was not lifted: too much',
      'run exhausted (costUsd): The limit for costUsd is spent, and was not lifted: too much',
    ]);
  });

  it('lets running work continue after its time, and the rest once a person approves', async () => {
    // Rule 22.
    const slow = held();
    const { lines } = await play([fake('slow', { outputs: [slow.script] }), fake('next', { after: ['slow'] })], {
      policy,
      limits: { durationMs: 1000 },
      timed: true,
      when: {
        'limit durationMs reached 1000/1000': () => slow.release('s'),
        'slow approved v1 (unreviewed)': (run) => run.decide('durationMs', 'APPROVE'),
      },
    });
    expect(lines).toEqual([
      '0 slow started 0',
      '1000 limit durationMs reached 1000/1000',
      '1000 slow approved v1 (unreviewed)',
      '1000 limit durationMs lifted',
      '1000 next started 0',
      '1000 next approved v1 (unreviewed) from slow@1',
      '1000 run completed',
    ]);
  });

  it('completes a run whose last phase spent the limit', async () => {
    // Rule 20: there is nothing left to hold.
    const a = fake('a', { outputs: [(context: TaskContext) => context.report({ tokens: 11 })] });
    expect(await trace([a], { policy, limits: { tokens: 10 } })).toEqual([
      'a started 0',
      'limit tokens reached 11/10',
      'a approved v1 (unreviewed)',
      'run completed',
    ]);
  });

  it('refuses decisions other than approve and reject', async () => {
    // Rule 22 knows these two. A retry has no phase to send back.
    const a = fake('a', { outputs: [(context: TaskContext) => context.report({ tokens: 11 })] });
    let refusal: unknown;
    await trace([a, fake('b', { after: ['a'] })], {
      policy,
      limits: { tokens: 10 },
      when: {
        'a approved v1 (unreviewed)': async (run) => {
          try {
            await run.decide('tokens', 'RETRY: what?');
          } catch (error) {
            refusal = error;
            await run.decide('tokens', 'APPROVE');
          }
        },
      },
    });
    expect(refusal).toMatchObject({ code: 'DECISION_INVALID' });
  });
});

describe('limits of a pipeline', () => {
  it('override those of its policy, one by one', async () => {
    const a = fake('a', { maxRetries: 9, verdicts: ['RETRY: 1', 'RETRY: 2', 'RETRY: 3'] });
    const { result } = await play([a], {
      policy: { limits: { corrections: 1, tokens: 7 } },
      limits: { corrections: 2 },
    });
    expect(result).toMatchObject({ status: 'exhausted', limitsLeft: { corrections: 0, tokens: 7 } });
  });
});
