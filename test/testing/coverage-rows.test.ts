/** Coverage of a pipeline of which rehearsals reach every row, and of plans that ask for less. */
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  escalate,
  human,
  phase,
  reject,
  retry,
  retryPredecessor,
  task,
  type Limits,
  type ReviewOptions,
} from '../../src/index.ts';
import {
  answers,
  collectCoverage,
  coverageOf,
  fails,
  rehearse,
  silent,
  takes,
  type Script,
} from '../../src/testing.ts';

const work = (): never => {
  throw new Error('a rehearsal does not call this');
};

/** A plan, then a text whose gate has a check, a reviewer, and a deadline for people. */
function article(gate: Partial<ReviewOptions> = {}, limits: Limits = {}, onLimit: 'stop' | 'escalate' = 'stop') {
  return definePipeline({
    name: 'article',
    limits,
    policy: { onLimit },
    phases: [
      phase('plan', { tasks: [task('outline', { run: work })] }),
      phase('text', {
        after: ['plan'],
        tasks: [task('write', { run: work })],
        review: {
          by: task('editor', { run: work }),
          checks: [{ name: 'spelling', run: work }],
          maxRetries: 1,
          maxPredecessorRetries: 1,
          maxReviewErrors: 1,
          inbox: { expireAfterMs: 1000, onExpiry: 'reject' },
          ...gate,
        },
      }),
    ],
  });
}

const again = (what: string) => retry(what);
const replan = (what: string) => retryPredecessor('plan', what);

/** Scripts of runs, each for the rows that its name tells. */
const RUNS: Readonly<Record<string, Script>> = {
  'retries, of a failed check as well': { checks: { spelling: [false, true] }, reviews: { text: [again('one')] } },
  'rewinds until the budget is spent': { reviews: { text: [replan('one'), replan('two')] } },
  'a rejection after an unreadable text': { reviews: { text: ['Hm.', reject('no')] } },
  'errors until the budget is spent': { reviews: { text: [fails('gone'), fails('gone')] } },
  'an answer of a person': {
    reviews: { text: [escalate('You decide.')] },
    people: { text: [answers(approve(), { by: 'ann' })] },
  },
  'no answer of a person': { reviews: { text: [escalate('You decide.')] }, people: { text: [silent()] } },
  'an approval': {},
  'a limit': { tasks: { outline: takes(10_000, 'late') }, reviews: {} },
};

describe('coverage by rehearsals', () => {
  it('shows every row in the end, and each run shows more', async () => {
    const pipeline = article({}, { durationMs: 5000 });
    const collected = collectCoverage(pipeline);
    let { missing } = collected.coverage();
    for (const [name, { tasks, checks, reviews, people }] of Object.entries(RUNS)) {
      collected.add(
        await rehearse(pipeline, {
          tasks: { '*': 'done', ...(typeof tasks === 'object' ? tasks : {}) },
          checks: checks ?? { '*': true },
          reviews: { '*': approve(), ...reviews },
          ...(people && { people }),
        }),
      );
      const left = collected.coverage().missing;
      expect(left.length, name).toBeLessThan(missing.length);
      expect(missing).toEqual(expect.arrayContaining([...left]));
      missing = left;
    }
    expect(missing).toEqual(['end: cancelled']);
  });
});

describe('a row counts only what it names', () => {
  it.each<readonly [string, Limits, Script, readonly string[]]>([
    [
      'the clock is no person',
      {},
      { reviews: { text: [escalate('You decide.')] }, people: { text: [silent()] } },
      ['gate text: escalate 1', 'gate text: question expired 1'],
    ],
    [
      'a demand that a limit refuses is not refused by the gate',
      { corrections: 0 },
      { reviews: { text: [again('one'), approve()] }, people: { text: [answers(retry('two'))] } },
      ['gate text: approve 1', 'gate text: question answered 1', 'limit corrections: reached 1'],
    ],
  ])('%s', async (_, limits, { reviews, people }, shown) => {
    const pipeline = article({}, limits, 'escalate');
    const { records } = await rehearse(pipeline, {
      tasks: { '*': 'done' },
      checks: { '*': true },
      reviews: { '*': approve(), ...reviews },
      ...(people && { people }),
    });
    const { rows, limits: reached } = coverageOf(pipeline, [records]);
    expect([...rows, ...reached].flatMap(({ name, times }) => (times > 0 ? `${name} ${times}` : []))).toEqual(shown);
  });
});

