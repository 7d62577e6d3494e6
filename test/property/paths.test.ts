/** The model of decisions, compared with rehearsals of random pipelines on random paths. */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  definePipeline,
  human,
  phase,
  PhasegateError,
  task,
  type InboxPolicy,
  type Pipeline,
  type Policy,
} from '../../src/index.ts';
import { coverageOf, rehearse } from '../../src/testing.ts';
import { actsOf, nextToDecide } from '../../src/testing/decisions/acts.ts';
import { DECISION_KINDS } from '../../src/testing/decisions/decision.ts';
import { settingOf } from '../../src/testing/decisions/setting.ts';
import { begin, step } from '../../src/testing/decisions/step.ts';
import { pathName } from '../../src/testing/paths/path-name.ts';
import { scriptOf } from '../../src/testing/paths/path-script.ts';
import type { Move } from '../../src/testing/paths/timeline.ts';
import { numberOfRuns } from './number-of-runs.ts';

const work = (): never => {
  throw new Error('the work of the pipeline itself was called');
};

const inbox: fc.Arbitrary<InboxPolicy> = fc.record(
  {
    queue: fc.constant('finance'),
    expireAfterMs: fc.constantFrom(5000, 100_000, 1_000_000),
    onExpiry: fc.constantFrom<NonNullable<InboxPolicy['onExpiry']>[]>('stay', 'reject', { queue: 'managers' }),
  },
  { requiredKeys: [] },
);

/** A worker: a machine, or a person with this policy. */
const worker = fc.option(inbox, { nil: null, freq: 3 });

const gate = fc.record({
  options: fc.record(
    {
      maxRetries: fc.nat(2),
      maxPredecessorRetries: fc.nat(2),
      maxReviewErrors: fc.nat(2),
      onExhausted: fc.constantFrom<NonNullable<Policy['onExhausted']>[]>('accept', 'acceptBest', 'escalate', 'reject'),
      onUnrecognised: fc.constantFrom<NonNullable<Policy['onUnrecognised']>[]>('approve', 'ask'),
      onReviewUnavailable: fc.constant<'escalate'>('escalate'),
      rewindTo: fc.constantFrom<NonNullable<Policy['rewindTo']>[]>('predecessors', 'ancestors'),
      invalidate: fc.constantFrom<NonNullable<Policy['invalidate']>[]>('requester', 'changed', 'all'),
      regate: fc.boolean(),
      loopAfter: fc.constantFrom<NonNullable<Policy['loopAfter']>[]>(2, 'unlimited'),
      minConfidence: fc.constant(0),
      inbox,
    },
    { requiredKeys: [] },
  ),
  reviewers: fc.array(worker, { maxLength: 3 }),
  quorum: fc.nat(2),
  checks: fc.array(fc.record({ baseline: fc.boolean(), retries: fc.nat(1) }), { maxLength: 2 }),
});

const drawnPhase = fc.record({
  after: fc.array(fc.nat(3), { maxLength: 3 }),
  mode: fc.constantFrom<('dependencies' | 'sequential' | 'parallel')[]>('dependencies', 'sequential', 'parallel'),
  tasks: fc.array(fc.boolean(), { minLength: 1, maxLength: 2 }),
  gate: fc.option(gate, { nil: null, freq: 5 }),
});

