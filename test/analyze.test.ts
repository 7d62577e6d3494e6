import { describe, expect, it } from 'vitest';
import {
  analyze,
  definePipeline,
  human,
  phase,
  policies,
  startRun,
  task,
  type Analysis,
  type Limits,
  type PhaseBound,
  type Policy,
  type ReviewContext,
} from '../src/index.ts';
import type { RunEvent } from '../src/records.ts';
import { fake, fakeCheck, play, type Fake, type FakeOptions, type PlayOptions } from './rig.ts';

describe('analyze() on the shape', () => {
  it('puts phases on levels by their distance from the start, in definition order', () => {
    //  a ──▶ b ──▶ d ──▶ e      f stands alone
    //  └───▶ c ────┘
    const pipeline = define([
      fake('e', { after: ['d'] }),
      fake('d', { after: ['c', 'b'] }),
      fake('c', { after: ['a'] }),
      fake('b', { after: ['a'] }),
      fake('f'),
      fake('a'),
    ]);

    expect(analyze(pipeline).levels).toEqual([['f', 'a'], ['c', 'b'], ['d'], ['e']]);
  });

  it('measures the distance by the longest way, not the shortest', () => {
    //  a ──▶ b ──▶ c ──▶ d
    //  └─────────────────▲      and e comes after a alone
    const pipeline = define([
      fake('a'),
      fake('b', { after: ['a'] }),
      fake('c', { after: ['b'] }),
      fake('d', { after: ['a', 'c'] }),
      fake('e', { after: ['a'] }),
    ]);
    const { levels, criticalPath } = analyze(pipeline);

    expect(levels).toEqual([['a'], ['b', 'e'], ['c'], ['d']]);
    expect(criticalPath).toEqual(['a', 'b', 'c', 'd']);
  });

  it('finds one longest chain, the first of equals', () => {
    //  a ──▶ b ──▶ d      x ──▶ y is shorter, p ──▶ q ──▶ r as long and later
    //        c ──▶ ▲
    const chain = ['p', 'q', 'r'].map((name, index, all) => fake(name, { after: all.slice(index - 1, index) }));
    const pipeline = define([
      fake('x'),
      fake('y', { after: ['x'] }),
      fake('c'),
      fake('a'),
      fake('b', { after: ['a'] }),
      fake('d', { after: ['c', 'b'] }),
      ...chain,
    ]);

    expect(analyze(pipeline).criticalPath).toEqual(['a', 'b', 'd']);
  });

  it('puts a single phase on a single level', () => {
    //  a
    const { levels, criticalPath, findings, bounded } = analyze(define([fake('a')]));
    expect({ levels, criticalPath, findings, bounded }).toEqual({
      levels: [['a']],
      criticalPath: ['a'],
      findings: [],
      bounded: true,
    });
  });

  it('takes a plan as it takes a pipeline, and leaves it as it was', () => {
    //  a ──▶ b ──▶ c, and a ──▶ c
    const pipeline = define([
      fake('a'),
      fake('b', { after: ['a'], verdicts: [] }),
      fake('c', { after: ['a', 'b'], verdicts: [] }),
    ]);
    const before = JSON.stringify(pipeline.plan);

    expect(analyze(JSON.parse(before) as typeof pipeline.plan)).toEqual(analyze(pipeline));
    expect(JSON.stringify(pipeline.plan)).toBe(before);
  });
});

describe('analyze() on edges that another path implies', () => {
  it('names each of them', () => {
    //  a ──▶ b ──▶ c ──▶ d      redundant: a ──▶ c, a ──▶ d, b ──▶ d
    const pipeline = define([
      fake('d', { after: ['a', 'b', 'c'] }),
      fake('c', { after: ['a', 'b'] }),
      fake('b', { after: ['a'] }),
      fake('a'),
    ]);

    expect(analyze(pipeline).findings).toEqual([redundant('a', 'd'), redundant('b', 'd'), redundant('a', 'c')]);
  });

  it('sees a path that leaves the predecessors', () => {
    //  a ──▶ x ──▶ y ──▶ c
    //  └─────────────────▲
    const pipeline = define([
      fake('a'),
      fake('x', { after: ['a'] }),
      fake('y', { after: ['x'] }),
      fake('c', { after: ['a', 'y'] }),
    ]);

    expect(analyze(pipeline).findings).toEqual([redundant('a', 'c')]);
  });

  it('leaves a diamond alone', () => {
    //  a ──▶ b ──▶ d
    //  └───▶ c ────▲
    const pipeline = define([
      fake('a'),
      fake('b', { after: ['a'] }),
      fake('c', { after: ['a'] }),
      fake('d', { after: ['b', 'c'] }),
    ]);

    expect(analyze(pipeline).findings).toEqual([]);
  });
});

