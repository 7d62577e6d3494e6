/** Random runs that are retried, forked, and resumed with another definition. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  approve,
  escalate,
  forkRun,
  PhasegateError,
  reject,
  resumeRun,
  requestChanges,
  retry,
  retryRun,
  retryPredecessor,
  type Decision,
  memoryStore,
  readRun,
} from '../../src/index.ts';
import { foldRun, type EventOf, type RunRecord } from '../../src/records.ts';
import { drive } from '../property/drive.ts';
import { prove } from '../property/prove.ts';
import { scenarios, type Scope } from '../property/scenarios.ts';
import type { PhaseSpec, Scenario } from '../reference/scenario.ts';
import { endsMidway } from '../replay-difference.ts';
import { keep } from '../kept-run.ts';
import { settle, stageOf, toEnd, problemOf } from './go-on.ts';

const SCOPES: readonly (readonly [string, Scope, number])[] = [
  ['few phases', { maxPhases: 4, limits: false }, 20],
  ['few phases under limits', { maxPhases: 4 }, 20],
  ['many phases', {}, 8],
];

// XState's development build warns once per action of every phase: millions of lines here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('retryRun()', () => {
  it.each(SCOPES)(
    'runs again only phases that are not settled, at each retry: %s',
    async (_, scope, runs) => {
      const seen = { retried: 0, completed: 0, told: 0 };
      await prove(scenarios(scope), { seed: 17, runs }, async (scenario) => {
        const { records, result } = await drive(scenario);
        const store = memoryStore();
        await keep(store, records);
        if (result?.status === 'completed') {
          await expect(retryRun(store, 'run', (await stageOf(store, 'run', scenario)).pipeline)).rejects.toMatchObject({
            code: 'RUN_ENDED',
          });
          return null;
        }
        // At first the workers do the same as before, and then all succeed.
        for (const cast of [scenario, well(scenario)]) {
          const before = await readRun(store, 'run');
          const { clock, pipeline } = await stageOf(store, 'run', cast);
          const status = await toEnd(await retryRun(store, 'run', pipeline, { clock }), clock);
          if (status === undefined) return 'it does not end';
          seen.retried += 1;
          const after = await readRun(store, 'run');
          const problem =
            (await problemOf(store, 'run', before, pipeline, scenario)) ??
            notRunAgain(before, after.slice(before.length), seen);
          if (problem !== null) return problem;
          if (status === 'completed') {
            seen.completed += 1;
            return null;
          }
        }
        return scope.limits === false ? 'everything went well, and it is not completed' : null;
      });
      // Each outcome must occur, or the property would be trivially true.
      expect(seen.completed).toBeGreaterThan(3);
      expect(seen.told).toBeGreaterThan(0);
    },
    600_000,
  );
});

describe('forkRun()', () => {
  it.each(SCOPES)(
    'makes runs that continue from any decision as if it had been another, and from before any phase: %s',
    async (_, scope, runs) => {
      let forks = 0;
      await prove(scenarios(scope), { seed: 19, runs }, async (scenario) => {
        const { records } = await drive(scenario);
        const store = memoryStore();
        await keep(store, records);
        const decided = records.filter(({ event }) => event.type === 'review.decided' && event.by !== 'worker');
        const started = records.filter(({ event }) => event.type === 'phase.started');
        const points = [
          ...some(decided, scenario.seed).flatMap(({ seq }, nth) =>
            decisions(scenario, seq + nth).map((decision) => ({ at: seq, decision })),
          ),
          ...some(started, scenario.seed).flatMap(({ event }) =>
            'phase' in event ? [{ at: { phase: event.phase } }] : [],
          ),
        ];
        for (const [nth, point] of points.entries()) {
          const where = JSON.stringify(point);
          const runId = `fork-${nth}`;
          try {
            await forkRun(store, 'run', { ...point, runId });
          } catch (error) {
            if (!isRefusal(error, records, point.at)) return `${where}: ${String(error)}`;
            expect(await store.run(runId)).toBeUndefined();
            continue;
          }
          forks += 1;
          const before = await readRun(store, runId);
          const { clock, pipeline } = await stageOf(store, runId, scenario);
          try {
            const status = await toEnd(await resumeRun(store, runId, pipeline, { clock }), clock);
            if (status === undefined) return `${where}: it does not end`;
          } catch (error) {
            return `${where}: ${String(error)}`;
          }
          const problem = await problemOf(store, runId, before, pipeline, scenario);
          if (problem !== null) return `${where}: ${problem}`;
        }
        // The original run is unchanged.
        expect(await readRun(store, 'run')).toEqual(records);
        return null;
      });
      expect(forks).toBeGreaterThan(30);
    },
    600_000,
  );
});

describe('resumeRun() with { allowChanged: true }', () => {
  it.each(SCOPES)(
    'continues with a changed definition of unstarted phases, and refuses one of started phases: %s',
    async (_, scope, runs) => {
      const seen = { allowed: 0, refused: 0, added: 0 };
      await prove(scenarios(scope), { seed: 23, runs }, async (scenario) => {
        const { records } = await drive(scenario);
        const store = memoryStore();
        await keep(store, records);
        const step = Math.max(1, Math.floor(records.length / 4));
        for (let at = 1 + (scenario.seed % step); at < records.length; at += step) {
          if (endsMidway(records, at)) continue;
          const before = records.slice(0, at);
          const problem =
            (await changedLater(store, scenario, at, before, seen)) ??
            (await changedBefore(store, scenario, at, before, seen));
          if (problem !== null) return `left after ${at} records: ${problem}`;
        }
        return null;
      });
      expect(seen.allowed).toBeGreaterThan(20);
      expect(seen.added).toBeGreaterThan(5);
      expect(seen.refused).toBeGreaterThan(20);
    },
    600_000,
  );
});

// --- internal: trying again ---

/** Returns the scenario with workers that all succeed. */
function well(scenario: Scenario): Scenario {
  return {
    ...scenario,
    phases: scenario.phases.map((spec) => ({
      ...spec,
      tasks: spec.tasks.map((one) => ({ ...one, calls: [] })),
      gate: spec.gate && {
        ...spec.gate,
        reviewers: spec.gate.reviewers.map((one) => ({ ...one, calls: [] })),
        checks: spec.gate.checks.map((one) => ({ ...one, calls: [] })),
      },
    })),
  };
}

