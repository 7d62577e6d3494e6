import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  human,
  phase,
  requestChanges,
  retryPredecessor,
  startRun,
  task,
  type Issue,
  type Limits,
  type Policy,
  type Run,
  type TaskContext,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import type { Alert } from '../src/projections/alerts/alert.ts';
import { foldAlerts } from '../src/projections/alerts/alerts.ts';
import { fake, held, idle, never, simulatedTime, type Fake, type Script, type SimulatedTime } from './rig.ts';

const MINUTE = 60_000;

describe('foldAlerts()', () => {
  it('finds nothing in a run that makes progress', async () => {
    const { alerts } = await began([fake('draft', { outputs: [never] }), fake('index')]);
    expect(alerts()).toEqual([]);
  });

  it('reports a loop of issues, until a person has decided', async () => {
    const policy: Policy = { onExhausted: 'escalate', maxRetries: 5 };
    const draft = fake('draft', { outputs: ['one', 'two', never], verdicts: [change, change] });
    const { run, records, alerts } = await began([draft], { policy });
    expect(alerts()).toEqual([
      {
        code: 'LOOPING',
        severity: 'problem',
        phase: 'draft',
        seq: seqOf(records, 'loop.detected'),
        since: 0,
        found: 'It goes round in a loop: "There are no tests." is open again, and nothing was corrected',
        advice: 'Describe the change in other words, send back the phase that made the defect, or decide.',
      },
    ]);
    await run.decide('draft', 'RETRY: Write one test.');
    await idle();
    expect(codes(alerts())).toEqual([]);
  });

  it('does not report a loop after a person has sent back an earlier phase, however long that takes', async () => {
    const policy: Policy = { onExhausted: 'escalate', maxRetries: 5 };
    const draft = fake('draft', { after: ['plan'], verdicts: [change, change] });
    const { run, alerts } = await began([fake('plan', { outputs: ['one', never] }), draft], { policy });
    expect(codes(alerts())).toEqual(['LOOPING']);
    await run.decide('draft', 'RETRY_PREDECESSOR plan: Plan a test.');
    await idle();
    expect(codes(alerts())).toEqual([]);
  });

  it('reports a loop of rewinds', async () => {
    // a ◀── b ◀── c: b sends back a, c sends back b, and so on.
    const policy: Policy = { onExhausted: 'escalate', maxPredecessorRetries: 9 };
    const back = (target: string) => Array.from({ length: 9 }, (_, at) => retryPredecessor(target, `again ${at}`));
    const { alerts } = await began(
      [
        fake('a'),
        fake('b', { after: ['a'], verdicts: ['APPROVE', ...back('a').flatMap((one) => [one, 'APPROVE'])] }),
        fake('c', { after: ['b'], verdicts: back('b') }),
      ],
      { policy },
    );
    const [loop] = alerts();
    expect([loop?.code, loop?.phase, loop?.found]).toEqual([
      'LOOPING',
      'b',
      'It goes round in a loop: c sends back b, b sends back a, c sends back b, b sends back a',
    ]);
  });

  it('reports a repeated request for the same change, in any spacing', async () => {
    const { alerts } = await began(
      [
        fake('draft', {
          outputs: ['one', 'two', never],
          verdicts: ['RETRY: Cite a source.', 'RETRY: cite  a source.'],
        }),
      ],
      { policy: { maxRetries: 5 } },
    );
    expect(alerts().map(({ code, phase, found }) => [code, phase, found])).toEqual([
      ['REPEATING', 'draft', 'draft has asked for the same change 2 times: cite  a source.'],
    ]);
  });

  it.each<[Policy['onExhausted'], string]>([
    ['accept', 'If it is not approved now, the last attempt is accepted all the same.'],
    ['acceptBest', 'If it is not approved now, the attempt with the best score is accepted all the same.'],
    ['escalate', 'If it is not approved now, a person is asked.'],
    ['reject', 'If it is not approved now, it is rejected.'],
  ])('reports the last retry, and that %s follows', async (onExhausted, advice) => {
    const { records, alerts } = await began(
      [fake('draft', { outputs: ['one', never], verdicts: ['RETRY: shorter'] })],
      { policy: { onExhausted, maxRetries: 1 } },
    );
    expect(alerts()).toEqual([
      {
        code: 'RETRIES_SPENT',
        severity: 'notice',
        phase: 'draft',
        seq: seqOf(records, 'phase.retrying'),
        since: 0,
        found: 'The gate has used 1 of 1 retries',
        advice,
      },
    ]);
  });

  it('reports exhausted retries while a person is asked, and not after the approval', async () => {
    const { run, alerts } = await began(
      [
        fake('draft', { verdicts: ['RETRY: shorter', 'RETRY: funnier'] }),
        fake('print', { after: ['draft'], outputs: [never] }),
      ],
      { policy: { onExhausted: 'escalate', maxRetries: 1 } },
    );
    expect(alerts().map(({ code, severity, advice }) => [code, severity, advice])).toEqual([
      ['RETRIES_SPENT', 'problem', 'A person is asked.'],
    ]);
    await run.decide('draft', 'APPROVE');
    await idle();
    expect(alerts()).toEqual([]);
  });

  it('does not report retries if a phase has started afresh', async () => {
    const verdicts = ['RETRY: shorter', retryPredecessor('a', 'again')];
    const { alerts } = await began([fake('a'), fake('b', { after: ['a'], outputs: ['one', 'two', never], verdicts })], {
      policy: { maxRetries: 1 },
    });
    expect(codes(alerts())).toEqual([]);
  });

  it('reports a phase that may not be sent back again', async () => {
    const { alerts } = await began(
      [fake('a', { outputs: ['one', never] }), fake('b', { after: ['a'], verdicts: [retryPredecessor('a', 'again')] })],
      { policy: { onExhausted: 'escalate', maxPredecessorRetries: 1 } },
    );
    expect(alerts().map(({ code, phase, found }) => [code, phase, found])).toEqual([
      ['REWINDS_SPENT', 'b', 'It has used 1 of 1 rewinds of a'],
    ]);
  });

  it('reports nothing about gates without retries', async () => {
    const { alerts } = await began([fake('draft', { verdicts: [held().script] })], { policy: { maxRetries: 0 } });
    expect(alerts()).toEqual([]);
  });

  it('reports a phase that was accepted despite requested changes, until it runs again', async () => {
    const verdict = held();
    const { alerts } = await began(
      [
        fake('draft', { outputs: ['one', never], verdicts: ['RETRY: shorter'] }),
        fake('print', { after: ['draft'], verdicts: [verdict.script] }),
      ],
      { policy: { maxRetries: 0, onExhausted: 'accept' } },
    );
    expect(alerts().map(({ code, severity, phase }) => [code, severity, phase])).toEqual([
      ['ACCEPTED_UNAPPROVED', 'notice', 'draft'],
    ]);
    verdict.release(retryPredecessor('draft', 'shorter'));
    await expect.poll(() => codes(alerts())).toEqual([]);
  });

  describe('of limits', () => {
    it.each<[Limits, string]>([
      [{ costUsd: 1 }, '$0.9 of $1 are used of the limit costUsd'],
      [{ tokens: 100 }, '95 of 100 are used of the limit tokens'],
      [{ attemptsPerPhase: 1 }, '1 of 1 are used of the limit attemptsPerPhase'],
    ])('%j is reported as nearly spent', async (limits, found) => {
      const work = spending({ costUsd: 0.9, tokens: 95 });
      const { alerts } = await began([fake('draft', { outputs: [work] })], { limits });
      expect(alerts().map(({ code, severity, found: told }) => [code, severity, told])).toEqual([
        ['LIMIT_NEAR', 'notice', found],
      ]);
    });

    it('are not reported if less is used', async () => {
      const { alerts } = await began([fake('draft', { outputs: [spending({ costUsd: 0.89 })] })], {
        limits: { costUsd: 1 },
      });
      expect(alerts()).toEqual([]);
    });

    it('count corrections, riders included', async () => {
      const issues: readonly Issue[] = [
        { severity: 'high', description: 'No login.', affectedPhase: 'a' },
        { severity: 'high', description: 'No tests.', affectedPhase: 'b' },
      ];
      const { alerts } = await began(
        [
          fake('a', { outputs: ['one', never] }),
          fake('b', { after: ['a'] }),
          fake('c', { after: ['b'], verdicts: [requestChanges(issues)], rewindTo: 'ancestors' }),
        ],
        { limits: { corrections: 2 } },
      );
      expect(alerts().map(({ code, found }) => [code, found])).toEqual([
        ['LIMIT_NEAR', '2 of 2 are used of the limit corrections'],
      ]);
    });

    it('report the number of rewinds of one phase by another', async () => {
      const { alerts } = await began(
        [
          fake('a', { outputs: ['one', never] }),
          fake('b', { after: ['a'], verdicts: [retryPredecessor('a', 'again')] }),
        ],
        { limits: { perPair: 1 } },
      );
      expect(alerts().map(({ phase, found }) => [phase, found])).toEqual([
        ['b', '1 of 1 are used of the limit perPair'],
      ]);
    });

    it('report that time is almost over', async () => {
      const { records, alerts } = await began([fake('draft', { outputs: [never] })], {
        limits: { durationMs: 10 * MINUTE },
      });
      expect(alerts(9 * MINUTE - 1)).toEqual([]);
      expect(alerts(9 * MINUTE)).toEqual([
        {
          code: 'LIMIT_NEAR',
          severity: 'notice',
          phase: null,
          seq: seqOf(records, 'run.started'),
          since: 9 * MINUTE,
          found: '9 min of 10 min are used of the limit durationMs',
          advice: 'The run stops, or asks a person, if it needs more.',
        },
      ]);
    });

    it('report that the deadline is near, and not durationMs, during a question or without a process', async () => {
      const { alerts } = await began([fake('draft', { verdicts: ['ESCALATE: see it'] })], {
        limits: { durationMs: 10 * MINUTE, deadlineMs: 20 * MINUTE },
      });
      expect(alerts(18 * MINUTE - 1)).toEqual([]);
      expect(alerts(18 * MINUTE)).toMatchObject([
        { code: 'LIMIT_NEAR', since: 18 * MINUTE, found: '18 min of 20 min are used of the limit deadlineMs' },
      ]);
      const working = await began([fake('draft', { outputs: [never] })], { limits: { durationMs: 10 * MINUTE } });
      const fold = foldAlerts();
      for (const record of working.records) fold.apply(record);
      expect(fold.alerts(9 * MINUTE, MINUTE).filter(({ code }) => code === 'LIMIT_NEAR')).toEqual([]);
      expect(fold.alerts(9 * MINUTE, 9 * MINUTE)).toMatchObject([{ code: 'LIMIT_NEAR', since: 9 * MINUTE }]);
    });

    it('report a reached one until it is lifted, and nothing about it afterwards', async () => {
      const { run, records, alerts } = await began(
        [fake('draft', { outputs: [spending({ costUsd: 2 })] }), fake('index', { outputs: [never] })],
        { policy: { onLimit: 'escalate' }, limits: { costUsd: 1 } },
      );
      expect(alerts()).toEqual([
        {
          code: 'LIMIT_REACHED',
          severity: 'problem',
          phase: null,
          seq: seqOf(records, 'limit.reached'),
          since: 0,
          found: 'The limit of 1 for costUsd is spent',
          advice: 'The run is held until a person decides.',
        },
      ]);
      await run.decide('costUsd', 'APPROVE');
      await idle();
      expect(alerts()).toEqual([]);
    });

    it('report the phase that one holds, until its decision', async () => {
      const { run, alerts } = await began(
        [fake('draft', { outputs: ['one', 'two'], verdicts: ['RETRY: shorter'] }), fake('index', { outputs: [never] })],
        { policy: { onLimit: 'escalate' }, limits: { attemptsPerPhase: 1 } },
      );
      expect(alerts().map(({ code, phase, advice }) => [code, phase, advice])).toEqual([
        ['LIMIT_REACHED', 'draft', 'The phase is held until a person decides.'],
      ]);
      await run.decide('draft', 'APPROVE');
      await idle();
      expect(codes(alerts())).toEqual(['LIMIT_NEAR']);
    });
  });

  describe('of silence', () => {
    it('is reported for a try after ten minutes, with its beginning and the time of its end', async () => {
      const { records, alerts } = await began([fake('draft', { outputs: [never] })]);
      expect(alerts(10 * MINUTE - 1)).toEqual([]);
      expect(alerts(10 * MINUTE)).toEqual([
        {
          code: 'SILENT',
          severity: 'notice',
          phase: 'draft',
          seq: seqOf(records, 'task.started'),
          since: 0,
          found: 'Task work has reported nothing for 10 min',
          advice: 'Each try has a timeout of 60 min.',
        },
      ]);
    });

    it('is a problem if the timeout has passed without ending it', async () => {
      const { alerts } = await began([fake('draft', { outputs: [never] })]);
      expect(alerts(61 * MINUTE - 1).map(({ severity }) => severity)).toEqual(['notice']);
      expect(alerts(61 * MINUTE).map(({ severity, advice }) => [severity, advice])).toEqual([
        ['problem', 'See what it works on: its timeout of 60 min should have ended it.'],
      ]);
    });

    it('is a problem if a task has no timeout, with advice to set one', async () => {
      const slow = task('slow', { timeout: 0, run: never });
      const { alerts } = await began([fake('draft', { tasks: [slow] })]);
      expect(alerts(10 * MINUTE).map(({ severity, advice }) => [severity, advice])).toEqual([
        ['problem', 'See what it works on; a timeout would end it by itself.'],
      ]);
    });

    it('counts from the last report', async () => {
      const time = simulatedTime();
      const work = ({ report }: TaskContext) => {
        time.clock.setTimeout(() => report({ progress: 0.5 }), 4 * MINUTE);
        return never();
      };
      const { alerts } = await began([fake('draft', { outputs: [work] })], { time });
      await time.pass(5 * MINUTE);
      expect(codes(alerts(14 * MINUTE - 1))).toEqual([]);
      expect(codes(alerts(14 * MINUTE))).toEqual(['SILENT']);
    });

    it('is measured by earlier durations of the same task, after three of them', async () => {
      const time = simulatedTime();
      const outputs = [...[10_000, 12_000, 14_000].map((ms) => after(time, ms)), never];
      const draft = fake('draft', { outputs, verdicts: ['RETRY: one', 'RETRY: two', 'RETRY: three'] });
      const { alerts } = await began([draft], { time, policy: { maxRetries: 5, loopAfter: 'unlimited' } });
      await time.pass(36_000);
      expect(codes(alerts(155_999))).toEqual([]);
      expect(alerts(156_000).map(({ phase, found }) => [phase, found])).toEqual([
        ['draft', 'Task work has reported nothing for 2 min; it usually takes 12 s'],
      ]);
    });

    it('is tolerated for short work', async () => {
      const draft = fake('draft', {
        outputs: ['one', 'two', 'three', never],
        verdicts: ['RETRY: one', 'RETRY: two', 'RETRY: three'],
      });
      const { alerts } = await began([draft], { policy: { maxRetries: 5 } });
      expect(codes(alerts(MINUTE - 1))).toEqual([]);
      expect(codes(alerts(MINUTE))).toEqual(['SILENT']);
    });

    it('is not measured by other tasks: a model takes longer than a function', async () => {
      const quick = ['lint', 'format', 'types'].map((name) => fake(name));
      const named = ['a', 'b', 'c'].map((name) => task(name, { run: () => name }));
      const { alerts } = await began([...quick, fake('write', { tasks: [...named, task('model', { run: never })] })]);
      expect(codes(alerts(10 * MINUTE - 1))).toEqual([]);
      expect(codes(alerts(10 * MINUTE))).toEqual(['SILENT']);
    });

    it('is not measured by durations that include a person: a review', async () => {
      const time = simulatedTime();
      let looked = 0;
      const checks = [{ name: 'lint', run: () => ((looked += 1) > 3 ? never() : undefined) }];
      const draft = fake('draft', { checks, reviewers: {} });
      const asked = phase('draft', {
        tasks: [task('work', { run: () => 'done' })],
        review: { checks, by: human({ question: 'Is it good?' }) },
      });
      const policy = { maxRetries: 5, loopAfter: 'unlimited' } as const;
      const { run, alerts } = await began([{ ...draft, definition: asked }], { time, policy });
      await answerAllNight(run, time, ['RETRY: one', 'RETRY: two', 'RETRY: three']);
      const now = time.clock.now();
      expect(codes(alerts(now + 10 * MINUTE - 1))).toEqual([]);
      expect(alerts(now + 10 * MINUTE).map(({ severity, found }) => [severity, found])).toEqual([
        ['notice', 'The review has reported nothing for 10 min'],
      ]);
    });

    it('is not measured by durations that include a person: an attempt', async () => {
      const time = simulatedTime();
      let attempts = 0;
      const definition = phase('draft', {
        tasks: [task('person', { run: human({ question: 'How many?' }) })],
        review: {
          strategy: 'reflexion',
          by: () => `RETRY: ${(attempts += 1)}`,
          reflect: () => (attempts > 2 ? never() : 'Count.'),
        },
      });
      const { run, alerts } = await began([{ ...fake('draft'), definition }], { time, policy: { maxRetries: 5 } });
      await answerAllNight(run, time, ['one', 'two', 'three']);
      const now = time.clock.now();
      expect(codes(alerts(now + 10 * MINUTE - 1))).toEqual([]);
      expect(alerts(now + 10 * MINUTE).map(({ severity, found, advice }) => [severity, found, advice])).toEqual([
        ['notice', 'The attempt has reported nothing for 10 min', 'Each try has a timeout of 60 min.'],
      ]);
    });

    it('is reported for a review, of its reviewers and of its checks', async () => {
      const reviewed = await began([fake('draft', { verdicts: [never] })]);
      const checked = await began([fake('draft', { checks: [{ name: 'lint', run: never }] })]);
      for (const { alerts } of [reviewed, checked])
        expect(alerts(10 * MINUTE).map(({ severity, found, advice }) => [severity, found, advice])).toEqual([
          ['notice', 'The review has reported nothing for 10 min', 'Each try has a timeout of 60 min.'],
        ]);
    });

    it('is reported for a review after a person has answered, by the timeouts of the others', async () => {
      const time = simulatedTime();
      const by = [task('person', { run: human({ question: 'Is it good?' }) }), task('model', { run: never })];
      const definition = phase('draft', { tasks: [task('work', { run: () => 'done' })], review: { by } });
      const { run, alerts } = await began([{ ...fake('draft'), definition }], { time });
      expect(codes(alerts(60 * MINUTE))).toEqual([]);
      await answerAllNight(run, time, ['APPROVE']);
      const now = time.clock.now();
      expect(alerts(now + 10 * MINUTE).map(({ severity, found, since }) => [severity, found, since])).toEqual([
        ['notice', 'The review has reported nothing for 10 min', now],
      ]);
    });

    it('is not reported for a review with a reviewer in backoff, whatever others report', async () => {
      const time = simulatedTime();
      const busy = task('busy', {
        retry: { attempts: 2, backoff: { first: 30 * MINUTE, max: 30 * MINUTE } },
        run: () => {
          throw new Error('busy');
        },
      });
      const chatty = task('chatty', {
        run: ({ report }: TaskContext) => {
          time.clock.setTimeout(() => report({ progress: 'reading' }), MINUTE);
          return never();
        },
      });
      const definition = phase('draft', {
        tasks: [task('work', { run: () => 'done' })],
        review: { by: [busy, chatty] },
      });
      const { alerts } = await began([{ ...fake('draft'), definition }], { time });
      await time.pass(2 * MINUTE);
      expect(codes(alerts(29 * MINUTE))).toEqual([]);
      expect(codes(alerts(40 * MINUTE))).toEqual(['SILENT']);
    });

    it('is not reported for a phase that waits for a person, or for the end of a backoff', async () => {
      const asks = fake('asked', { tasks: [task('person', { run: human({ question: 'Well?' }) })] });
      const backoff = { first: 30 * MINUTE, max: 30 * MINUTE };
      const flaky = task('flaky', {
        retry: { attempts: 2, backoff },
        run: () => {
          throw new Error('busy');
        },
      });
      const { alerts } = await began([asks, fake('tried', { tasks: [flaky] })]);
      expect(codes(alerts(29 * MINUTE))).toEqual([]);
      expect(alerts(40 * MINUTE).map(({ phase: name }) => name)).toEqual(['tried']);
    });

    it('is not reported for a run that a limit holds', async () => {
      const work = spending({ costUsd: 2 });
      const { alerts } = await began([fake('draft', { outputs: [work] })], {
        policy: { onLimit: 'escalate' },
        limits: { costUsd: 1 },
      });
      expect(codes(alerts(60 * MINUTE))).toEqual(['LIMIT_REACHED']);
    });
  });

  it('is not reported after the end of the run, and is again after a retry', async () => {
    const { run, fold, alerts } = await began(
      [fake('draft', { outputs: ['one', never], verdicts: ['RETRY: shorter'] })],
      { policy: { maxRetries: 1 } },
    );
    expect(codes(alerts())).toEqual(['RETRIES_SPENT']);
    run.cancel('enough');
    const { runId, ...result } = await run.result;
    expect(result.status).toBe('cancelled');
    expect(alerts(60 * MINUTE)).toEqual([]);
    fold.apply({ runId, seq: 99, time: 0, event: { type: 'run.reopened' } });
    expect(alerts(60 * MINUTE)).toEqual([]);
  });
});

