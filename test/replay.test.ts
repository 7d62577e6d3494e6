/** `replay` and `revive` on the journals of random runs. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { replay } from '../src/machines/replay/replay.ts';
import { isSameEvent } from '../src/model/events/event-equality.ts';
import { forkRun, reject, resumeRun, memoryStore, readRun } from '../src/index.ts';
import type { EventOf, RunEvent, RunRecord } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';
import { foldRunInfo } from '../src/projections/run/run-info.ts';
import { drive } from './property/drive.ts';
import type { Scenario } from './reference/scenario.ts';
import { followingOf } from './replay-difference.ts';
import { build } from './property/build.ts';
import { prove } from './property/prove.ts';
import { scenarios, type Scope } from './property/scenarios.ts';
import { VirtualClock } from '../src/testing/rehearsal/virtual-clock.ts';

const SCOPES: readonly (readonly [string, Scope, number])[] = [
  ['few phases', { maxPhases: 4, limits: false }, 12],
  ['few phases under limits', { maxPhases: 4 }, 12],
  ['many phases', {}, 5],
];

// XState's development build warns once per action of every phase: millions of lines here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('replay()', () => {
  it.each(SCOPES)(
    'reaches the same events from every journal, and from every prefix of it: %s',
    async (_, scope, runs) => {
      await prove(scenarios(scope), { seed: 3, runs }, async (scenario) => {
        const { records } = await drive(scenario);
        const journal = JSON.parse(JSON.stringify(records)) as typeof records;
        const { plan } = build(scenario, { clock: new VirtualClock(), saw: () => undefined });
        const input = { run: 'run', plan, attended: scenario.attended };
        const whole = replay(input, journal);
        expect(whole.unrecorded).toEqual([]);
        for (const length of journal.keys()) {
          if (endsMidway(journal, length)) continue;
          const { unrecorded } = replay(input, journal.slice(0, length));
          const rest = followingOf(journal, length);
          // The unrecorded events are those that followed in the run.
          const strange = unrecorded.findIndex((event, at) => {
            const followed = rest[at]?.event;
            return !followed || !isSameEvent(event, followed);
          });
          if (strange !== -1) return `after ${length} records: ${JSON.stringify(unrecorded[strange])}`;
        }
        return null;
      });
    },
    600_000,
  );
});

describe('resumeRun()', () => {
  it.each(SCOPES)(
    'continues from every prefix of a journal to an end, and its journal can be replayed: %s',
    async (_, scope, runs) => {
      await prove(scenarios(scope), { seed: 5, runs }, async (scenario) =>
        goesOnFrom((await drive(scenario)).records, scenario),
      );
    },
    600_000,
  );

  it('does so if a phase is stale because of an end that another version has worded', async () => {
    const found = (await drive(STALE)).records.map((record) => ({ ...record, event: otherwise(record.event) }));
    expect(found.filter(({ event }) => event.type === 'phase.stale' && event.because === 'y')).toHaveLength(1);
    const { plan } = build(STALE, { clock: new VirtualClock(), saw: () => undefined });
    expect(replay({ run: 'run', plan, attended: false }, found).unrecorded).toEqual([]);
    expect(await goesOnFrom(found, STALE)).toBeNull();
  });

  it.each(SCOPES)(
    'does so if another version has worded its texts: %s',
    async (_, scope, runs) => {
      let reworded = 0;
      await prove(scenarios(scope), { seed: 7, runs }, async (scenario) => {
        const { records } = await drive(scenario);
        const others = records.map((record) => ({ ...record, event: otherwise(record.event) }));
        reworded += others.filter(({ event }, at) => event !== records[at]?.event).length;
        const { plan } = build(scenario, { clock: new VirtualClock(), saw: () => undefined });
        const { unrecorded } = replay({ run: 'run', plan, attended: scenario.attended }, others);
        return unrecorded.length > 0 ? `it says more: ${JSON.stringify(unrecorded[0])}` : goesOnFrom(others, scenario);
      });
      expect(reworded).toBeGreaterThan(20);
    },
    600_000,
  );
});

// --- internal ---

/** A person sends back `a`, which may not run again: so what was made of it is kept, and marked. */
const STALE: Scenario = {
  seed: 0,
  concurrency: 1,
  onFailure: 'continue',
  attended: false,
  onLimit: 'escalate',
  lifts: false,
  limits: { attemptsPerPhase: 1 },
  phases: [
    phaseOf('a', []),
    {
      ...phaseOf('b', ['a']),
      gate: {
        rewindTo: ['a'],
        reviewers: [{ name: 'r0', calls: [] }],
        checks: [{ name: 'c0', baseline: true, calls: [{ do: 'pass' }, { do: 'fail', says: 'fix 0' }] }],
      },
      people: [{ do: 'rewind', phase: 'a', feedback: 'person 0' }],
    },
    phaseOf('c', ['a']),
  ],
};