const scenario = fc.record({
  phases: fc.array(drawnPhase, { minLength: 1, maxLength: 4 }),
  concurrency: fc.constantFrom<('unlimited' | number)[]>('unlimited', 1, 2),
  policy: fc.record(
    {
      onFailure: fc.constantFrom<NonNullable<Policy['onFailure']>[]>('continue', 'halt'),
      onLimit: fc.constantFrom<NonNullable<Policy['onLimit']>[]>('stop', 'escalate'),
      limits: fc.record(
        {
          corrections: fc.nat(4),
          perPair: fc.nat(2),
          attemptsPerPhase: fc.integer({ min: 1, max: 4 }),
          tokens: fc.constant(100),
          costUsd: fc.constant(0.5),
          durationMs: fc.constant(300_000),
          deadlineMs: fc.constant(500_000),
        },
        { requiredKeys: [] },
      ),
      inbox,
    },
    { requiredKeys: [] },
  ),
  choices: fc.array(fc.nat(60), { maxLength: 30, size: 'max' }),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never;

function build({ phases, concurrency, policy }: Scenario): Pipeline {
  return definePipeline({
    name: 'random',
    concurrency,
    policy,
    phases: phases.map((one, index) => {
      const reviewers = one.gate?.reviewers ?? [];
      const checks = (one.gate?.checks ?? []).map((check, nth) => ({ ...check, name: `c${nth}`, run: work }));
      const by = reviewers.map((asked, nth) =>
        task(`r${nth}`, { run: asked ? human({ question: 'May it?', ...asked }) : work } as never),
      );
      const quorum = by.length === 0 ? undefined : 1 + ((one.gate?.quorum ?? 0) % by.length);
      const review =
        one.gate && by.length + checks.length > 0 ? { ...one.gate.options, by, quorum, checks } : undefined;
      return phase(`p${index}`, {
        after: [...new Set(one.after)].filter((other) => other < index).map((other) => `p${other}`),
        mode: one.mode,
        tasks: one.tasks.map((isAsked, nth) =>
          task(`t${nth}`, { run: isAsked ? human({ question: 'How many?' }) : work } as never),
        ),
        ...(review && { review }),
      } as never);
    }),
  });
}

/** Rehearses a random path. @returns The entries of the coverage in which model and run differ. */
async function differences(drawn: Scenario): Promise<string | null> {
  const pipeline = build(drawn);
  const setting = settingOf(pipeline, new Set(DECISION_KINDS));
  const start = begin(setting);
  const moves: Move[] = [];
  let { state } = start;
  for (let about = nextToDecide(setting, state); about !== undefined; about = nextToDecide(setting, state)) {
    const acts = actsOf(setting, state, about);
    const act = acts[(drawn.choices[moves.length] ?? 0) % acts.length];
    if (!act) throw new Error(`no decision about ${about}`);
    const made = step(setting, state, act);
    moves.push({ act, step: made });
    state = made.state;
  }
  const expected = new Map<string, number>();
  for (const name of [start, ...moves.map((move) => move.step)].flatMap(({ shown }) => shown))
    expected.set(name, (expected.get(name) ?? 0) + 1);
  let script;
  try {
    script = scriptOf(setting, start, moves, {});
  } catch (error) {
    if (PhasegateError.is(error) && error.code === 'PATHS_UNKNOWN') return null;
    throw error;
  }
  const { records } = await rehearse(pipeline, script);
  const { phases, rows, limits, checks, rewinds, ends } = coverageOf(pipeline, [records]);
  const found = new Map(
    [...phases, ...rows, ...limits, ...checks, ...rewinds, ...ends].flatMap(({ name, times }) =>
      times > 0 ? [[name, times] as const] : [],
    ),
  );
  const wrong = [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) => {
    const [model, run] = [expected.get(name) ?? 0, found.get(name) ?? 0];
    return model === run ? [] : `  ${name}: ${model} times by the model, ${run} times in the run`;
  });
  return wrong.length === 0 ? null : [pathName(moves.map(({ act }) => act)), ...wrong].join('\n');
}

const REVIEW = { options: {}, reviewers: [null], quorum: 0, checks: [] };
const PHASE = { mode: 'dependencies' as const, tasks: [false], gate: null };

/** A phase sends back another, and the commit of that reaches a third one. */
const WIDE: Scenario = {
  phases: [
    { ...PHASE, after: [] },
    { ...PHASE, after: [0], gate: { ...REVIEW, options: { invalidate: 'all' } } },
    { ...PHASE, after: [0] },
  ],
  concurrency: 'unlimited',
  policy: {},
  choices: [0, 4],
};

describe('the model of decisions', () => {
  it('shows exactly what the run of each path shows', { timeout: 300_000 }, async () => {
    const property = fc.asyncProperty(scenario, async (drawn) => {
      const found = await differences(drawn);
      if (found !== null) throw new Error(`${found}\n${JSON.stringify(drawn)}`);
    });
    await fc.assert(property, { ...numberOfRuns({ runs: 120, seed: 15 }), examples: [[WIDE]] });
  });
});