describe('analyze() on gates that can never fire', () => {
  const checks = [fakeCheck('lint', [])];

  it.each(['accept', 'acceptBest'] as const)(
    'finds one of only checks, without a retry, that says %s',
    (onExhausted) => {
      //  a (checks) ──▶ b
      const pipeline = define([fake('a', { checks, maxRetries: 0, onExhausted }), fake('b', { after: ['a'] })]);
      expect(analyze(pipeline).findings).toEqual([
        {
          code: 'GATE_DEAD',
          phases: ['a'],
          message: 'The gate of "a" can never fire: it has only checks, no retry, and accepts what they refuse',
        },
      ]);
    },
  );

  it.each<readonly [string, FakeOptions]>([
    ['with a retry', { checks, maxRetries: 1 }],
    ['that rejects', { checks, maxRetries: 0, onExhausted: 'reject' }],
    ['that escalates', { checks, maxRetries: 0, onExhausted: 'escalate' }],
    ['with a reviewer, who may reject', { checks, ...strict({}) }],
    ['that is not there', {}],
  ])('leaves one %s alone', (_, options) => {
    //  a
    expect(analyze(define([fake('a', options)])).findings).toEqual([]);
  });

  it('matches the run: the gate accepts what its checks refuse', async () => {
    //  a (checks)
    const refusing = fake('a', { checks: [fakeCheck('lint', ['bad'])], maxRetries: 0, onExhausted: 'accept' });
    const { result } = await play([refusing]);
    expect(result.status).toBe('completed');
  });
});

describe('analyze() on gates that open without an approval (GATE_LENIENT)', () => {
  it('names them, with every option that opens one', async () => {
    //  a ──▶ b ──▶ c ──▶ d ──▶ e
    const phases = [
      fake('a', { verdicts: ['fine by me', 'APPROVE'] }),
      fake('b', { after: ['a'], verdicts: ['hm'], onUnrecognised: 'approve' }),
      fake('c', { after: ['b'], verdicts: ['RETRY_PREDECESSOR a: no'], onInvalidTarget: 'approve' }),
      fake('d', { after: ['c'], checks: [fakeCheck('lint', ['no', 'no'])], maxRetries: 1, onExhausted: 'acceptBest' }),
      fake('e', { after: ['d'] }),
    ];
    const message =
      'The gates of 3 phases open without an approval on text without a verdict (onUnrecognised "approve"), ' +
      'on a target that it may not send back (onInvalidTarget "approve"), when its budget is spent (onExhausted "acceptBest"); no default does that';

    expect(analyze(define(phases)).findings).toEqual([{ code: 'GATE_LENIENT', phases: ['b', 'c', 'd'], message }]);
    const { result } = await play(phases);
    expect(Object.values(result.phases).map(({ because }) => because)).toEqual([
      'approved',
      'unrecognised',
      'invalidTarget',
      'exhausted',
      'unreviewed',
    ]);
  });

  it('names a single one, and reports none by default or under policies.strict', () => {
    //  a
    const phases = [fake('a', { verdicts: [] })];
    expect(analyze(define(phases, undefined, policies.ensemble)).findings).toMatchObject([
      {
        code: 'GATE_LENIENT',
        phases: ['a'],
        message: expect.stringMatching(/^The gate of "a" opens without/u) as string,
      },
    ]);
    expect(analyze(define(phases)).findings).toEqual([]);
    expect(analyze(define(phases, undefined, policies.strict)).findings).toEqual([]);
  });
});

