/**
 * Coverage of random pipelines by random runs.
 *
 * `PHASEGATE_SEED=random PHASEGATE_SCENARIOS=5000 npx vitest run test/property/coverage.test.ts` tries 5000 other scenarios.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunEvent, RunRecord } from '../../src/records.ts';
import { coverageOf, type Coverage, type CoverageRow } from '../../src/testing.ts';
import { drive } from './drive.ts';
import { prove } from './prove.ts';
import { scenarios, type Scope } from './scenarios.ts';

const SCOPES: readonly (readonly [string, Scope, number])[] = [
  ['no people', { maxPhases: 5 }, 30],
  ['few phases under no limit', { maxPhases: 3, limits: false }, 30],
  ['people', { maxPhases: 5, people: true }, 20],
];

// XState's development build warns once per action of every phase: millions of lines here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('coverage', () => {
  it.each(SCOPES)(
    'asks for all that a run shows, and misses no more for more records: %s',
    async (_, scope, runs) => {
      let shown = 0;
      await prove(scenarios(scope), { seed: 11, runs }, async (scenario) => {
        const { records } = await drive(scenario);
        const coverage = coverageOf(planOf(records), [records]);
        shown += coverage.shown;
        const unasked = unaskedIn(coverage, records, scope.people === true);
        if (unasked.length > 0) return `not asked for: ${unasked.join(', ')}`;
        const half = records.slice(0, Math.ceil(records.length / 2));
        const steps = [[], [half], [half, records], [half, records, records]].map(
          (all) => coverageOf(planOf(records), all).missing,
        );
        const longer = steps.some((missing, at) => missing.some((name) => !(steps[at - 1] ?? missing).includes(name)));
        return longer ? 'more records miss more' : null;
      });
      expect(shown).toBeGreaterThan(runs * 4);
    },
    600_000,
  );
});

// --- internal ---

function planOf([first]: readonly RunRecord[]) {
  if (first?.event.type !== 'run.started') throw new Error('There is no first record.');
  return first.event.plan;
}

/** Decisions that no plan asks for. */
const NEVER: readonly string[] = ['inconclusive', 'invalidTarget', 'brokenAnswer'];

/** Names what a run has shown although the plan does not ask for it. Demands of tasks and decisions of people are not bound by the plan. */
function unaskedIn(
  { rows, limits, checks, ends }: Coverage,
  records: readonly RunRecord[],
  people: boolean,
): readonly string[] {
  const phasesAskedFor = (decision: CoverageRow['decision']) =>
    new Set(rows.flatMap((row) => (row.decision === decision && row.asked ? row.phase : [])));
  const [reviewed, failing] = [phasesAskedFor('reject'), phasesAskedFor('reviewError')];
  // The deadline of a reviewer who is a person is no part of the plan.
  const never = people ? [...NEVER, 'question'] : NEVER;
  const isUnchanged = records.some(({ event }) => event.type === 'loop.detected' && event.kind === 'unchanged');
  const isBound = !people && !records.some(({ event }) => isDemandOfOthers(event));
  const found = [
    ...rows.filter(
      ({ phase, decision, outcome }) =>
        !never.includes(decision) &&
        (decision !== 'retryPredecessor' || reviewed.has(phase)) &&
        // Unchanged outputs refuse a rewind before any budget does.
        (decision !== 'retryPredecessor' || outcome !== 'refused' || !isUnchanged) &&
        // A gate of people alone asks again only after a decision that no plan asks for.
        (decision !== 'reviewAgain' || !people || failing.has(phase)),
    ),
    ...checks,
    ...(isBound ? [...limits, ...ends] : []),
  ];
  return found.flatMap(({ name, times, asked }) => (times > 0 && !asked ? name : []));
}

/** True for a decision of a person or a demand of a task. Their corrections and attempts count. */
function isDemandOfOthers(event: RunEvent): boolean {
  return ('by' in event && event.by !== 'gate') || (event.type === 'task.failed' && event.rework !== undefined);
}
