/** Random runs that are suspended repeatedly, at any moment, and resumed until they end. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { memoryStore, readRun, reject, resumeRun, startRun } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import { build } from '../property/build.ts';
import { prove } from '../property/prove.ts';
import { scenarios, type Scope } from '../property/scenarios.ts';
import { VirtualClock } from '../../src/testing/rehearsal/virtual-clock.ts';
import type { Scenario } from '../reference/scenario.ts';
import { replayDifference } from '../replay-difference.ts';

const SCOPES: readonly (readonly [string, Scope, number])[] = [
  ['few phases', { maxPhases: 4, limits: false }, 12],
  ['few phases under limits', { maxPhases: 4 }, 12],
  ['many phases', {}, 5],
];

// XState's development build warns once per action of every phase: millions of lines here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('suspend()', () => {
  it.each(SCOPES)(
    'works at any time, repeatedly, and the run reaches an end that can be replayed: %s',
    async (_, scope, runs) => {
      await prove(scenarios(scope), { seed: 11, runs }, async (scenario) => {
        const store = memoryStore();
        let before: readonly RunRecord[] = [];
        for (let nth = 0; nth < MAX_PARTS; nth++) {
          const ended = await part(store, scenario, nth);
          const records = await readRun(store, 'run');
          expect(records.slice(0, before.length)).toEqual(before);
          const rerun = approvedAgain(before, records);
          if (rerun !== undefined) return `${rerun} was approved, and has run again`;
          const problem = replayDifference(build(scenario, STAGE), records, null);
          if (problem !== null) return `told again after part ${nth}: ${problem}`;
          if (ended) return null;
          before = records;
        }
        return 'it does not end';
      });
    },
    600_000,
  );
});

// --- internal ---

const MAX_PARTS = 60;
const MAX_STEPS = 20_000;
const STAGE = { clock: new VirtualClock(), saw: () => undefined };

/** Works on a run until it has published more records, or to its end. @returns True if it has ended. */
async function part(store: RunStore, scenario: Scenario, nth: number): Promise<boolean> {
  const kept = await readRun(store, 'run');
  const clock = new VirtualClock();
  clock.set(kept.at(-1)?.time ?? 0);
  const pipeline = build(scenario, { clock, saw: () => undefined });
  const run =
    kept.length === 0
      ? startRun(pipeline, { store, clock, runId: 'run', attended: scenario.attended })
      : await resumeRun(store, 'run', pipeline, { clock });
  // The number of records grows, so that the run ends.
  const most = kept.length + 1 + ((scenario.seed + nth * 7) % (5 + nth));
  run.events$.subscribe(({ seq }) => seq >= most && run.suspend());
  const end: { status?: string } = {};
  void run.result.then(({ status }) => (end.status = status));
  for (let steps = 0; end.status === undefined && steps < MAX_STEPS; steps++) {
    await settle();
    const [about] = run.snapshot().waiting;
    if (end.status === undefined && about !== undefined) await run.decide(about, reject('nobody knows'));
    else if (end.status === undefined && !clock.step()) throw new Error('The run hangs');
  }
  return end.status !== 'suspended';
}

/** Returns a generation of a phase that was approved before, and has started since. */
function approvedAgain(before: readonly RunRecord[], after: readonly RunRecord[]): string | undefined {
  const approved = new Set(
    before.flatMap(({ event }) => (event.type === 'phase.approved' ? [`${event.phase}/${event.generation}`] : [])),
  );
  return after
    .slice(before.length)
    .flatMap(({ event }) => (event.type === 'phase.started' ? [`${event.phase}/${event.generation}`] : []))
    .find((one) => approved.has(one));
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
}