describe('analyze() on limits that are less than an estimate', () => {
  const judge = task('judge', { estimate: { tokens: 7, costUsd: 0.1 }, run: () => 'APPROVE' });
  const note = phase('note', {
    tasks: [task('t', { estimate: { costUsd: 5, durationMs: 2000 }, run: ({ report }) => report({ costUsd: 1 }) })],
    review: { by: judge, onUnrecognised: 'ask' },
  });
  const findingsOf = (limits: Limits, policy: Policy = {}) =>
    analyze(definePipeline({ name: 'p', phases: [note], limits, policy })).findings;

  it('names each task and reviewer that never begins, as the run confirms', async () => {
    const limits = { costUsd: 1, tokens: 6, durationMs: 1000, deadlineMs: 1500 };
    const told = (name: string, estimate: string, limit: string) => ({
      code: 'LIMIT_TOO_LOW',
      phases: ['note'],
      message: `"${name}" of phase "note" can never begin: its estimate of ${estimate} is more than limits.${limit}`,
    });
    expect(findingsOf(limits)).toEqual([
      told('t', '5', 'costUsd, which is 1'),
      told('t', '2000', 'durationMs, which is 1000'),
      told('t', '2000', 'deadlineMs, which is 1500'),
      told('judge', '7', 'tokens, which is 6'),
    ]);
    const { result } = startRun(definePipeline({ name: 'p', phases: [note], limits: { costUsd: 1 } }));
    expect(await result).toMatchObject({ status: 'exhausted', limit: 'costUsd' });
  });

  it('adds that a person may lift the limit if onLimit is escalate', () => {
    expect(findingsOf({ costUsd: 1 }, policies.strict).map(({ message }) => message)).toEqual([
      '"t" of phase "note" begins only when a person lifts the limit: its estimate of 5 is more than limits.costUsd, which is 1',
    ]);
  });

  it('accepts a limit that one try just fits into', async () => {
    const limits = { costUsd: 5, tokens: 7, durationMs: 20_000 };
    expect(findingsOf(limits)).toEqual([]);
    // A task that reports no usage is charged its estimate. The review then needs more than is left.
    const { result } = startRun(definePipeline({ name: 'p', phases: [note], limits: { ...limits, costUsd: 6 } }));
    expect(await result).toMatchObject({ status: 'completed' });
  });
});

describe('analyze() on bounds', () => {
  it('is one start and one attempt without a gate', () => {
    //  a ──▶ b
    expect(rows([fake('a'), fake('b', { after: ['a'] })])).toEqual(['a 1/1', 'b 1/1']);
  });

  it('adds the retries of the gate, and multiplies reviews by repeated ones', () => {
    //  a: 1 + 2 attempts, each reviewed 1 + 3 times by both
    const a = fake('a', { maxRetries: 2, maxReviewErrors: 3, reviewers: { one: [], two: [] } });
    expect(rows([a])).toEqual(['a 1/3 one:12 two:12']);
  });

  it('uses the defaults: two retries, two rewinds per predecessor, three repeated reviews', () => {
    //  a ──▶ b
    //  ▲─────┘ twice
    expect(rows([fake('a', { verdicts: [] }), fake('b', { after: ['a'], verdicts: [] })])).toEqual([
      'a 3/9 review:36',
      'b 3/9 review:36',
    ]);
  });

  it('counts a start of target and requester for each rewind, in a chain', () => {
    //  a ──▶ b ──▶ c
    //  ▲─────┤     │ b sends a back 3 times
    //        ▲─────┘ c sends b back 2 times
    const phases = [
      fake('a', strict({ maxRetries: 1 })),
      fake('b', strict({ after: ['a'], maxPredecessorRetries: 3 })),
      fake('c', strict({ after: ['b'], maxPredecessorRetries: 2, maxRetries: 4 })),
    ];
    // a: 1 + 3, twice; b: 1 + 3 of its own + 2; c: 1 + 2, five times
    expect(rows(phases)).toEqual(['a 4/8 review:8', 'b 6/6 review:6', 'c 3/15 review:15']);
  });

  it('counts phases between target and requester, on every path, and no other', () => {
    //  a ──▶ b ──▶ d ──▶ e      c, s and e are not between a and d, but b and x are
    //  ├───▶ x ────▲            s comes after b
    //  └───▶ c
    //  ▲───────────┘ d sends back each of its ancestors once
    const phases = [
      fake('a'),
      fake('b', { after: ['a'] }),
      fake('x', { after: ['a'] }),
      fake('c', { after: ['a'] }),
      fake('s', { after: ['b'] }),
      fake('d', strict({ after: ['b', 'x'], rewindTo: 'ancestors', maxPredecessorRetries: 1 })),
      fake('e', { after: ['d'] }),
    ];
    // a: 1 + 1; b: 1 + 1 between + 1; x the same; d: 1 + 3
    expect(rows(phases)).toEqual(['a 2/2', 'b 3/3', 'x 3/3', 'c 1/1', 's 1/1', 'd 4/4 review:4', 'e 1/1']);
  });

  it('counts only the listed phases as targets', () => {
    //  a ──▶ b ──▶ c
    //  ▲───────────┘ twice
    const phases = [
      fake('a'),
      fake('b', { after: ['a'] }),
      fake('c', strict({ after: ['b'], rewindTo: ['a'], maxPredecessorRetries: 2 })),
    ];
    expect(rows(phases)).toEqual(['a 3/3', 'b 3/3', 'c 3/3 review:3']);
  });

  it.each(['changed', 'all'] as const)('counts everything below the target with invalidate: %s', (invalidate) => {
    //  a ──▶ b ──▶ d      o stands alone
    //  └───▶ c ──▶ e
    //  ▲─────┘ c sends a back twice
    const phases = [
      fake('a'),
      fake('b', { after: ['a'] }),
      fake('c', strict({ after: ['a'], invalidate, maxPredecessorRetries: 2 })),
      fake('d', strict({ after: ['b'], maxPredecessorRetries: 0, maxRetries: 1 })),
      fake('e', { after: ['c'] }),
      fake('o'),
    ];
    expect(rows(phases)).toEqual(['a 3/3', 'b 3/3', 'c 3/3 review:3', 'd 3/6 review:6', 'e 3/3', 'o 1/1']);
  });

  it('counts no retries and no reviews of a start that need not pass the gate', () => {
    //  a ──▶ b
    //  ▲─────┘ three times, with regate: false
    const phases = [
      fake('a', strict({ maxRetries: 1, maxReviewErrors: 1 })),
      fake('b', strict({ after: ['a'], regate: false, maxPredecessorRetries: 3 })),
    ];
    // a: 1 + 1 through its gate, and 3 past it
    expect(rows(phases)).toEqual(['a 4/5 review:4', 'b 4/4 review:4']);
  });

  it('counts phases between through their gates, whatever regate says of the target', () => {
    //  a ──▶ b ──▶ c
    //  ▲───────────┘ once, with regate: false
    const phases = [
      fake('a', strict({ maxRetries: 1 })),
      fake('b', strict({ after: ['a'], maxRetries: 1, maxPredecessorRetries: 0 })),
      fake('c', strict({ after: ['b'], rewindTo: ['a'], regate: false, maxPredecessorRetries: 1 })),
    ];
    expect(rows(phases)).toEqual(['a 2/3 review:2', 'b 2/4 review:4', 'c 2/2 review:2']);
  });

  it('adds up what two requesters ask of one target', () => {
    //  a ──▶ b      b sends a back once, c twice
    //  └───▶ c
    const phases = [
      fake('a', strict({ maxRetries: 1 })),
      fake('b', strict({ after: ['a'], maxPredecessorRetries: 1 })),
      fake('c', strict({ after: ['a'], maxPredecessorRetries: 2 })),
    ];
    expect(rows(phases)).toEqual(['a 4/8 review:8', 'b 2/2 review:2', 'c 3/3 review:3']);
  });

  it('sums the worst of all phases', () => {
    //  a ──▶ b
    //  ▲─────┘ once
    const phases = [
      fake('a', strict({ maxRetries: 1 })),
      fake('b', {
        ...strict({ after: ['a'], maxPredecessorRetries: 1 }),
        reviewers: { one: [], two: [] },
        verdicts: [],
      }),
    ];
    expect(analyze(define(phases)).worst).toEqual({ attempts: 6, reviews: 8, costUsd: null, tokens: null });
  });
});