// --- internal ---

const change = requestChanges([{ id: 'no-tests', severity: 'high', description: 'There are no tests.' }]);

interface Options {
  readonly policy?: Policy;
  readonly limits?: Limits;
  readonly time?: SimulatedTime;
}

/** Starts a run, and waits until it is idle. @returns The run and its alerts. */
async function began(phases: readonly Fake[], { policy = {}, limits = {}, time = simulatedTime() }: Options = {}) {
  const pipeline = definePipeline({ name: 'rig', policy, limits, phases: phases.map(({ definition }) => definition) });
  const run: Run<unknown> = startRun(pipeline, { clock: time.clock, attended: true });
  const records: RunRecord[] = [];
  const fold = foldAlerts();
  run.events$.subscribe((record) => {
    records.push(record);
    fold.apply(record);
  });
  for (let last = -1; last < records.length; await idle()) last = records.length;
  return { run, records, fold, alerts: (now = 0): readonly Alert[] => fold.alerts(now) };
}

/** Work that takes that long. */
function after(time: SimulatedTime, ms: number): Script {
  return () => new Promise((resolve) => time.clock.setTimeout(() => resolve('done'), ms));
}

/** Answers questions one after the other, each after ten hours. */
async function answerAllNight(run: Run<unknown>, time: SimulatedTime, answers: readonly string[]): Promise<void> {
  for (const answer of answers) {
    await time.pass(600 * MINUTE);
    const [item] = run.inbox();
    if (!item) throw new Error('Nobody is asked.');
    const { kind } = item;
    await run.answer(
      item.id,
      kind === 'task' ? { type: 'value', value: answer } : { type: 'decide', decision: answer },
    );
    await idle();
  }
}

/** Work that reports usage, and does not end within the test. */
function spending(used: Parameters<TaskContext['report']>[0]): Script {
  return ({ report }: TaskContext) => {
    report(used);
    return never();
  };
}

function codes(alerts: readonly Alert[]): readonly string[] {
  return alerts.map(({ code }) => code);
}

function seqOf(records: readonly RunRecord[], type: string): number {
  return records.find(({ event }) => event.type === type)?.seq ?? 0;
}