describe('a plan asks for no', () => {
  it.each<readonly [string, Partial<ReviewOptions>, Limits, readonly string[]]>([
    ['retry, without retries', { maxRetries: 0 }, {}, ['gate text: retry granted']],
    ['rewind, without rewinds', { maxPredecessorRetries: 0 }, {}, ['gate text: retryPredecessor plan granted']],
    ['repeated review, without repetitions', { maxReviewErrors: 0 }, {}, ['gate text: review again granted']],
    ['expired question, without a deadline', { inbox: {} }, {}, ['gate text: question expired']],
    [
      'granted demand, without corrections',
      {},
      { corrections: 0 },
      [
        'gate text: retry granted',
        'gate text: retry refused',
        'gate text: retryPredecessor plan granted',
        'gate text: retryPredecessor plan refused',
      ],
    ],
    [
      'rewind above its limit',
      { maxPredecessorRetries: 2, loopAfter: 'unlimited' },
      { perPair: 1 },
      ['gate text: retryPredecessor plan refused'],
    ],
    [
      'refused demand, if a limit comes before a loop',
      { maxRetries: 3, maxPredecessorRetries: 3, loopAfter: 3 },
      { attemptsPerPhase: 2 },
      ['gate text: retry refused', 'gate text: retryPredecessor plan refused'],
    ],
    [
      'less, if a loop comes before a limit',
      { maxRetries: 3, maxPredecessorRetries: 3, loopAfter: 2 },
      { attemptsPerPhase: 2 },
      [],
    ],
    [
      'refused demand, without a bound',
      { maxRetries: 'unlimited', maxPredecessorRetries: 'unlimited', loopAfter: 'unlimited' },
      {},
      ['gate text: retry refused', 'gate text: retryPredecessor plan refused'],
    ],
    [
      'decision of a reviewer, with checks only',
      { by: [] },
      {},
      [
        'gate text: retryPredecessor plan granted',
        'gate text: retryPredecessor plan refused',
        'gate text: reject',
        'gate text: escalate',
        'gate text: unreadable verdict',
        'gate text: question answered',
        'gate text: question expired',
      ],
    ],
  ])('%s', (_, gate, limits, entries) => {
    const all = coverageOf(article(), []).missing;
    const { missing } = coverageOf(article(gate, limits), []);
    expect(all.filter((name) => !missing.includes(name))).toEqual(entries);
  });

  it('limit that no budget can exceed', () => {
    const limitsOf = (limits: Limits) => coverageOf(article({}, limits), []).limits.filter(({ asked }) => asked);
    // One retry before the rewind, one after it, and the rewind.
    expect(limitsOf({ corrections: 3, perPair: 1, attemptsPerPhase: 4 })).toEqual([]);
    expect(limitsOf({ corrections: 2, attemptsPerPhase: 3 })).toMatchObject([
      { name: 'limit corrections: reached', max: 2 },
    ]);
    // Both limits refuse the second retry, and that of corrections is asked first.
    const both = coverageOf(
      article({ maxRetries: 2, maxPredecessorRetries: 0 }, { corrections: 1, attemptsPerPhase: 2 }),
      [],
    );
    expect(both.limits.map(({ limit, asked }) => [limit, asked])).toEqual([
      ['corrections', true],
      ['attemptsPerPhase', false],
    ]);
    expect(limitsOf({ perPair: 0 })).toMatchObject([{ limit: 'perPair', max: 0 }]);
  });
});

describe('runs of other definitions', () => {
  it('are refused, left out, or counted by name', async () => {
    const [now, before] = [article(), article({ maxRetries: 2 })];
    const script: Script = { tasks: { '*': 'done' }, checks: { '*': true }, reviews: { '*': approve() } };
    const runs = [(await rehearse(now, script)).records, (await rehearse(before, script)).records];
    expect(() => coverageOf(now, runs)).toThrow('phase "text": review: maxRetries: 2 → 1');
    expect(coverageOf(now, runs, { otherPlans: 'skip' })).toMatchObject({ runs: 1, otherRuns: 1 });
    const counted = coverageOf(now, runs, { otherPlans: 'count' });
    expect(counted).toMatchObject({ runs: 2, otherRuns: 1 });
    expect(counted.ends[0]).toMatchObject({ status: 'completed', times: 2 });
  });
});

describe('a gate whose reviewer is a person', () => {
  const asked = (expireAfterMs?: number) =>
    definePipeline({
      name: 'asked',
      phases: [
        phase('text', {
          tasks: [task('write', { run: work })],
          review: human({ question: 'May it?', ...(expireAfterMs !== undefined && { expireAfterMs }) }),
        }),
      ],
    });
  const FAILURES = ['unreadable verdict', 'review error', 'review again granted', 'review again refused'].map(
    (row) => `gate text: ${row}`,
  );

  it('is asked for no failure, and for an expiry only if there is one', () => {
    const names = (expireAfterMs?: number) => coverageOf(asked(expireAfterMs), []).missing;
    expect(names().filter((name) => name.startsWith('gate '))).toEqual([
      'gate text: approve',
      'gate text: retry granted',
      'gate text: retry refused',
      'gate text: reject',
      'gate text: escalate',
      'gate text: question answered',
    ]);
    expect(names(1000).filter((name) => !names().includes(name))).toEqual(['gate text: question expired']);
  });

  it('is known from records alone once a record has asked a person', async () => {
    const pipeline = asked(1000);
    const { records } = await rehearse(pipeline, { tasks: { '*': 'done' }, people: { text: approve() } });
    expect(coverageOf(pipeline.plan, []).missing).toEqual(expect.arrayContaining(FAILURES));
    const known = coverageOf(pipeline.plan, [records]).missing;
    expect(known.filter((name) => FAILURES.includes(name))).toEqual([]);
    const machine = definePipeline({
      name: 'asked',
      phases: [phase('text', { tasks: [task('write', { run: work })], review: work })],
    });
    const run = await rehearse(machine, { tasks: { '*': 'done' }, reviews: { text: approve() } });
    expect(coverageOf(machine.plan, [run]).missing).toEqual(expect.arrayContaining(FAILURES));
  });
});