describe('analyze() on reviewers that are people', () => {
  const pipelineOf = (minConfidence: number) =>
    definePipeline({
      name: 'asked',
      phases: [
        phase('a', {
          tasks: [task('work', { run: () => 'done' })],
          review: {
            by: [task('critic', { run: () => 'APPROVE' }), task('person', { run: human({ question: 'May it?' }) })],
            maxRetries: 1,
            maxReviewErrors: 2,
            minConfidence,
          },
        }),
      ],
    });

  it('counts no failures of them: only too little confidence has them asked again', () => {
    expect(analyze(pipelineOf(0.6)).bounds.map(row)).toEqual(['a 1/2 critic:6 person:6']);
    expect(analyze(pipelineOf(0)).bounds.map(row)).toEqual(['a 1/2 critic:6 person:2']);
  });

  it('does not know them by the plan alone', () => {
    expect(analyze(pipelineOf(0).plan).bounds.map(row)).toEqual(['a 1/2 critic:6 person:6']);
  });
});

describe('analyze() under limits', () => {
  /** a ──▶ b; each retries 3 times, b sends a back 4 times. Without limits: a 5/20, b 5/20. */
  function pair(limits: Limits): readonly string[] {
    return rows(
      [
        fake('a', strict({ maxRetries: 3, maxReviewErrors: 1 })),
        fake('b', strict({ after: ['a'], maxRetries: 3, maxPredecessorRetries: 4, maxReviewErrors: 1 })),
      ],
      limits,
    );
  }

  it.each<readonly [string, Limits, readonly string[]]>([
    ['none', {}, ['a 5/20 review:40', 'b 5/20 review:40']],
    ['perPair', { perPair: 1 }, ['a 2/8 review:16', 'b 2/8 review:16']],
    ['perPair 0', { perPair: 0 }, ['a 1/4 review:8', 'b 1/4 review:8']],
    ['a wide perPair', { perPair: 9 }, ['a 5/20 review:40', 'b 5/20 review:40']],
    ['corrections', { corrections: 6 }, ['a 5/7 review:14', 'b 5/7 review:14']],
    ['few corrections', { corrections: 2 }, ['a 3/3 review:6', 'b 3/3 review:6']],
    ['no corrections', { corrections: 0 }, ['a 1/1 review:2', 'b 1/1 review:2']],
    ['attemptsPerPhase', { attemptsPerPhase: 4 }, ['a 4/4 review:8', 'b 4/4 review:8']],
    ['all', { perPair: 2, corrections: 8, attemptsPerPhase: 7 }, ['a 3/7 review:14', 'b 3/7 review:14']],
    ['usage, which is not counted', { tokens: 1, costUsd: 1, durationMs: 1 }, ['a 5/20 review:40', 'b 5/20 review:40']],
  ])('counts no more than without it: %s', (_, limits, expected) => {
    expect(pair(limits)).toEqual(expected);
  });

  it.each<readonly [string, Limits]>([
    ['corrections', { corrections: 0 }],
    ['attemptsPerPhase', { attemptsPerPhase: 1 }],
  ])('does not report a dead gate if %s lets the gate end the run', (_, limits) => {
    //  a (checks)
    const a = fake('a', { checks: [fakeCheck('lint', [])], maxRetries: 0 });
    expect(analyze(define([a], limits)).findings).toEqual([]);
  });
});