function phaseOf(name: string, after: readonly string[]): Scenario['phases'][number] {
  const tasks = [{ name: 't0', after: [], asks: [], tries: 1, calls: [] }];
  return { name, after, mode: 'dependencies', tasks, gate: null, people: [] };
}

/** Returns the event with other texts for codes, names and earlier records. */
function otherwise(event: RunEvent): RunEvent {
  const { type } = event;
  if (type === 'phase.escalated' || type === 'phase.rejected') return { ...event, reason: 'x' };
  if (type === 'phase.warned') return { ...event, message: 'x' };
  // Others than the reason that they repeat.
  if (type === 'phase.skipped' || type === 'phase.cancelled' || type === 'phase.stale')
    return { ...event, because: 'y' };
  if (type === 'phase.failed') return { ...event, error: { ...event.error, message: 'x' } };
  if (type !== 'run.ended') return event;
  return {
    ...event,
    ...(event.reason !== undefined && { reason: 'x' }),
    ...(event.error && { error: { ...event.error, message: 'x' } }),
  };
}

/** Cuts a run at some of its records, and resumes it from each. @returns A description of the first problem. */
async function goesOnFrom(records: readonly RunRecord[], scenario: Scenario): Promise<string | null> {
  const store = memoryStore();
  await keep(store, records);
  const step = Math.max(1, Math.floor(records.length / 7));
  for (let at = 1 + (records.length % step); at < records.length; at += step) {
    if (endsMidway(records, at)) continue;
    const runId = await forkRun(store, 'run', { at, runId: `run-${at}` });
    const problem = await finish(store, runId, scenario);
    if (problem !== undefined) return `left after ${at} records: ${problem}`;
  }
  return null;
}

/** Stores records of a run without a store. */
async function keep(store: RunStore, records: readonly RunRecord[]): Promise<void> {
  const info = foldRunInfo();
  for (const record of records) info.apply(record);
  await store.append({ runId: 'run', records, info: info.info([]), items: [], artifacts: [] });
}

/** Resumes a run and drives it to its end. @returns A description of the first problem. */
async function finish(store: RunStore, runId: string, scenario: Scenario): Promise<string | undefined> {
  const before = await readRun(store, runId);
  const clock = new VirtualClock();
  clock.set(before.at(-1)?.time ?? 0);
  const pipeline = build(scenario, { clock, saw: () => undefined });
  const run = await resumeRun(store, runId, pipeline, { clock });
  const end: { status?: string } = {};
  void run.result.then(({ status }) => (end.status = status));
  for (let steps = 0; end.status === undefined; steps++) {
    await settle();
    const { waiting } = run.snapshot();
    const [about] = waiting;
    if (about !== undefined) await run.decide(about, reject('nobody knows'));
    else if (end.status === undefined && !clock.step()) return 'it does not end';
    if (steps > MAX_STEPS) return 'it goes on for ever';
  }
  const after = await readRun(store, runId);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(replay({ run: runId, plan: pipeline.plan, attended: scenario.attended }, after).unrecorded).toEqual([]);
  const rerun = after
    .slice(before.length)
    .find(({ event }) => event.type === 'phase.started' && isApproved(before, event));
  return rerun && `an approved phase has run again: ${JSON.stringify(rerun.event)}`;
}

/** True if a generation of a phase was approved before. */
function isApproved(records: readonly RunRecord[], { phase, generation }: EventOf<'phase.started'>): boolean {
  return records.some(
    ({ event }) => event.type === 'phase.approved' && event.phase === phase && event.generation === generation,
  );
}

const MAX_STEPS = 20_000;

/** Runs everything that needs no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const ENDINGS = new Set(['phase.cancelled', 'phase.skipped', 'phase.stale']);

/** True if the cut is within the end of the run, whose records are written together. */
function endsMidway(journal: Awaited<ReturnType<typeof drive>>['records'], length: number): boolean {
  return ENDINGS.has(journal[length - 1]?.event.type ?? '') && journal.at(-1)?.event.type === 'run.ended';
}
