import { describe, expect, it } from 'vitest';
import { task } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { standingOutput, taskUsage } from '../../visualizations/dashboard/src/run/phase/task-history.ts';
import {
  attemptAt,
  startPhaseHistory,
  type PhaseHistory,
} from '../../visualizations/dashboard/src/run/phase/phase-history.ts';
import { endOf } from '../../visualizations/dashboard/src/run/phase/attempt-words.ts';
import { fake, play } from '../rig.ts';
import { eventfulRun } from './eventful.ts';

describe('startPhaseHistory()', () => {
  it('has the attempts of a phase, each with its feedback and its result', async () => {
    const records = await eventfulRun();
    const { attempts, state } = historyOf(records, 'a');
    expect(state).toBe('approved');
    const told = attempts.map(({ number, generation, attempt, revision, tasks, decisions, end }) => ({
      number,
      generation,
      attempt,
      feedback: revision?.feedback,
      outputs: tasks.map(({ name, isReviewer, state: stands, output }) => [name, isReviewer, stands, output?.value]),
      verdicts: decisions.map(({ by, verdict, verdicts }) => [by, verdict.type, Object.keys(verdicts)]),
      end: end?.event.type,
    }));
    expect(told).toEqual([
      {
        number: 1,
        generation: 0,
        attempt: 0,
        feedback: undefined,
        outputs: [['work', false, 'done', 'one']],
        verdicts: [['gate', 'retry', ['review']]],
        end: 'phase.retrying',
      },
      {
        number: 2,
        generation: 0,
        attempt: 1,
        feedback: 'more',
        outputs: [['work', false, 'done', 'two']],
        verdicts: [['gate', 'approve', ['review']]],
        end: 'phase.approved',
      },
      {
        number: 3,
        generation: 1,
        attempt: 2,
        feedback: 'other numbers',
        outputs: [['work', false, 'done', 'three']],
        verdicts: [['gate', 'approve', ['review']]],
        end: 'phase.approved',
      },
    ]);
    const started = records.filter(({ event }) => event.type === 'phase.started' && event.phase === 'a');
    expect(attempts.map(({ seq }) => seq)).toEqual(started.map(({ seq }) => seq));
  });

  it('marks the part of the usage of a task that is an estimate', async () => {
    const half = task('t', { estimate: { tokens: 60, costUsd: 0.5 }, run: ({ report }) => report({ tokens: 40 }) });
    const { records } = await play([fake('a', { tasks: [half] })]);
    const [history] = historyOf(records, 'a').attempts[0]?.tasks ?? [];
    expect(history).toMatchObject({ tokens: 40, costUsd: 0.5, estimated: { tokens: 0, costUsd: 0.5 } });
    expect(history && taskUsage(history)).toBe('40 tokens, $0.50 ($0.50 of it estimated)');
  });

  it('assigns the decision of a person to its attempt', async () => {
    const { attempts } = historyOf(await eventfulRun(), 'c');
    expect(attempts.map(({ decisions, end }) => [decisions.map(({ by }) => by), end?.event.type])).toEqual([
      [['gate', 'person'], 'phase.approved'],
    ]);
  });

  it('keeps the edited output of a person next to the original', async () => {
    const edited = (await eventfulRun()).map((record) => {
      const { event } = record;
      if (event.type !== 'review.decided' || event.by !== 'person') return record;
      return { ...record, event: { ...event, edited: { work: 'better', other: 'new' } } };
    });
    const [attempt] = historyOf(edited, 'c').attempts;
    expect(
      attempt?.tasks.map((one) => [one.name, one.output?.value, one.edited?.value, standingOutput(one)?.value]),
    ).toEqual([
      ['other', undefined, 'new', 'new'],
      ['work', expect.anything(), 'better', 'better'],
    ]);
  });

  it('has task retries, errors, usage, artifacts and observations of a task', async () => {
    let tries = 0;
    const flaky = task('t', {
      retry: { attempts: 3, backoff: { first: 40, factor: 1 } },
      run: ({ report }) => {
        tries += 1;
        report({ tokens: 10, costUsd: 0.5, model: 'm', progress: 0.25 });
        report({ tokens: 1, model: 'm', progress: 'half', observation: `seen ${tries}` });
        if (tries < 3) throw new Error(`busy ${tries}`);
        report({ artifact: { name: 'file', content: 'text' } });
        return 'fine';
      },
    });
    const { records } = await play([fake('a', { tasks: [flaky] })]);
    const [attempt] = historyOf(records, 'a').attempts;
    const [history] = attempt?.tasks ?? [];
    expect(history).toMatchObject({
      name: 't',
      tries: 3,
      state: 'done',
      output: { value: 'fine' },
      tokens: 33,
      costUsd: 1.5,
      models: ['m'],
      progress: 'half',
      artifacts: [{ name: 'file', content: 'text' }],
      observations: ['seen 1', 'seen 2', 'seen 3'],
    });
    expect(history?.failures.map(({ try: number, error, delayMs }) => [number, error.message, delayMs])).toEqual([
      [1, 'busy 1', 40],
      [2, 'busy 2', 40],
    ]);
  });

  it('gives the end of a phase that never started', async () => {
    const { attempts, between, state } = historyOf(await eventfulRun(), 'g');
    expect([attempts, between.map(({ event }) => event.type), state]).toEqual([[], ['phase.skipped'], null]);
  });
});

describe('attemptAt()', () => {
  it('finds the attempt that a record belongs to', async () => {
    const { attempts } = historyOf(await eventfulRun(), 'a');
    const second = attempts[1]?.seq ?? 0;
    expect([null, 1, second - 1, second, second + 1, 9999].map((seq) => attemptAt(attempts, seq))).toEqual([
      2, 2, 0, 1, 1, 2,
    ]);
  });
});

describe('endOf()', () => {
  it.each([
    ['a demand without retries', 'rejected, as the budget is spent', ['RETRY: more'], { maxRetries: 0 }],
    [
      'a demand that comes again',
      'rejected',
      ['RETRY: more', 'RETRY: more', 'RETRY: more'],
      { maxRetries: 4, loopAfter: 2 },
    ],
    ['a reviewer', 'rejected', ['REJECT: off topic'], {}],
  ])('names the budget of a rejection only if it is spent: %s', async (_name, words, verdicts, options) => {
    const { records } = await play([fake('a', { verdicts, ...options })]);
    const last = historyOf(records, 'a').attempts.at(-1);
    expect(last && endOf(last)).toEqual({ look: 'rejected', words });
  });
});

// --- internal ---

function historyOf(records: readonly RunRecord[], phase: string): PhaseHistory {
  const fold = startPhaseHistory(phase);
  for (const record of records) fold.apply(record);
  return fold.read();
}
