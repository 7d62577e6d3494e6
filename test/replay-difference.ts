/**
 * Replays the journal of an ended run: whole, and cut at some places, where its phases are revived.
 *
 * @module
 */
import { createActor } from 'xstate';
import type { PipelineInput } from '../src/machines/coordinator/run-state.ts';
import { setEventListener } from '../src/machines/pipeline/run-state-registry.ts';
import { continueFrom } from '../src/machines/pipeline/open-run.ts';
import { checkJournal } from '../src/machines/replay/check-journal.ts';
import { replay } from '../src/machines/replay/replay.ts';
import { machineOf } from '../src/runtime/machine-of.ts';
import { foldRunTimes } from '../src/model/events/run-times.ts';
import { isSameEvent } from '../src/model/events/event-equality.ts';
import { foldRun, resultOf } from '../src/projections/run/run-view.ts';
import { copyRun } from '../src/runtime/records/copy-run.ts';
import type { Pipeline, RunResult } from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';

/** The maximum number of cuts of a journal. */
const CUTS = 4;
/** The number of records beyond which a journal is only replayed as a whole, as it takes long. */
const LONG = 5000;

/**
 * Checks the records of an ended run: replayed through JSON, they and every prefix must lead to the same events and
 * the same result.
 *
 * @returns A description of the first difference; null if there is none.
 */
export function replayDifference(
  pipeline: Pick<Pipeline, 'plan' | 'work'>,
  records: readonly RunRecord[],
  result: RunResult | null,
): string | null {
  const text = JSON.stringify(records);
  const journal = JSON.parse(text) as readonly RunRecord[];
  const [first] = journal;
  if (first?.event.type !== 'run.started') return null;
  if (JSON.stringify(journal) !== text) return 'the records are not JSON';
  const { input: given, attended = false } = first.event;
  const input: PipelineInput = { run: first.runId, plan: pipeline.plan, input: given, attended };
  const { unrecorded } = replay(input, journal);
  checkJournal(journal);
  if (unrecorded.length > 0) return `it says more: ${JSON.stringify(unrecorded[0])}`;
  const view = foldRun();
  for (const record of journal) view.apply(record);
  if (result && JSON.stringify(resultOf(view.snapshot())) !== JSON.stringify(result)) return 'it has another result';
  if (journal.length > LONG) return null;
  const step = Math.max(1, Math.ceil(journal.length / (CUTS + 1)));
  for (let length = step; length < journal.length; length += step) {
    const problem = endsMidway(journal, length) ? null : revivalDifference(pipeline, input, journal, length);
    if (problem !== null) return `cut after ${length} records, ${problem}`;
  }
  return null;
}

/**
 * Returns a description of events that follow from a journal and are not in it; null if there are none. It uses the
 * plans in the journal.
 */
export function unrecordedIn(journal: readonly RunRecord[]): string | null {
  const [first] = journal;
  if (first?.event.type !== 'run.started') return 'it does not begin with the start of a run';
  const { plan: firstPlan, input, attended = false, memory, edition = 1 } = first.event;
  const changed = journal
    .flatMap(({ event }) => (event.type === 'run.resumed' && event.plan ? [event.plan] : []))
    .at(-1);
  const given = { run: first.runId, plan: changed ?? firstPlan, input, attended, memory, edition };
  const { unrecorded } = replay(given, journal, { changed: changed !== undefined });
  checkJournal(journal);
  return unrecorded.length > 0 ? `it says more: ${JSON.stringify(unrecorded[0])}` : null;
}

/** True if the cut is within the end of the run, whose records are written together. */
export function endsMidway(journal: readonly RunRecord[], length: number): boolean {
  return ENDINGS.has(journal[length - 1]?.event.type ?? '') && journal.at(-1)?.event.type === 'run.ended';
}

/** Returns the records after a cut, without those of stopped work, which the cut may omit. */
export function followingOf(journal: readonly RunRecord[], length: number): readonly RunRecord[] {
  return journal
    .slice(length)
    .filter(({ event }) => event.type !== 'task.dropped' && (event.type !== 'task.reported' || event.late !== true));
}

/** Stores a journal, or a prefix of one, as its run. */
export async function keepJournal(store: RunStore, records: readonly RunRecord[]): Promise<void> {
  const [first] = records;
  if (first?.event.type !== 'run.started') throw new Error('A journal begins with the start of its run.');
  const { forked } = first.event;
  await copyRun(store, first.runId, records, {
    startedAt: forked?.at ?? first.time,
    ...(forked && { forkOf: 'another run' }),
  });
}

// --- internal ---

const ENDINGS = new Set(['phase.cancelled', 'phase.skipped', 'phase.stale']);

function revivalDifference(
  pipeline: Pick<Pipeline, 'work'>,
  input: PipelineInput,
  journal: readonly RunRecord[],
  length: number,
): string | null {
  const replayed = replay(input, journal.slice(0, length));
  // The unrecorded events are those that followed in the run.
  const rest = followingOf(journal, length);
  const strange = replayed.unrecorded.find((event, at) => {
    const followed = rest[at]?.event;
    return !followed || !isSameEvent(event, followed);
  });
  if (strange) return `it goes on with ${JSON.stringify(strange)}`;
  // The actor is not started, so that none of its work begins.
  const actor = createActor(machineOf(pipeline), { id: input.run, input: { ...input } });
  setEventListener(actor, { publish: () => undefined });
  continueFrom(actor, replayed, { now: journal[length - 1]?.time ?? 0, times: foldRunTimes(), next: () => undefined });
  return null;
}