describe('analyze() without limits', () => {
  it('finds the phases that nothing bounds, and no other', () => {
    //  a ──▶ b ──▶ c      o stands alone
    //        ▲─────┘ without end
    const phases = [
      fake('a'),
      fake('b', strict({ after: ['a'], maxPredecessorRetries: 0 })),
      fake('c', strict({ after: ['b'], maxPredecessorRetries: 'unlimited' })),
      fake('o', strict({ maxRetries: 1 })),
    ];
    const analysis = analyze(define(phases));

    expect(analysis.bounds.map(row)).toEqual([
      'a 1/1',
      'b Infinity/Infinity review:Infinity',
      'c Infinity/Infinity review:Infinity',
      'o 1/2 review:2',
    ]);
    expect(analysis.bounded).toBe(false);
    expect(analysis.worst.attempts).toBe(Infinity);
    expect(analysis.findings).toEqual([
      {
        code: 'UNBOUNDED',
        phases: ['b', 'c'],
        message:
          'Some phases have no bound, as a count is "unlimited": limits.corrections and limits.attemptsPerPhase bound attempts, only a number bounds maxReviewErrors and the tries of a task',
      },
    ]);
  });

  it('is unbounded by retries alone, although they start no phase again', () => {
    //  a
    const analysis = analyze(define([fake('a', strict({ maxRetries: 'unlimited' }))]));
    expect(analysis.bounds.map(row)).toEqual(['a 1/Infinity review:Infinity']);
    expect(codes(analysis)).toEqual(['UNBOUNDED']);
  });

  it.each<readonly [string, Limits, readonly string[]]>([
    ['corrections', { corrections: 5 }, ['a 6/6 review:6', 'b 6/6 review:6']],
    ['attemptsPerPhase', { attemptsPerPhase: 4 }, ['a 4/4 review:4', 'b 4/4 review:4']],
  ])('is bounded by limits.%s', (_, limits, expected) => {
    //  a ──▶ b
    //  ▲─────┘ without end
    const phases = [
      fake('a', strict({ maxRetries: 'unlimited' })),
      fake('b', strict({ after: ['a'], maxRetries: 'unlimited', maxPredecessorRetries: 'unlimited' })),
    ];
    const analysis = analyze(define(phases, limits));
    expect(analysis.bounds.map(row)).toEqual(expected);
    expect([analysis.bounded, codes(analysis)]).toEqual([true, []]);
  });

  it('is bounded by limits.perPair if only rewinds are unlimited', () => {
    //  a ──▶ b
    //  ▲─────┘ without end
    const phases = [fake('a'), fake('b', strict({ after: ['a'], maxPredecessorRetries: 'unlimited' }))];
    const analysis = analyze(define(phases, { perPair: 2 }));
    expect(analysis.bounds.map(row)).toEqual(['a 3/3', 'b 3/3 review:3']);
    expect(analysis.bounded).toBe(true);
  });
});