/** Returns the settled phases: approved, and neither sent back nor invalidated since. */
function settledIn(records: readonly RunRecord[]): ReadonlySet<string> {
  const settled = new Set<string>();
  for (const [at, { event }] of records.entries()) {
    if (event.type === 'phase.approved') {
      // A phase that was sent back during its work runs again at once.
      if (unanswered(records.slice(0, at + 1), event.phase).length === 0) settled.add(event.phase);
    } else if (event.type === 'phase.rewinding') for (const phase of sentBackBy(event)) settled.delete(phase);
    else if (event.type === 'phase.invalidated' || event.type === 'phase.started') settled.delete(event.phase);
  }
  return settled;
}

/** Checks rule 26 on the records since the retry of a run. @returns A description of the first problem. */
function notRunAgain(before: readonly RunRecord[], since: readonly RunRecord[], seen: { told: number }): string | null {
  if (since[0]?.event.type !== 'run.resumed' || since[1]?.event.type !== 'run.reopened') return 'it is not reopened';
  const settled = settledIn(before);
  const generations = new Map<string, number>();
  for (const { event } of before)
    if (event.type === 'phase.started')
      generations.set(event.phase, Math.max(event.generation, generations.get(event.phase) ?? 0));
  const upset = new Set<string>();
  const met = new Set<string>();
  for (const { event } of since) {
    if (event.type === 'phase.rewinding') for (const phase of sentBackBy(event)) upset.add(phase);
    else if (event.type === 'phase.invalidated') upset.add(event.phase);
    if (event.type !== 'phase.started' || met.has(event.phase)) continue;
    const { phase, generation, revision } = event;
    met.add(phase);
    if (settled.has(phase)) {
      if (!upset.has(phase)) return `${phase} was settled, and has run again`;
      continue;
    }
    if (generation <= (generations.get(phase) ?? -1)) return `${phase} begins again as generation ${generation}`;
    const lost = unanswered(before, phase).find((feedback) => !(revision?.feedback ?? '').includes(feedback));
    if (lost !== undefined) return `${phase} is not told again: ${lost}`;
    seen.told += unanswered(before, phase).length;
  }
  return null;
}

