/** Maximum numbers of starts: the sums over many rewinds, compared with a count of each pair. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze, definePipeline, phase, task, type Policy, type ReviewOptions } from '../src/index.ts';
import type { Plan } from '../src/records.ts';
import { between, reach, type Graph } from '../src/model/values/graph.ts';
import { planGraph } from '../src/model/plan/plan.ts';
import { countOf } from '../src/model/plan/policy.ts';
import { countStarts, type Starts } from '../src/model/analysis/worst-case-starts.ts';

describe('countStarts()', () => {
  it('agrees with a count of each pair of requester and target', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(countStarts(plan, planGraph(plan))).toEqual(oneByOne(plan, planGraph(plan)));
      }),
      { seed: 11, numRuns: 1000 },
    );
  });
});

describe('analyze()', () => {
  it.each([
    // Each phase is sent back by all below, and restarts with each phase above that is sent back.
    ['all', (above: number, below: number) => below + above * (1499 - (above - 1) / 2)],
    // Each phase is sent back by all below, sends back all above, and lies between the two.
    ['requester', (above: number, below: number) => below + above + above * below],
  ] as const)(
    'takes a long chain whose phases may all send back all before, invalidating %s',
    (invalidate, rewinds) => {
      //  p0 ──▶ p1 ──▶ … ──▶ p1499
      const pipeline = chain(1500, (index) => [index - 1], { rewindTo: 'ancestors', invalidate });
      const starts = analyze(pipeline).bounds.map((bound) => bound.starts);

      expect(starts).toEqual(starts.map((_, index) => 1 + 2 * rewinds(index, 1499 - index)));
    },
  );

  it('handles many phases that each come after all before them', () => {
    //  p0 ──▶ p1 ──▶ … ──▶ p299, and each after all before it
    const all = (index: number) => Array.from({ length: index }, (_, before) => before);
    const { findings } = analyze(chain(300, all, { onUnrecognised: 'ask' }));
    expect(findings).toHaveLength((298 * 299) / 2);
  });
});

function chain(length: number, after: (index: number) => readonly number[], policy: Policy = {}) {
  const phases = Array.from({ length }, (_, index) =>
    phase(`p${index}`, {
      after: index === 0 ? [] : after(index).map((before) => `p${before}`),
      tasks: [task('work', { run: () => 1 })],
      review: () => 'APPROVE',
    }),
  );
  return definePipeline({ name: 'chain', phases, policy });
}

/** Counts starts by the rule itself, pair by pair. */
function oneByOne({ phases, limits }: Plan, graph: Graph): readonly Starts[] {
  const starts = phases.map(() => ({ gated: 1, ungated: 0 }));
  const add = (index: number, kind: keyof Starts, count: number): void => {
    const one = starts[index];
    if (one && count > 0) one[kind] += count;
  };
  phases.forEach(({ gate }, requester) => {
    if (!gate) return;
    const budget = Math.min(countOf(gate.maxPredecessorRetries), limits.perPair ?? Infinity);
    for (const target of gate.targets.flatMap((name) => graph.indexOf.get(name) ?? [])) {
      const wide = gate.invalidate !== 'requester';
      const others = wide ? reach(graph.next, target) : [...between(graph, target, requester), requester];
      for (const index of others) add(index, 'gated', budget);
      add(target, gate.regate ? 'gated' : 'ungated', budget);
    }
  });
  return starts;
}

const gates: fc.Arbitrary<ReviewOptions> = fc.record({
  by: fc.constant(() => 'APPROVE'),
  maxPredecessorRetries: fc.constantFrom(0, 1, 2, 3, 'unlimited' as const),
  rewindTo: fc.constantFrom('predecessors', 'ancestors'),
  invalidate: fc.constantFrom('requester', 'changed', 'all'),
  regate: fc.boolean(),
});

/** Plans of up to 9 phases. Some gates may send back only every other ancestor. */
const plans: fc.Arbitrary<Plan> = fc
  .record({
    phases: fc.array(
      fc.record({
        edges: fc.array(fc.boolean(), { maxLength: 8 }),
        gate: fc.option(gates, { nil: undefined }),
        some: fc.boolean(),
      }),
      { minLength: 1, maxLength: 9 },
    ),
    perPair: fc.option(fc.nat(3), { nil: undefined }),
  })
  .map(({ phases, perPair }) => {
    const made = phases.map(({ edges, gate }, index) =>
      phase(`p${index}`, {
        after: edges.slice(0, index).flatMap((edge, before) => (edge ? [`p${before}`] : [])),
        tasks: [task('work', { run: () => 1 })],
        review: gate,
      }),
    );
    const { plan } = definePipeline({ name: 'random', phases: made, limits: { perPair } });
    return {
      ...plan,
      phases: plan.phases.map((one, index) => {
        if (!one.gate || !phases[index]?.some) return one;
        return { ...one, gate: { ...one.gate, targets: one.gate.targets.filter((_, at) => at % 2 === 0) } };
      }),
    };
  });