describe('analyze() on costs', () => {
  const run = () => 'done';

  it('multiplies the estimates of tasks and reviewers by the tries of each', () => {
    //  a: 1 + 1 attempts; two tasks, one tried up to 3 times; each attempt is reviewed up to 1 + 1 times, with 2 tries each
    const a = phase('a', {
      tasks: [
        task('draft', { run, estimate: { costUsd: 0.5, tokens: 100 }, retry: { attempts: 3 } }),
        task('polish', { run, estimate: { costUsd: 0.25, tokens: 10 } }),
      ],
      review: {
        by: task('judge', { run, estimate: { costUsd: 2, tokens: 7 }, retry: { attempts: 2 } }),
        maxRetries: 1,
        maxReviewErrors: 1,
      },
    });
    const { bounds, worst } = analyze(definePipeline({ name: 'costs', phases: [a] }));

    expect(bounds).toEqual([
      {
        phase: 'a',
        starts: 1,
        attempts: 2,
        reviews: { judge: 4 },
        costUsd: 2 * 3 * 0.5 + 2 * 0.25 + 4 * 2 * 2,
        tokens: 2 * 3 * 100 + 2 * 10 + 4 * 2 * 7,
      },
    ]);
    expect(worst).toEqual({ attempts: 2, reviews: 4, costUsd: 19.5, tokens: 676 });
  });

  it('counts a reflect call with every attempt', () => {
    const judge = task('judge', { run, estimate: { costUsd: 0, tokens: 0 } });
    const reflect = task('reflect', { run: () => 'x', estimate: { costUsd: 3, tokens: 5 }, retry: { attempts: 2 } });
    const work = task('work', { run, estimate: { costUsd: 1, tokens: 1 } });
    const review = { by: judge, maxRetries: 2, strategy: 'reflexion', reflect } as const;
    const { bounds } = analyze(definePipeline({ name: 'p', phases: [phase('a', { tasks: [work], review })] }));
    expect(bounds).toMatchObject([{ attempts: 3, costUsd: 3 * (1 + 2 * 3), tokens: 3 * (1 + 2 * 5) }]);
  });

  it('is unknown if an estimate is missing, for that kind and its sum only', () => {
    //  a ──▶ b      the reviewer of a estimates no cost, the task of b no tokens
    const a = phase('a', {
      tasks: [task('work', { run, estimate: { costUsd: 1, tokens: 1 } })],
      review: { by: task('judge', { run, estimate: { tokens: 1 } }), maxRetries: 0, maxReviewErrors: 0 },
    });
    const b = phase('b', { after: [a], tasks: [task('work', { run, estimate: { costUsd: 1 } })] });
    const { bounds, worst } = analyze(definePipeline({ name: 'costs', phases: [a, b] }));

    expect(bounds.map(({ costUsd, tokens }) => [costUsd, tokens])).toEqual([
      [null, 2],
      [1, null],
    ]);
    expect([worst.costUsd, worst.tokens]).toEqual([null, null]);
  });

  it('is zero for work without cost, even without a bound', () => {
    //  a
    const a = phase('a', {
      tasks: [task('work', { run, estimate: { costUsd: 0, tokens: 3 } })],
      review: { by: task('judge', { run, estimate: { costUsd: 0, tokens: 0 } }), maxRetries: 'unlimited' },
    });
    const { bounds } = analyze(definePipeline({ name: 'costs', phases: [a] }));
    expect(bounds.map(({ costUsd, tokens }) => [costUsd, tokens])).toEqual([[0, Infinity]]);
  });
});

describe('analyze() on large pipelines', () => {
  it('ends on a chain of 10 000 phases', () => {
    //  p0 ──▶ p1 ──▶ ... ──▶ p9999, each sends back the one before it once
    const phases = Array.from({ length: 10_000 }, (_, index) =>
      fake(`p${index}`, strict({ after: index === 0 ? [] : [`p${index - 1}`], maxPredecessorRetries: 1 })),
    );
    const { levels, criticalPath, worst, bounded } = analyze(define(phases));
    // The first and the last have one neighbour that restarts them, all others two.
    expect([levels.length, criticalPath.length, worst.attempts, bounded]).toEqual([10_000, 10_000, 29_998, true]);
  });

  it('ends on a fan of 2 000 phases', () => {
    //  first ──▶ each of 2 000 ──▶ last, and first ──▶ last; last may send back everything
    const middle = Array.from({ length: 2000 }, (_, index) => `p${index}`);
    const phases = [
      fake('first'),
      ...middle.map((name) => fake(name, { after: ['first'] })),
      fake('last', strict({ after: ['first', ...middle], rewindTo: 'ancestors', maxPredecessorRetries: 1 })),
    ];
    const { levels, bounds, findings } = analyze(define(phases));
    expect(levels.map((level) => level.length)).toEqual([1, 2000, 1]);
    expect(bounds.at(-1)?.starts).toBe(1 + 2001);
    expect(new Set(bounds.slice(1, -1).map((bound) => bound.starts))).toEqual(new Set([3]));
    expect(findings).toEqual([redundant('first', 'last')]);
  });
});

