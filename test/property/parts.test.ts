/**
 * Random runs that stop after any record and resume have the same result as in one go, with the same answers at the
 * same times.
 *
 * `PHASEGATE_SEED=random PHASEGATE_SCENARIOS=5000 npx vitest run test/property/parts.test.ts` tries 5000 other
 * scenarios per property.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Call, Scenario } from '../reference/scenario.ts';
import { simulate } from '../reference/simulate.ts';
import { account } from './account.ts';
import { difference } from './compare.ts';
import { driveInParts } from './parts.ts';
import { prove } from './prove.ts';
import { scenarios, type Scope } from './scenarios.ts';

const SCOPES: readonly (readonly [string, Scope, number])[] = [
  ['few phases', { maxPhases: 4, people: true, limits: false }, 25],
  ['few phases under limits', { maxPhases: 4, people: true }, 25],
  ['many phases', { people: true }, 10],
];

// XState's development build warns once per action of every phase: millions of lines here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('a run that is stopped and resumed', () => {
  it.each(SCOPES)(
    'has the same result as in one go, with answers of anybody at any time: %s',
    async (_, scope, runs) => {
      let resumed = 0;
      await prove(scenarios(scope).map(withoutUsage), { seed: 29, runs }, async (scenario) => {
        const expected = simulate(scenario, true);
        fc.pre(!expected.collided);
        const run = await driveInParts(scenario, (nth) => 1 + ((scenario.seed + nth * 7) % (9 + 3 * nth)));
        resumed += run.parts - 1;
        return run.refused[0] ?? difference(inOneGo(account(run.records)), inOneGo(expected.lines));
      });
      expect(resumed).toBeGreaterThan(runs);
    },
    600_000,
  );
});

// --- internal ---

/**
 * Removes repetitions from the account: a line of a task or a check of an attempt counts once if its work begins
 * again.
 */
function inOneGo(lines: readonly string[]): readonly string[] {
  const said = new Map<string, Set<string>>();
  return lines.filter((line) => {
    const [, type = '', phase = '', ...rest] = line.split(' ');
    if (type === 'phase.started' || type === 'review.started') said.set(phase, new Set());
    const isAgain = type === 'task.started' || type === 'review.waiting' || line.endsWith('code="CHECK_PREEXISTING"');
    if (!isAgain) return type !== 'run.resumed';
    const before = said.get(phase);
    const what = [type, ...rest].join(' ');
    if (before?.has(what)) return false;
    before?.add(what);
    return true;
  });
}

/** Removes usage from the scenario: a worker that begins again reports its usage again, and waits for room again. */
function withoutUsage(scenario: Scenario): Scenario {
  return {
    ...scenario,
    phases: scenario.phases.map((spec) => ({
      ...spec,
      tasks: spec.tasks.map((one) => ({ ...unestimated(one), calls: quiet(one.calls) })),
      gate: spec.gate && {
        ...spec.gate,
        reviewers: spec.gate.reviewers.map((one) => ({ ...unestimated(one), calls: quiet(one.calls) })),
      },
    })),
  };
}

function quiet<Act>(calls: readonly Call<Act>[]): readonly Call<Act>[] {
  return calls.map((call) => {
    const { tokens: _, ...act } = call;
    return act as Call<Act>;
  });
}

function unestimated<Worker extends { readonly estimate?: number }>(worker: Worker): Omit<Worker, 'estimate'> {
  const { estimate: _, ...rest } = worker;
  return rest;
}
