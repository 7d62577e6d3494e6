/**
 * Runs a scenario on the real runtime, in virtual time.
 *
 * @module
 */
import { startRun } from '../../src/index.ts';
import type { RunOptions, RunResult, RunSnapshot } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import type { Scenario } from '../reference/scenario.ts';
import { build, type Sighting } from './build.ts';
import { noMemory, peopleOf } from './people.ts';
import { replayDifference } from '../replay-difference.ts';
import { VirtualClock } from '../../src/testing/rehearsal/virtual-clock.ts';

/** The observations of a driven run. */
export interface Driven {
  readonly records: readonly RunRecord[];
  /** Outputs that tasks saw, in order, each with the number of records before it. */
  readonly sightings: readonly (Sighting & { readonly seq: number })[];
  /** Findings that reviewers were shown, in order. */
  readonly shown: readonly string[];
  readonly snapshot: RunSnapshot;
  /** Null if the run had not ended, and nothing was left to wait for. */
  readonly result: RunResult | null;
  /** Answers of people with an unexpected outcome. There should be none. */
  readonly refused: readonly string[];
}

/** The store of a run. */
export interface Kept {
  readonly store: RunStore;
  /** True if the store has nothing to do. */
  readonly idle: () => boolean;
}

/**
 * Drives a scenario until nothing is left to wait for.
 *
 * @param inspect Observes the actors of the run. An inspected run creates actors for its phases and their work.
 * @param kept Its store. @default none
 * @param redact Masks its records. Then a replay is not compared with the run, whose result is not masked.
 */
export async function drive(
  scenario: Scenario,
  inspect?: () => void,
  kept?: Kept,
  redact?: RunOptions['redact'],
): Promise<Driven> {
  const clock = new VirtualClock();
  const sightings: (Sighting & { readonly seq: number })[] = [];
  const records: RunRecord[] = [];
  const shown: string[] = [];
  const pipeline = build(scenario, {
    clock,
    saw: (sighting) => sightings.push({ ...sighting, seq: records.length }),
    showed: (line) => shown.push(line),
  });
  const { attended } = scenario;
  const run = startRun(pipeline, { clock, runId: 'run', attended, inspect, store: kept?.store, redact });
  const memory = noMemory();
  const people = peopleOf(scenario, run, clock, memory);
  run.events$.subscribe((record) => {
    records.push(record);
    people.hear(record);
  });
  const end: { result: RunResult | null } = { result: null };
  void run.result.then((result) => (end.result = result as RunResult));
  if (scenario.cancelAt !== undefined) clock.setTimeout(() => run.cancel('a person stops it'), scenario.cancelAt);
  await settle(kept);
  for (let steps = 0; end.result === null && steps < MAX_STEPS && clock.step(); steps++) await settle(kept);
  const otherwise = end.result && !redact && replayDifference(pipeline, records, end.result);
  if (typeof otherwise === 'string') throw new Error(`Told again: ${otherwise}`);
  return { records, sightings, shown, snapshot: run.snapshot(), result: end.result, refused: memory.refused };
}

/** Runs everything that needs no time, apart from the store. */
export async function settle(kept?: Kept): Promise<void> {
  const turns = kept ? 6 : 3;
  for (let turn = 0; turn < turns; turn = kept?.idle() === false ? 0 : turn + 1)
    await new Promise((resolve) => setImmediate(resolve));
}

// --- internal ---

const MAX_STEPS = 20_000;
