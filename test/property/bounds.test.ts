/**
 * The bounds of `analyze`, compared with runs.
 *
 * `PHASEGATE_SEED=random PHASEGATE_SCENARIOS=5000 npx vitest run test/property/bounds.test.ts` tries 5000 other
 * scenarios.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { analyze, startRun, type PhaseBound } from '../../src/index.ts';
import type { RunEvent, RunRecord } from '../../src/records.ts';
import type { Call, IssueAct, PhaseSpec, ReviewAct, Scenario } from '../reference/scenario.ts';
import { idle } from '../rig.ts';
import { build } from './build.ts';
import { prove } from './prove.ts';
import { scenarios, type Scope } from './scenarios.ts';
import { VirtualClock } from '../../src/testing/rehearsal/virtual-clock.ts';

/** Random reviewers approve soon. Insistent ones spend their budgets. */
const SCOPES: readonly (readonly [string, Scope, (scenario: Scenario) => Scenario, number])[] = [
  ['reviewers of all kinds', {}, (scenario) => scenario, 60],
  ['few phases, reviewers that press on', { maxPhases: 4, limits: false, failures: false }, pressed, 60],
  ['reviewers that press on under limits', { maxPhases: 6, failures: false }, pressed, 60],
  ['reviewers that press on', { maxPhases: 6, limits: false, failures: false }, pressed, 50],
];

// XState's development build warns once per action of every phase: millions of lines here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('analyze()', () => {
  it.each(SCOPES)(
    'is never exceeded by a run without decisions of people: %s',
    async (_, scope, made, runs) => {
      let met = 0;
      await prove(scenarios(scope).map(made), { seed: 7, runs }, async (scenario) => {
        const { bounds, records } = await witness(scenario);
        met += bounds.filter(
          (bound) => bound.attempts > 1 && count(records, 'phase.started', bound) >= bound.attempts,
        ).length;
        const broken = bounds.flatMap((bound) => excesses(bound, records));
        return broken.length === 0 ? null : broken.join('\n');
      });
      // Some run must meet a bound, or the property would be trivially true.
      expect(met).toBeGreaterThan(0);
    },
    600_000,
  );
});

// --- internal ---

const MAX_STEPS = 20_000;

/** Returns the bounds of a scenario, and the records of a run in which no person ever answers. */
async function witness(
  scenario: Scenario,
): Promise<{ readonly bounds: readonly PhaseBound[]; readonly records: readonly RunRecord[] }> {
  const clock = new VirtualClock();
  const records: RunRecord[] = [];
  const pipeline = build(scenario, { clock, saw: () => undefined });
  const run = startRun(pipeline, { clock, attended: scenario.attended });
  run.events$.subscribe((record) => records.push(record));
  const end = { reached: false };
  void run.result.then(() => (end.reached = true));
  await idle();
  for (let steps = 0; !end.reached && clock.step(); steps++) {
    if (steps === MAX_STEPS) throw new Error('the run does not come to an end');
    await idle();
  }
  if (!end.reached) run.cancel('nobody answers');
  return { bounds: analyze(pipeline).bounds, records };
}

function excesses(bound: PhaseBound, records: readonly RunRecord[]): readonly string[] {
  const { phase, attempts } = bound;
  const asked = Math.max(0, ...Object.values(bound.reviews));
  const started = count(records, 'phase.started', bound);
  const reviewed = count(records, 'review.started', bound);
  const fresh = records.filter(
    ({ event }) => event.type === 'phase.started' && event.phase === phase && event.attempt === 0,
  ).length;
  return [
    ...(started > attempts ? [`${phase} started ${started} times, at most ${attempts} were said`] : []),
    ...(fresh > bound.starts ? [`${phase} started afresh ${fresh} times, at most ${bound.starts} were said`] : []),
    ...(reviewed > asked ? [`${phase} was reviewed ${reviewed} times, at most ${asked} were said`] : []),
  ];
}

function count(records: readonly RunRecord[], type: RunEvent['type'], { phase }: PhaseBound): number {
  return records.filter(({ event }) => event.type === type && 'phase' in event && event.phase === phase).length;
}

/** Returns the scenario with reviewers that keep demanding, each in an order of its own. */
function pressed(scenario: Scenario): Scenario {
  return { ...scenario, phases: scenario.phases.map((spec) => pressedPhase(spec, scenario.phases)) };
}

/** The number of demands before a reviewer begins to approve. */
const DEMANDS = 120;

function pressedPhase(spec: PhaseSpec, all: readonly PhaseSpec[]): PhaseSpec {
  if (!spec.gate) return spec;
  const rewinds = [...above(spec, all)].map((phase): ReviewAct => ({ do: 'rewind', phase, feedback: 'back' }));
  const [first] = [...above(spec, all)];
  // One demand with an issue of every phase.
  const everything = [...above(spec, all), spec.name].map((phase): IssueAct => ({
    name: phase,
    severity: 'low',
    phase,
  }));
  const reviewers = spec.gate.reviewers.map((reviewer, place) => {
    const kinds: readonly Call<ReviewAct>[] = [
      { do: 'throw' },
      ...reviewer.calls.filter((call) => call.do === 'retry' || call.do === 'rewind'),
      { do: 'retry', feedback: 'again' },
      ...rewinds,
      ...(first === undefined ? [] : [{ do: 'rewind' as const, phase: first, feedback: 'back', issues: everything }]),
    ];
    const stride = 1 + (reviewer.calls.length % kinds.length);
    const calls = Array.from({ length: DEMANDS }, (_, nth) => kinds[(nth * stride + place) % kinds.length]);
    return { ...reviewer, calls: calls.flatMap((call) => call ?? []) };
  });
  return { ...spec, gate: { ...spec.gate, onInvalidTarget: 'approve', loopAfter: 'unlimited', reviewers } };
}

function above({ after }: PhaseSpec, all: readonly PhaseSpec[]): ReadonlySet<string> {
  const direct = all.filter((one) => after.includes(one.name));
  return new Set(direct.flatMap((one) => [one.name, ...above(one, all)]));
}
