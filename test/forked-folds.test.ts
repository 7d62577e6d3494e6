/** Folds over recorded journals: copied on the way, and compared with plain ones. */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRunTimes, type RunTimesFold } from '../src/model/events/run-times.ts';
import { startOf, workKey } from '../src/model/handlers/work-key.ts';
import { foldRunInfo } from '../src/projections/run/run-info.ts';
import type { RunRecord } from '../src/records.ts';
import { unendedChildren, type UnendedChildren } from '../src/runtime/resuming/left-children.ts';
import { numberOfRuns } from './property/number-of-runs.ts';

const FOLDER = new URL('fixtures/journals/', import.meta.url);

/** Recorded journals, with their names. */
const journals = readdirSync(FOLDER).flatMap((version) =>
  readdirSync(new URL(`${version}/`, FOLDER)).map((file): [string, readonly RunRecord[]] => [
    `${version}/${file}`,
    readFileSync(new URL(`${version}/${file}`, FOLDER), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunRecord),
  ]),
);

/** All that a fold tells, at the time of its last record and some time later. */
function toldBy(times: RunTimesFold, at: number) {
  const later = at + 1234;
  return [
    times.at(),
    times.at(later),
    times.isWorking(),
    times.isHeld(),
    times.idleUntil(),
    times.idleUntil(() => true),
    times.idleUntil(() => false, true),
  ];
}

function foldOf(records: readonly RunRecord[]): RunTimesFold {
  const times = foldRunTimes();
  for (const record of records) times.apply(record);
  return times;
}

describe('a copy of the times of a run', () => {
  it.each(journals)('goes on by itself from every record: %s', (_, records) => {
    const first = foldRunTimes();
    const all = toldBy(foldOf(records), records.at(-1)?.time ?? 0);
    for (const [index, record] of records.entries()) {
      first.apply(record);
      const here = toldBy(foldOf(records.slice(0, index + 1)), record.time);
      const copy = first.copy();
      expect(toldBy(copy, record.time)).toEqual(here);
      for (const next of records.slice(index + 1)) copy.apply(next);
      expect(toldBy(copy, records.at(-1)?.time ?? 0)).toEqual(all);
      // The first has not moved.
      expect(toldBy(first, record.time)).toEqual(here);
    }
  });

  it.each(journals)('is that of the summary: %s', (_, records) => {
    const info = foldRunInfo();
    for (const [index, record] of records.entries()) {
      info.apply(record);
      const times = info.times();
      expect(toldBy(times, 0)).toEqual(toldBy(foldOf(records.slice(0, index + 1)), 0));
      // The summary does not move with it.
      for (const next of records) times.apply(next);
    }
  });
});

/** Events after which work of their phase is over. */
const OVER = ['started', 'invalidated', 'rewinding', 'rejected', 'failed', 'cancelled', 'skipped'].map(
  (end) => `phase.${end}`,
);

/** The same with the key of every task, and every phase in every step. */
function plainUnended(runId: string, records: readonly RunRecord[]): UnendedChildren {
  const open = new Map<string, string>();
  const superseded = new Set<string>();
  const starts = new Map<string, number>();
  for (const { event } of records) {
    for (const [id, phase] of open)
      if ('phase' in event && event.phase === phase && OVER.includes(event.type)) {
        open.delete(id);
        superseded.add(id);
      }
    if (event.type === 'phase.started' && event.attempt === 0) {
      const start = `${event.generation} ${event.phase}`;
      starts.set(start, (starts.get(start) ?? 0) + 1);
    }
    if (event.type !== 'task.started' && event.type !== 'task.completed' && event.type !== 'task.failed') continue;
    const { phase, generation, attempt, task } = event;
    const renewals = Math.max(0, (starts.get(`${generation} ${phase}`) ?? 1) - 1);
    const id = workKey([runId, phase, startOf(generation, renewals), attempt, 'task', task]);
    if (event.type === 'task.started') open.set(id, phase);
    else open.delete(id);
  }
  return { current: [...open.keys()], superseded: [...superseded] };
}

function sorted({ current, superseded }: UnendedChildren): UnendedChildren {
  return { current: current.toSorted(), superseded: superseded.toSorted() };
}

describe('runs that tasks may have left', () => {
  it.each(journals)('are those of tasks without an end, after every record: %s', (_, records) => {
    for (let count = 0; count <= records.length; count++) {
      const some = records.slice(0, count);
      const found = unendedChildren(
        'r',
        some.map(({ event }) => event),
      );
      expect(sorted(found)).toEqual(sorted(plainUnended('r', some)));
    }
  });

  it('are those of tasks without an end, in any order of events', () => {
    const step = fc.record({
      phase: fc.constantFrom('a', '__proto__'),
      task: fc.constantFrom('x', 'y'),
      type: fc.oneof(
        fc.constantFrom('phase.started', 'task.started'),
        fc.constantFrom('task.completed', 'task.failed', 'phase.retrying', ...OVER),
      ),
      attempt: fc.nat({ max: 1 }),
      // A generation never comes back.
      isNext: fc.constantFrom(false, false, true),
    });
    const drawn = fc.array(step, { maxLength: 20 }).map((steps) => {
      const generations = new Map<string, number>();
      return steps.map(({ isNext, ...event }, index) => {
        const generation = (generations.get(event.phase) ?? 0) + (isNext ? 1 : 0);
        generations.set(event.phase, generation);
        return { runId: 'r', seq: index + 1, time: 0, event: { ...event, generation } } as unknown as RunRecord;
      });
    });
    fc.assert(
      fc.property(drawn, (records) => {
        const found = unendedChildren(
          'r',
          records.map(({ event }) => event),
        );
        expect(sorted(found)).toEqual(sorted(plainUnended('r', records)));
      }),
      numberOfRuns({ seed: 1, runs: 2000 }),
    );
  });

  it('are found in at least some journals', () => {
    const found = journals.map(([, records]) => plainUnended('r', records));
    expect(found.some(({ superseded }) => superseded.length > 0)).toBe(true);
  });
});