/** Returns the phases that may run again because of a rewind. Riders are sent back with the target. */
function sentBackBy({ target, riders = [] }: EventOf<'phase.rewinding'>): readonly string[] {
  return [target, ...riders.map(({ phase }) => phase)];
}

/** Returns demands of later phases that no commit has answered. */
function unanswered(records: readonly RunRecord[], target: string): readonly string[] {
  let open: string[] = [];
  let told: string[] = [];
  let belated: string[] = [];
  let isRetrying = false;
  for (const [at, { event }] of records.entries()) {
    if (event.type === 'phase.rewinding') {
      const demands = [
        ...(event.target === target ? [event.correction.feedback] : []),
        ...(event.riders ?? []).flatMap(({ phase, correction }) => (phase === target ? [correction.feedback] : [])),
      ];
      const next = records[at + 1]?.event;
      // If a target has already failed, the requester fails at once. Unsettled targets receive the demand on retry.
      if (next?.type !== 'phase.failed' || next.phase !== event.phase) open.push(...demands);
      else if (demands.length > 0 && !settledIn(records.slice(0, at)).has(target)) belated.push(...demands);
    } else if (event.type === 'run.reopened') {
      open.push(...belated);
      belated = [];
    } else if (event.type === 'phase.retrying' && event.phase === target) isRetrying = true;
    else if (event.type === 'phase.started' && event.phase === target) {
      // Later demands of its own gate do not erase the demand that sent it back.
      if (!isRetrying) told = open.filter((one) => (event.revision?.feedback ?? '').includes(one));
      isRetrying = false;
    } else if (event.type === 'phase.approved' && event.phase === target) {
      open = open.filter((one) => !told.includes(one));
      [told, belated] = [[], []];
    }
  }
  return [...open, ...belated];
}

// --- internal: forks ---

/** Returns at most three elements, not always the first. */
function some<T>(all: readonly T[], seed: number): readonly T[] {
  const step = Math.max(1, Math.floor(all.length / 3));
  return all.filter((_, at) => at % step === seed % step).slice(0, 3);
}

/**
 * True if a decision is legitimately refused: a person may only send back ancestors, and cannot approve without
 * outputs.
 */
function isRefusal(error: unknown, records: readonly RunRecord[], at: unknown): boolean {
  const decided = records.find(({ seq }) => seq === at)?.event;
  const codes = ['DECISION_INVALID', 'DECISION_TARGET_INVALID'];
  return (
    PhasegateError.is(error) &&
    codes.includes(error.code) &&
    decided?.type === 'review.decided' &&
    decided.by === 'person'
  );
}

/** Returns two other decisions. */
function decisions({ phases }: Scenario, seed: number): readonly Decision[] {
  const target = phases[seed % phases.length]?.name ?? '';
  const all = [
    approve(),
    retry('otherwise'),
    retryPredecessor(target, 'from there'),
    requestChanges([
      { id: 'i0', severity: 'high', description: 'i0 is wrong.', affectedPhase: target },
      { severity: 'low', description: 'So is this.' },
    ]),
    reject('no'),
    escalate('who knows'),
  ];
  return all.filter((_, at) => at === seed % all.length || at === (seed * 3 + 1) % all.length);
}

// --- internal: changes ---

type Store = ReturnType<typeof memoryStore>;

