import { describe, expect, it } from 'vitest';
import { definePipeline, human, memoryStore, phase, readRun, startRun, task } from '../src/index.ts';
import { createTimeAxis } from '../src/projections/timeline/time-axis.ts';
import { foldTimeline } from '../src/projections/timeline/timeline.ts';
import { busyStretches, workTimes } from '../src/projections/timeline/work-times.ts';
import { createRunHistory } from '../visualizations/dashboard/src/data/run-history.ts';
import { createFaceMaker } from '../visualizations/dashboard/src/run/graph/phase-face.ts';
import { idle, simulatedTime } from './rig.ts';

const HOUR = 3_600_000;

describe('a phase whose reviewer is a person', () => {
  it('works for a minute, waits all night, and the wait is drawn short', async () => {
    const { records, end } = await night();
    const fold = foldTimeline();
    for (const record of records) fold.apply(record);
    const { bars, from } = fold.timeline();
    const ended = bars.map((bar) => ({ ...bar, to: bar.to ?? end }));
    expect(workTimes(ended)).toEqual({ workMs: 60_000, waitMs: 12 * HOUR });
    expect(busyStretches(ended)).toEqual([{ from: 0, to: 60_000 }]);
    const axis = createTimeAxis({ from, to: end }, busyStretches(ended));
    expect(axis.cuts).toEqual([{ from: 60_000, to: end }]);
    expect(axis.length).toBeLessThan(2 * 60_000);
  });

  it('is shown as waiting, not as in review', async () => {
    const { records } = await night();
    const moment = createRunHistory().at(records, records.length);
    expect(moment.snapshot.phases['draft']?.status).toBe('reviewing');
    expect(
      createFaceMaker()
        .facesOf(moment)
        .map(({ status }) => status),
    ).toEqual(['waiting']);
  });
});

describe('workTimes()', () => {
  it.each<[name: string, bars: Parameters<typeof workTimes>[0], workMs: number, waitMs: number]>([
    ['nothing', [], 0, 0],
    ['work', [barOf('work', 0, 5)], 5, 0],
    ['a wait for another phase', [barOf('work', 0, 5), barOf('waiting', 5, 9)], 5, 4],
    ['a task that waits in work', [barOf('work', 0, 9), barOf('person', 2, 5, 'ask')], 6, 3],
    ['two that overlap', [barOf('work', 0, 9), barOf('person', 2, 5, 'ask'), barOf('backoff', 4, 6, 'call')], 5, 4],
    ['a wait longer than the work', [barOf('work', 2, 4), barOf('person', 0, 9, 'ask')], 0, 2],
    ['a wait outside the work', [barOf('work', 0, 4), barOf('person', 5, 9, 'ask')], 4, 0],
  ])('of %s', (_, bars, workMs, waitMs) => {
    expect(workTimes(bars)).toEqual({ workMs, waitMs });
  });
});

// --- internal ---

function barOf(kind: 'work' | 'person' | 'waiting' | 'backoff', from: number, to: number, of?: string) {
  return { phase: 'a', kind, from, to, task: of };
}

/** A run whose only phase has worked for a minute, and waits for its reviewer since twelve hours. */
async function night() {
  const time = simulatedTime();
  const store = memoryStore();
  const work = task('work', {
    run: () => new Promise((resolve) => time.clock.setTimeout(() => resolve('text'), 60_000)),
  });
  const draft = phase('draft', { tasks: [work], review: { by: task('ada', { run: human({ question: 'Good?' }) }) } });
  const run = startRun(definePipeline({ name: 'p', phases: [draft] }), { store, clock: time.clock });
  await idle();
  await time.pass(60_000);
  await expect.poll(() => run.inbox().length).toBe(1);
  const records = await readRun(store, run.id);
  run.cancel();
  await run.result;
  return { records, end: 60_000 + 12 * HOUR };
}