describe('analyze() on presets', () => {
  it.each<readonly [keyof typeof policies, readonly string[]]>([
    ['ensemble', ['a 3/5 review:12', 'b 3/9 review:36']],
    ['fleet', ['a 3/9 review:36', 'b 3/9 review:36']],
    ['tsp', ['a 4/11 review:44', 'b 4/11 review:44']],
    ['phased', ['a 1/2 review:8', 'b 1/2 review:8']],
    ['strict', ['a 3/9 review:36', 'b 3/9 review:36']],
  ])('counts %s', (name, expected) => {
    //  a ──▶ b
    //  ▲─────┘
    const phases = [fake('a', { verdicts: [] }), fake('b', { after: ['a'], verdicts: [] })];
    expect(rows(phases, undefined, policies[name])).toEqual(expected);
  });
});

describe('analyze() gives bounds that runs reach exactly', () => {
  it('for a single gate', async () => {
    //  a
    expect(await press({ a: { maxRetries: 3, maxReviewErrors: 2 } })).toEqual(['a 1/4 review:12']);
  });

  it('for a chain whose gates send back their predecessor', async () => {
    //  a ──▶ b ──▶ c
    //  ▲─────┤     │ twice
    //        ▲─────┘ three times
    expect(
      await press({
        a: { maxRetries: 1, maxReviewErrors: 1 },
        b: { after: ['a'], maxRetries: 2, maxPredecessorRetries: 2, maxReviewErrors: 1 },
        c: { after: ['b'], maxRetries: 1, maxPredecessorRetries: 3, maxReviewErrors: 2 },
      }),
    ).toEqual(['a 3/6 review:12', 'b 6/18 review:36', 'c 4/8 review:24']);
  });

  it('for a phase between target and requester', async () => {
    //  a ──▶ b ──▶ c
    //  ▲─────┴─────┤ c sends back each of them twice, b sends back a once
    expect(
      await press({
        a: { maxRetries: 1, maxReviewErrors: 1 },
        b: { after: ['a'], maxRetries: 1, maxPredecessorRetries: 1, maxReviewErrors: 1 },
        c: { after: ['b'], maxRetries: 1, maxPredecessorRetries: 2, maxReviewErrors: 1, rewindTo: 'ancestors' },
      }),
    ).toEqual(['a 4/8 review:16', 'b 6/12 review:24', 'c 5/10 review:20']);
  });

  it('for the predecessor of two requesters whose demands follow each other', async () => {
    //  a ──▶ b      c asks while a works for b, so that a works once for each
    //  └───▶ c
    expect(
      await press({
        a: { maxRetries: 1, maxReviewErrors: 1, reviewBackoff: { first: 1000 } },
        b: {
          after: ['a'],
          maxRetries: 0,
          maxPredecessorRetries: 2,
          maxReviewErrors: 1,
          reviewBackoff: { first: 1000 },
        },
        c: {
          after: ['a'],
          maxRetries: 0,
          maxPredecessorRetries: 2,
          maxReviewErrors: 1,
          reviewBackoff: { first: 1500 },
        },
      }),
    ).toEqual(['a 5/10 review:20', 'b 3/3 review:6', 'c 3/3 review:6']);
  });

  it.each(['changed', 'all'] as const)('for bystanders that are invalidated: %s', async (invalidate) => {
    //  a ──▶ b ──▶ d      c sends a back twice, each time when b and d are approved
    //  └───▶ c
    expect(
      await press({
        a: { maxRetries: 0, maxReviewErrors: 0 },
        b: { after: ['a'], maxRetries: 1, maxPredecessorRetries: 0, maxReviewErrors: 1 },
        d: { after: ['b'], maxRetries: 1, maxPredecessorRetries: 0, maxReviewErrors: 0 },
        c: { ...LATE, after: ['a'], maxRetries: 0, maxPredecessorRetries: 2, invalidate },
      }),
    ).toEqual(['a 3/3 review:3', 'b 3/6 review:12', 'd 3/6 review:6', 'c 3/3 review:6']);
  });

  it('for a target that need not pass its gate again', async () => {
    //  a ──▶ b
    //  ▲─────┘ three times, with regate: false
    expect(
      await press({
        a: { maxRetries: 2, maxReviewErrors: 1 },
        b: { after: ['a'], maxRetries: 0, maxPredecessorRetries: 3, maxReviewErrors: 1, regate: false },
      }),
    ).toEqual(['a 4/6 review:6', 'b 4/4 review:8']);
  });

  it('for limits of the run', async () => {
    //  a
    const a = { maxRetries: 9, maxReviewErrors: 1 };
    expect(await press({ a }, { limits: { corrections: 3 } })).toEqual(['a 1/4 review:8']);
    expect(await press({ a }, { limits: { attemptsPerPhase: 2 } })).toEqual(['a 1/2 review:4']);
  });
});

