/**
 * Runs a scenario in a store with several processes. Each stops after some records, and the next resumes at the same
 * moment.
 *
 * Workers recognise a repeated call by its idempotency key, and continue it. People remember their pending answers.
 *
 * @module
 */
import { memoryStore, readRun, resumeRun, startRun, type RunResult } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import type { Scenario } from '../reference/scenario.ts';
import { build } from './build.ts';
import { createCalls } from './calls.ts';
import { settle } from './drive.ts';
import { noMemory, peopleOf } from './people.ts';
import { VirtualClock } from '../../src/testing/rehearsal/virtual-clock.ts';

/** A run of several processes. */
export interface Parted {
  readonly records: readonly RunRecord[];
  readonly result: RunResult;
  /** Answers with an unexpected outcome. */
  readonly refused: readonly string[];
  /** The number of processes. */
  readonly parts: number;
}

/**
 * Drives a scenario to its end. @param more Returns the number of records that the nth process stores before it
 * stops.
 */
export async function driveInParts(scenario: Scenario, more: (nth: number) => number): Promise<Parted> {
  const store = memoryStore();
  const memory = noMemory();
  const calls = createCalls(true);
  let now = 0;
  for (let nth = 0; nth < MAX_PARTS; nth++) {
    const kept = await readRun(store, 'run');
    const clock = new VirtualClock();
    clock.set(now);
    const pipeline = build(scenario, { clock, saw: () => undefined, calls });
    const run =
      kept.length === 0
        ? startRun(pipeline, { store, clock, runId: 'run', attended: scenario.attended })
        : await resumeRun(store, 'run', pipeline, { clock });
    const people = peopleOf(scenario, run, clock, memory);
    const last = kept.length + more(nth);
    run.events$.subscribe((record) => {
      people.hear(record);
      if (record.seq < last) return;
      people.leave();
      run.suspend();
    });
    if (scenario.cancelAt !== undefined && scenario.cancelAt > now)
      clock.setTimeout(() => run.cancel('a person stops it'), scenario.cancelAt - now);
    const end: { result?: Awaited<typeof run.result> } = {};
    void run.result.then((result) => (end.result = result));
    await settle({ store, idle: () => true });
    for (let steps = 0; !end.result && steps < MAX_STEPS && clock.step(); steps++)
      await settle({ store, idle: () => true });
    now = clock.now();
    const { result } = end;
    if (!result) throw new Error(`Process ${nth} hangs after ${(await readRun(store, 'run')).length} records`);
    if (result.status !== 'suspended')
      return {
        records: await readRun(store, 'run'),
        result: result as RunResult,
        refused: memory.refused,
        parts: nth + 1,
      };
  }
  throw new Error('The run does not end');
}

// --- internal ---

const MAX_PARTS = 400;
const MAX_STEPS = 20_000;