/** Changes phases that have not started. */
async function changedLater(
  store: Store,
  scenario: Scenario,
  at: number,
  before: readonly RunRecord[],
  seen: { allowed: number; added: number },
): Promise<string | null> {
  const touched = new Set(before.flatMap(({ event }) => ('phase' in event ? [event.phase] : [])));
  const later = scenario.phases.filter(({ name }) => !touched.has(name));
  const [anchor] = later;
  if (!anchor) return null;
  const changed: Scenario = {
    ...scenario,
    phases: [...scenario.phases.map((spec) => (later.includes(spec) ? other(spec) : spec)), added(anchor)],
  };
  const runId = await forkRun(store, 'run', { at, runId: `later-${at}` });
  const { clock, pipeline } = await stageOf(store, runId, changed);
  const { pipeline: old } = await stageOf(store, runId, scenario);
  await expect(resumeRun(store, runId, pipeline)).rejects.toMatchObject({ code: 'RUN_CHANGED' });
  const run = await resumeRun(store, runId, pipeline, { clock, allowChanged: true });
  seen.allowed += 1;
  // After another stop, the run resumes with the new definition alone.
  await settle();
  run.suspend();
  if ((await run.result).status === 'suspended') {
    await expect(resumeRun(store, runId, old)).rejects.toMatchObject({ code: 'RUN_CHANGED' });
    const status = await toEnd(await resumeRun(store, runId, pipeline, { clock }), clock);
    if (status === undefined) return 'it does not end';
  }
  const records = await readRun(store, runId);
  if (records.some(({ event }) => event.type === 'phase.approved' && event.phase === 'added')) seen.added += 1;
  const resumed = records.slice(before.length).find(({ event }) => event.type === 'run.resumed');
  // Records of one moment that were cut off are written first. If they include the end, the run does not continue.
  if (!resumed) {
    const isAtOnce = records.slice(at).every(({ time }) => time === before.at(-1)?.time);
    return isAtOnce && records.at(-1)?.event.type === 'run.ended' ? null : 'it is not resumed';
  }
  expect(resumed.event).toMatchObject({ type: 'run.resumed', plan: pipeline.plan });
  const view = foldRun();
  for (const record of records) view.apply(record);
  const ended = records.findLast(({ event }) => 'phase' in event && event.phase === 'added')?.event.type;
  const status = view.snapshot().phases['added']?.status;
  if (`phase.${status}` !== ended) return `the phase that was added is ${status} after ${ended}`;
  return problemOf(store, runId, copied(before, runId), pipeline, scenario, true);
}

/** Changes phases that have started. */
async function changedBefore(
  store: Store,
  scenario: Scenario,
  at: number,
  before: readonly RunRecord[],
  seen: { refused: number },
): Promise<string | null> {
  const begun = before.find(({ event }) => event.type === 'task.started')?.event;
  if (begun?.type !== 'task.started') return null;
  const changed: Scenario = {
    ...scenario,
    phases: scenario.phases.map((spec) => (spec.name === begun.phase ? renamed(spec) : spec)),
  };
  const runId = await forkRun(store, 'run', { at, runId: `before-${at}` });
  const { clock, pipeline } = await stageOf(store, runId, changed);
  try {
    const run = await resumeRun(store, runId, pipeline, { clock, allowChanged: true });
    run.suspend();
    await run.result;
    return 'it goes on, though what has begun is another';
  } catch (error) {
    if (!PhasegateError.is(error) || error.code !== 'JOURNAL_DIVERGED') return String(error);
  }
  seen.refused += 1;
  expect(await readRun(store, runId)).toEqual(copied(before, runId));
  expect(await store.run(runId)).toMatchObject({ lease: undefined });
  return null;
}

/** Returns the records of a fork. The first one has its creation time and its number of copied records. */
function copied(records: readonly RunRecord[], runId: string): readonly RunRecord[] {
  const forked = { at: expect.any(Number) as number, records: records.length };
  return records.map((record) => {
    const { event } = record;
    return { ...record, runId, event: event.type === 'run.started' ? { ...event, forked } : event };
  });
}

function added({ name }: PhaseSpec): PhaseSpec {
  const work = { name: 'work', after: [], asks: [], tries: 1, calls: [] };
  return { name: 'added', after: [name], mode: 'parallel', tasks: [work], gate: null, people: [] };
}

function other(spec: PhaseSpec): PhaseSpec {
  const more = { name: 'more', after: [], asks: [], tries: 2, calls: [] };
  return { ...spec, gate: null, tasks: [...spec.tasks, more] };
}

function renamed(spec: PhaseSpec): PhaseSpec {
  return {
    ...spec,
    tasks: spec.tasks.map((one) => ({
      ...one,
      name: `new-${one.name}`,
      after: one.after.map((name) => `new-${name}`),
    })),
  };
}