// --- internal ---

function define(phases: readonly Fake[], limits?: Limits, policy?: Policy): ReturnType<typeof definePipeline> {
  return definePipeline({
    name: 'analysed',
    phases: phases.map((one) => one.definition),
    ...(limits && { limits }),
    ...(policy && { policy }),
  });
}

/** Options of a gate whose budgets are zero unless given. */
function strict(options: FakeOptions): FakeOptions {
  return { maxRetries: 0, maxReviewErrors: 0, onUnrecognised: 'ask', verdicts: [], ...options };
}

/** Formats a bound as `name starts/attempts reviewer:reviews`. */
function row({ phase: name, starts, attempts, reviews }: PhaseBound): string {
  return [`${name} ${starts}/${attempts}`, ...Object.entries(reviews).map(([by, times]) => `${by}:${times}`)].join(' ');
}

function rows(phases: readonly Fake[], limits?: Limits, policy?: Policy): readonly string[] {
  return analyze(define(phases, limits, policy)).bounds.map(row);
}

/** Options of a reviewer that answers long after all others. */
const LATE = { maxReviewErrors: 1, reviewBackoff: { first: 60_000 } };

/** A gate whose reviewer spends every budget. */
interface Pressed extends FakeOptions {
  readonly maxRetries: number;
  readonly maxReviewErrors: number;
}

/**
 * Runs phases whose reviewers spend every budget. Asserts that the run meets its bounds exactly. @returns The bounds.
 */
async function press(gates: Readonly<Record<string, Pressed>>, options: PlayOptions = {}): Promise<readonly string[]> {
  const phases = Object.entries(gates).map(([name, gate]) => fake(name, { ...gate, verdicts: greedy(gate) }));
  const { records } = await play(phases, options);
  const happened = (name: string, type: RunEvent['type']): number =>
    records.filter(({ event }) => event.type === type && 'phase' in event && event.phase === name).length;
  const bounds = analyze(define(phases, options.limits)).bounds;

  expect(
    bounds.map(({ phase: name }) => [name, happened(name, 'phase.started'), happened(name, 'review.started')]),
  ).toEqual(bounds.map(({ phase: name, attempts, reviews }) => [name, attempts, reviews['review']]));
  return bounds.map(row);
}

/**
 * Answers of a reviewer: it fails as often as it may before each answer. It retries with new words, then rewinds,
 * then approves.
 */
function greedy({ maxReviewErrors }: Pressed): readonly ((context: ReviewContext) => string)[] {
  let broken = 0;
  let asked = 0;
  const answer = ({ retriesLeft, rewindsLeft }: ReviewContext): string => {
    if (broken < maxReviewErrors) {
      broken += 1;
      throw new Error('the reviewer broke');
    }
    broken = 0;
    asked += 1;
    if (retriesLeft > 0) return `RETRY: demand ${asked}`;
    const target = Object.keys(rewindsLeft).find((name) => (rewindsLeft[name] ?? 0) > 0);
    return target === undefined ? 'APPROVE' : `RETRY_PREDECESSOR ${target}: demand ${asked}`;
  };
  return Array.from({ length: 1000 }, () => answer);
}

function codes({ findings }: Analysis): readonly string[] {
  return findings.map((finding) => finding.code);
}

function redundant(early: string, late: string): Analysis['findings'][number] {
  const message = `"${late}" need not name "${early}" in its after list, unless its gate sends it back: another predecessor comes after it`;
  return { code: 'EDGE_REDUNDANT', phases: [early, late], message };
}
