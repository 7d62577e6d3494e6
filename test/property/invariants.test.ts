/** A test of `brokenInvariants`: one sound run, falsified in one way after the other. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Issue } from '../../src/index.ts';
import type { RunEvent, RunRecord } from '../../src/records.ts';
import type { Scenario } from '../reference/scenario.ts';
import { drive, type Driven } from './drive.ts';
import { brokenInvariants } from './invariants.ts';
import { about, back, does, gate, put, scenario, yes } from './pinned.ts';

//  plan ──▶ draft ──▶ print     draft retries once, then sends plan back
const given = scenario([
  does('plan', [], [put(1, 10), put(2, 10)]),
  does('draft', ['plan'], [put(1, 5), put(2, 6), put(3, 7)], {
    gate: gate([
      { do: 'retry', feedback: 'longer', delay: 1 },
      back('plan', 'deeper', 2, [about('plan'), about('draft')]),
      yes(3),
    ]),
  }),
  does('print', ['draft'], [put(1, 4)]),
  does('apart', [], [put(1, 11)]),
]);

type Type = RunEvent['type'];

const FAULTS: readonly (readonly [string, (run: Driven) => Driven])[] = [
  ['a record is missing', (run) => told(run, (records) => records.toSpliced(3, 1))],
  ['the end is missing', (run) => told(run, (records) => records.slice(0, -1))],
  ['a phase starts twice', (run) => renumbered(run, (records) => twice(records, 'phase.started'))],
  [
    'a phase starts before its predecessor is approved',
    (run) => renumbered(run, (records) => without(records, 'phase.approved')),
  ],
  [
    'work goes on after approval',
    (run) =>
      renumbered(run, (records) => [
        ...records.slice(0, -1),
        ...first(records, 'task.completed'),
        ...records.slice(-1),
      ]),
  ],
  ['a version is skipped', (run) => changed(run, 'phase.approved', { version: 7 })],
  ['a version was not there to be read', (run) => changed(run, 'phase.approved', { read: { plan: 9 } })],
  [
    'feedback of a retry is lost',
    (run) => changed(run, 'phase.retrying', { correction: { attempt: 0, from: 'draft', feedback: 'shorter' } }),
  ],
  [
    'feedback of a rewind is lost',
    (run) => changed(run, 'phase.rewinding', { correction: { attempt: 1, from: 'draft', feedback: 'wider' } }),
  ],
  ['an issue is told to nobody', (run) => changed(run, 'phase.rewinding', { riders: undefined })],
  [
    'an issue is not told to the phase that has it',
    (run) =>
      changed(run, 'phase.rewinding', {
        riders: [
          { phase: 'draft', correction: { attempt: 1, from: 'draft', feedback: 'other', issues: issuesOf(run) } },
        ],
      }),
  ],
  [
    'a task saw what was not committed',
    (run) => ({
      ...run,
      sightings: run.sightings.map((one) => ({ ...one, seen: { ...one.seen, plan: { work: 'early' } } })),
    }),
  ],
];

const LAWS: readonly (readonly [string, Scenario])[] = [
  ['more phases work than may', { ...given, concurrency: 1 }],
  ['a budget of retries is exceeded', withGate({ maxRetries: 0 })],
  ['a budget of rewinds is exceeded', withGate({ maxPredecessorRetries: 0 })],
  ['a limit of corrections is exceeded', { ...given, limits: { corrections: 1 } }],
  ['a limit of attempts is exceeded', { ...given, limits: { attemptsPerPhase: 1 } }],
];

// XState's development build warns once per action of every phase.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('brokenInvariants()', () => {
  it('reports nothing for a sound run', async () => {
    expect(brokenInvariants(given, await drive(given))).toEqual([]);
  });

  it.each(FAULTS)('reports that %s', async (_, fault) => {
    expect(brokenInvariants(given, fault(await drive(given)))).not.toEqual([]);
  });

  it.each(LAWS)('reports that %s', async (_, law) => {
    expect(brokenInvariants(law, await drive(given))).not.toEqual([]);
  });
});

// --- internal ---

function told(run: Driven, tell: (records: readonly RunRecord[]) => readonly RunRecord[]): Driven {
  return { ...run, records: tell(run.records) };
}

function renumbered(run: Driven, tell: (records: readonly RunRecord[]) => readonly RunRecord[]): Driven {
  const records = tell(run.records);
  const times = records.map(({ time }) => time);
  return told(run, () =>
    records.map((one, at) => ({ ...one, seq: at + 1, time: Math.max(...times.slice(0, at + 1)) })),
  );
}

function first(records: readonly RunRecord[], type: Type): readonly RunRecord[] {
  return records.filter(({ event }) => event.type === type).slice(0, 1);
}

function twice(records: readonly RunRecord[], type: Type): readonly RunRecord[] {
  const [one] = first(records, type);
  return records.flatMap((record) => (record === one ? [record, record] : [record]));
}

function without(records: readonly RunRecord[], type: Type): readonly RunRecord[] {
  const [one] = first(records, type);
  return records.filter((record) => record !== one);
}

/** Returns the run with every event of a type changed. */
function changed(run: Driven, type: Type, change: object): Driven {
  return told(run, (records) =>
    records.map((one) => (one.event.type === type ? { ...one, event: Object.assign({}, one.event, change) } : one)),
  );
}

/** Returns the issues of the riders of a run. */
function issuesOf({ records }: Driven): readonly Issue[] {
  return records.flatMap(({ event }) =>
    event.type === 'phase.rewinding' ? (event.riders ?? []).flatMap((one) => one.correction.issues ?? []) : [],
  );
}

function withGate(options: object): Scenario {
  return {
    ...given,
    phases: given.phases.map((spec) => ({ ...spec, gate: spec.gate && { ...spec.gate, ...options } })),
  };
}
