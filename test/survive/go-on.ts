/**
 * Resumed random runs: they are driven to their end in virtual time, and checked for invariants.
 *
 * @module
 */
import { expect } from 'vitest';
import { replay } from '../../src/machines/replay/replay.ts';
import { approve, PhasegateError, reject, type Pipeline, type Run, type RunStatus, readRun } from '../../src/index.ts';
import type { EventOf, RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import { build } from '../property/build.ts';
import { VirtualClock } from '../../src/testing/rehearsal/virtual-clock.ts';
import type { Scenario } from '../reference/scenario.ts';

/** Builds a pipeline and the clock of its workers, which starts at the time of the last record. */
export async function stageOf(
  store: RunStore,
  runId: string,
  scenario: Scenario,
): Promise<{ readonly clock: VirtualClock; readonly pipeline: Pipeline }> {
  const clock = new VirtualClock();
  clock.set((await readRun(store, runId)).at(-1)?.time ?? 0);
  return { clock, pipeline: build(scenario, { clock, saw: () => undefined }) };
}

/** Drives a run to its end. People approve every item. @returns Its status; undefined if it hangs. */
export async function toEnd(run: Run<unknown>, clock: VirtualClock): Promise<RunStatus | 'suspended' | undefined> {
  const end: { status?: RunStatus | 'suspended' } = {};
  void run.result.then(({ status }) => (end.status = status));
  for (let steps = 0; end.status === undefined && steps < MAX_STEPS; steps++) {
    await settle();
    const [about] = run.snapshot().waiting;
    if (end.status !== undefined) break;
    if (about !== undefined) await approveOf(run, about);
    else if (!clock.step()) return undefined;
  }
  return end.status;
}

/**
 * Returns a description of the first problem of a resumed run; null if there is none.
 *
 * @param before Its records when it was left.
 */
export async function problemOf(
  store: RunStore,
  runId: string,
  before: readonly RunRecord[],
  { plan }: Pick<Pipeline, 'plan'>,
  { attended }: Scenario,
  changed = false,
): Promise<string | null> {
  const after = await readRun(store, runId);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(await store.run(runId)).toMatchObject({ seq: after.length, lease: undefined });
  const { unrecorded } = replay({ run: runId, plan, attended }, after, { changed });
  if (unrecorded.length > 0) return `told again it says more: ${JSON.stringify(unrecorded[0])}`;
  const approved = new Set(after.flatMap(({ event }, at) => (at < before.length ? approvalIn(event) : [])));
  const rerun = after.slice(before.length).find(({ event }) => startIn(event).some((one) => approved.has(one)));
  return rerun ? `what was approved has run again: ${JSON.stringify(rerun.event)}` : null;
}

/** Runs everything that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
}

// --- internal ---

const MAX_STEPS = 20_000;

function approvalIn(event: RunRecord['event']): readonly string[] {
  return event.type === 'phase.approved' ? [generationOf(event)] : [];
}

function startIn(event: RunRecord['event']): readonly string[] {
  return event.type === 'phase.started' ? [generationOf(event)] : [];
}

function generationOf({ phase, generation }: EventOf<'phase.started' | 'phase.approved'>): string {
  return `${phase}/${generation}`;
}

/** Rejects an interrupted attempt after its approval was refused, as it has nothing to approve. */
async function approveOf(run: Run<unknown>, about: string): Promise<void> {
  try {
    await run.decide(about, approve());
  } catch (error) {
    if (!PhasegateError.is(error) || error.code !== 'DECISION_INVALID') throw error;
    await run.decide(about, reject('there is nothing to approve'));
  }
}
