/**
 * Random phases, right and wrong: the quick validation accepts only what the schema accepts, and `definePipeline` refuses the rest.
 *
 * `PHASEGATE_SEED=random PHASEGATE_SCENARIOS=5000 npx vitest run test/property/plain-phase.test.ts` tries 5000 others.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeProblems } from '../../src/model/definition/fields.ts';
import { isPlainPhase } from '../../src/model/definition/plain-phase.ts';
import { phaseShape, pipelineShape } from '../../src/model/definition/shapes.ts';
import { unstartable } from '../../src/model/handlers/child-pipeline.ts';
import { numberOfRuns } from './number-of-runs.ts';

describe('quick validation', () => {
  it('accepts only phases that the schema accepts', () => {
    const seen = { plain: 0, accepted: 0, refused: 0 };
    const property = fc.property(phases, (phase) => {
      const isAccepted = phaseShape.safeParse(phase).success;
      const isPlain = isPlainPhase(phase);
      seen[isPlain ? 'plain' : isAccepted ? 'accepted' : 'refused'] += 1;
      expect({ isPlain, isAccepted }).not.toEqual({ isPlain: true, isAccepted: false });
    });
    const given = numberOfRuns({ seed: 41, runs: 2000 });
    fc.assert(property, { ...given, numRuns: Math.max(given.numRuns, LEAST_RUNS) });
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  });

  it('finds a problem if the schema does', () => {
    const definitions = fc.record({ name: fc.oneof(fc.constant('p'), junk), phases: fc.oneof(fc.array(phases), junk) });
    const property = fc.property(definitions, (definition) => {
      expect(shapeProblems(definition).length === 0).toBe(pipelineShape.safeParse(definition).success);
    });
    fc.assert(property, numberOfRuns({ seed: 42, runs: 1000 }));
  });
});

// --- internal ---

/** Fewer runs may draw no plain phase at all. */
const LEAST_RUNS = 300;

const junk = fc.oneof(
  fc.constantFrom(undefined, null, '', 0, NaN, true, Symbol.iterator, new Date(0), Object.create({ extra: 1 })),
  fc.constantFrom(
    {},
    [],
    Object.assign([], { length: 1 }),
    [null],
    ['a'],
    () => 1,
    new Map(),
    { name: 'a' },
    { kind: 'task', name: 'a' },
  ),
);

/** Mostly the right value. */
function mostly<T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: junk });
}

const run = fc.constant(() => 1);
const made = (kind: string, its: fc.Arbitrary<object>) =>
  mostly(
    fc
      .record({ kind: mostly(fc.constant(kind)), name: mostly(fc.string()), options: mostly(its) })
      .chain((whole) => fc.constantFrom(whole, whole, { ...whole, extra: 1 })),
  );
const names = mostly(fc.array(mostly(fc.oneof(fc.string(), made('phase', fc.constant({})))), { maxLength: 2 }));

/** Options with some of the fields, and rarely with one that nobody knows. They may be inherited. */
function options(needed: Readonly<Record<string, fc.Arbitrary<unknown>>>, more: typeof needed): fc.Arbitrary<object> {
  const record = fc.record({ ...needed, ...more }, { requiredKeys: [] });
  const unknown = { unknown: 1 };
  return fc.tuple(record, fc.nat(40)).map(([own, dice]): object => {
    if (dice === 0) return { ...own, ...unknown };
    if (dice > 2) return own;
    const heir = dice === 1 ? {} : { ...own };
    Reflect.setPrototypeOf(heir, dice === 1 ? own : unknown);
    return heir;
  });
}

const taskOptions = options(
  { run: mostly(fc.oneof({ weight: 9, arbitrary: run }, { weight: 1, arbitrary: fc.constant(unstartable) })) },
  { description: mostly(fc.string()), after: names, timeout: mostly(fc.nat()), retry: fc.constant({ attempts: 2 }) },
);
const tasks = mostly(fc.array(made('task', taskOptions), { maxLength: 3 }));
const review = mostly(fc.oneof(run, fc.constant({ by: () => 'APPROVE', maxRetries: 1 }), made('task', taskOptions)));
const phases = made('phase', options({ tasks }, { after: names, review, mode: fc.constantFrom('parallel', 'other') }));
