/**
 * Random plans, usual and odd: the fingerprint is the SHA-256 of the JSON of the plan and of each phase, with sorted keys.
 *
 * `PHASEGATE_SEED=random PHASEGATE_SCENARIOS=5000 npx vitest run test/property/fingerprint.test.ts` tries 5000 others.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { stringify } from 'safe-stable-stringify';
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, task } from '../../src/index.ts';
import { fingerprint, type PhasePlan, type Plan } from '../../src/model/plan/plan.ts';
import { hasSortedKeys } from '../../src/model/values/sorted-keys.ts';
import { numberOfRuns } from './number-of-runs.ts';

describe('a fingerprint', () => {
  it('is that of the plan and its phases with sorted keys, one after the other', () => {
    const seen = { sorted: 0, others: 0 };
    const property = fc.property(fc.array(phases, { maxLength: 12 }), text, (list, name) => {
      const plan: Plan = { ...usual, name, phases: list };
      for (const one of list) seen[hasSortedKeys(one) ? 'sorted' : 'others'] += 1;
      expect(fingerprint(plan)).toBe(plainly(plan));
    });
    fc.assert(property, numberOfRuns({ seed: 43, runs: 3000 }));
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  });

  it('is the same for the plan of a definition and for its JSON', () => {
    const drawn = fc.array(fc.record({ name: text, tasks: fc.array(text, { minLength: 1 }), retries: fc.nat(2) }));
    const property = fc.property(drawn, (list) => {
      const { plan } = definePipeline({
        name: 'p',
        policy: { inbox: { queue: 'q', remindAfterMs: 1 }, reviewBackoff: { max: 3, first: 1 } },
        phases: [first, ...list.map((one, index) => defined(one, index))],
      });
      const copy = JSON.parse(JSON.stringify(plan)) as Plan;
      expect(fingerprint(plan)).toBe(plainly(plan));
      expect(fingerprint(copy)).toBe(plainly(plan));
    });
    fc.assert(property, numberOfRuns({ seed: 44, runs: 200 }));
  });

  it.each<[string, (one: PhasePlan) => PhasePlan]>([
    ['a method for JSON that is not listed', (one) => withOwnText({ ...one })],
    ['a gate with such a method', (one) => ({ ...one, gate: one.gate && withOwnText({ ...one.gate }) })],
    ['a list with such a method', (one) => ({ ...one, tasks: withOwnText([...one.tasks]) })],
    ['a task with such a method', (one) => ({ ...one, tasks: one.tasks.map((its) => withOwnText({ ...its })) })],
    ['another key', (one) => renamed(one, 'mode', 'mood')],
    ['another key of a gate', (one) => ({ ...one, gate: one.gate && renamed(one.gate, 'quorum', 'quorun') })],
    ['a missing key at the end', (one) => renamed(one, 'tasks', undefined)],
    ['one more key at the end', (one) => Object.assign({ ...one }, { version: '1' })],
  ])('sees %s after a phase that is the same otherwise', (_, change) => {
    for (const one of usual.phases.slice(0, 2)) {
      const plan: Plan = { ...usual, phases: [one, one, change(one), one] };
      expect(fingerprint(plan)).toBe(plainly(plan));
      expect(fingerprint(plan)).not.toBe(fingerprint({ ...plan, phases: [one, one, one, one] }));
    }
  });

  it('is that of one long plan', () => {
    const list = Array.from({ length: 200 }, (_, index) => defined({ name: 'é"\\', tasks: ['t'], retries: 0 }, index));
    const { plan } = definePipeline({ name: 'p', phases: [first, ...list] });
    expect(fingerprint(plan)).toBe(plainly(plan));
  });
});

// --- internal ---

/** Texts with all that JSON escapes, and with halves of characters. */
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('', '"', '\\', '\ud83d', '\ude00'));

const first = phase('first', { tasks: [task('t', { run: () => 1 })], review: () => 'APPROVE' });

const usual = definePipeline({
  name: 'usual',
  phases: [
    first,
    phase('second', { after: [first], tasks: [task('t', { run: () => 1 })], review: () => 'APPROVE' }),
    phase('third', { after: [first, 'second'], tasks: [task('a', { run: () => 1 }), task('b', { run: () => 1 })] }),
    phase('fourth', { tasks: [task('t', { run: () => 1, version: '1' })], subscribe: ['fourth/x'], version: '2' }),
  ],
}).plan;

/** Values that are not what a plan has there, or not JSON at all. */
const odd = fc.constantFrom<unknown>(
  undefined,
  null,
  NaN,
  -0,
  1n,
  '',
  {},
  [],
  ['x', undefined],
  Array(2),
  { b: 1, a: 2 },
  { 10: 1, 9: 2 },
  { toJSON: () => 'own' },
  Object.assign(['x'], { toJSON: () => 'own' }),
  new Date(0),
  Object.create({ inherited: 1 }),
  Object.create(null),
  () => 1,
);

/** Phases of a usual plan, of which some have a part that is set, removed or moved to the end. */
const phases: fc.Arbitrary<PhasePlan> = fc
  .record({
    phase: fc.constantFrom(...usual.phases),
    name: text,
    edit: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      {
        weight: 3,
        arbitrary: fc.record({
          part: fc.constantFrom('phase', 'gate', 'task'),
          key: fc.oneof(
            fc.constantFrom('after', 'targets', 'name', 'description', 'tasks', 'gate', 'quorum', 'reviewers', 'mode'),
            fc.constantFrom('a', 'zz', '__x', '7', 'toJSON'),
          ),
          value: odd,
        }),
      },
    ),
  })
  .map((drawn): PhasePlan => {
    const named = { ...drawn.phase, name: drawn.name };
    const { edit } = drawn;
    if (!edit) return named;
    const set = <T extends object>(of: T): T => {
      const copy = { ...of };
      if (edit.value === undefined) Reflect.deleteProperty(copy, edit.key);
      return Object.assign(copy, { [edit.key]: edit.value });
    };
    if (edit.part === 'phase') return set(named);
    if (edit.part === 'gate') return { ...named, gate: named.gate && set(named.gate) };
    return { ...named, tasks: named.tasks.map((one) => set(one)) };
  });

function defined({ name, tasks, retries }: { name: string; tasks: readonly string[]; retries: number }, index: number) {
  return phase(`p${index}`, {
    after: index % 2 === 0 ? [first] : ['p0', first],
    tasks: tasks.map((description, at) => task(`t${at}`, { description: description + name, run: () => 1 })),
    review: retries === 0 ? () => 'APPROVE' : { by: () => 'APPROVE', maxRetries: retries },
  });
}

function withOwnText<T extends object>(value: T): T {
  return Object.defineProperty(value, 'toJSON', { value: () => 'own' });
}

/** Copies an object, of which one key has another name, or is left out. */
function renamed<T extends object>(value: T, from: string, to: string | undefined): T {
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (key !== from) return [[key, item]];
    return to === undefined ? [] : [[to, item]];
  });
  return Object.fromEntries(entries) as T;
}

/** Makes the fingerprint from texts of a library alone. */
function plainly({ phases: list, ...rest }: Plan): string {
  const hash = createHash('sha256');
  for (const part of [rest, ...list]) hash.update(stringify(part) ?? 'null');
  return hash.digest('hex');
}
