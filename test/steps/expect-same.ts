/**
 * Runs by steps next to the same runs in one process, on simulated time.
 *
 * @module
 */
import { expect } from 'vitest';
import { startRun, type Pipeline } from '../../src/index.ts';
import type { InboxItem, Reply } from '../../src/inbox.ts';
import type { RunRecord } from '../../src/records.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import { drive, simulatedTime } from '../rig.ts';
import { runBySteps } from './stepper.ts';

const RUN = 'run-1';

const ASKS: ReadonlySet<string> = new Set(['task.asked', 'phase.escalated', 'limit.reached']);

interface Compared {
  readonly replies?: () => (item: InboxItem) => Reply;
  readonly isLost?: (batch: number) => boolean;
}

/** Runs a pipeline in one process and by steps, and compares the events. @returns Those by steps. */
export async function expectSame(
  make: () => unknown,
  { replies, isLost }: Compared = {},
): Promise<readonly RunRecord[]> {
  const live: RunRecord[] = [];
  const time = simulatedTime(1000);
  const run = startRun(make() as Pipeline<Readonly<Record<string, Readonly<Record<string, unknown>>>>>, {
    runId: RUN,
    store: memoryStore(),
    clock: time.clock,
  });
  const reply = replies?.();
  const due: (() => unknown)[] = [];
  run.events$.subscribe((record) => {
    live.push(record);
    const answered = ASKS.has(record.event.type) && reply;
    if (!answered) return;
    due.push(() => Promise.all(run.inbox().map((item) => run.answer(item.id, answered(item)))));
  });
  await drive(run, time, due);
  const answer = replies?.();
  const records = await runBySteps(make() as Pipeline, {
    runId: RUN,
    clock: simulatedTime(1000).clock,
    ...(answer && { answer }),
    ...(isLost && { isLost }),
  });
  expect(plain(records)).toEqual(plain(live));
  return records;
}

/** The types of the events. */
export function typesOf(records: readonly RunRecord[]): readonly string[] {
  return records.map(({ event }) => event.type);
}

// --- internal ---

/** The events, without the stacks of errors, which depend on the caller. */
function plain(records: readonly RunRecord[]): unknown {
  return JSON.parse(
    JSON.stringify(
      records.map(({ event }) => event),
      (key, value: unknown) => (key === 'stack' ? undefined : value),
    ),
  );
}
