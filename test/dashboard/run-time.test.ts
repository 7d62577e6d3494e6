import { describe, expect, it } from 'vitest';
import { createTimeAxis } from '../../src/projections/timeline/time-axis.ts';
import { foldTimeline } from '../../src/projections/timeline/timeline.ts';
import { decisionFrom, playedFrom } from '../../visualizations/dashboard/src/run/moments.ts';
import {
  isSeen,
  moved,
  showing,
  ticksOf,
  tickText,
  xOf,
  zoomed,
} from '../../visualizations/dashboard/src/run/timeline/time-scale.ts';
import { barFrom, barWords, keyOf, rowsOf } from '../../visualizations/dashboard/src/run/timeline/timeline-rows.ts';
import { eventfulRun } from './eventful.ts';

const DAY = 86_400_000;

describe('decisionFrom()', () => {
  it('finds the decision before and after a record, among the chosen ones', async () => {
    const records = await eventfulRun();
    const decisions = records.flatMap(({ seq, event }) => (event.type === 'review.decided' ? [seq] : []));
    const count = records.length;
    const found: number[] = [];
    for (let seq: number | null = 0; seq !== null; seq = decisionFrom(records, seq, { step: 1, count }))
      if (seq > 0) found.push(seq);
    expect(found).toEqual(decisions);
    const [first = 0, second = 0] = decisions;
    expect(decisionFrom(records, second, { step: -1, count })).toBe(first);
    expect(decisionFrom(records, first, { step: -1, count })).toBeNull();
    expect(decisionFrom(records, first, { step: 1, count: second - 1 })).toBeNull();
  });
});

describe('playedFrom()', () => {
  it('advances by at least one record, and ends at the last', () => {
    expect([playedFrom(1, 10), playedFrom(10, 10), playedFrom(0, 20_000), playedFrom(19_990, 20_000)]).toEqual([
      2, 10, 80, 20_000,
    ]);
  });
});

describe('spans of time', () => {
  const whole = { from: 1000, to: 2000 };

  it('zoom around a point, and never beyond the whole', () => {
    expect(zoomed(whole, whole, { by: 2 })).toEqual({ from: 1250, to: 1750 });
    expect(zoomed(whole, whole, { by: 2, at: 0 })).toEqual({ from: 1000, to: 1500 });
    expect(zoomed({ from: 1000, to: 1500 }, whole, { by: 0.5 })).toEqual(whole);
    expect(zoomed({ from: 1900, to: 2000 }, whole, { by: 0.5, at: 1 })).toEqual({ from: 1800, to: 2000 });
    expect(zoomed(whole, whole, { by: 1e9 })).toEqual({ from: 1497.5, to: 1502.5 });
  });

  it('move by a share of their length, and stop at the ends', () => {
    expect(moved({ from: 1200, to: 1400 }, whole, 0.5)).toEqual({ from: 1300, to: 1500 });
    expect(moved({ from: 1200, to: 1400 }, whole, -9)).toEqual({ from: 1000, to: 1200 });
    expect(moved({ from: 1200, to: 1400 }, whole, 9)).toEqual({ from: 1800, to: 2000 });
  });

  it('move until a point is visible, and not at all if it is', () => {
    const span = { from: 1200, to: 1400 };
    expect(showing(span, whole, { from: 1390, to: 1900 })).toBe(span);
    expect(showing(span, whole, { from: 1100, to: 1150 })).toEqual({ from: 1080, to: 1280 });
    expect(showing(span, whole, { from: 1700, to: 1720 })).toEqual({ from: 1520, to: 1720 });
  });

  it('have ticks at round distances, far enough apart to be legible', () => {
    const axis = createTimeAxis({ from: 1000, to: 2000 }, []);
    const marks = (from: number, to: number) =>
      ticksOf({ axis, span: { from, to }, width: 400 }, 1000, 80).map(({ since }) => since);
    expect(marks(0, 1000)).toEqual([0, 200, 400, 600, 800, 1000]);
    expect(marks(450, 650)).toEqual([450, 500, 550, 600, 650]);
    const days = { axis: createTimeAxis({ from: 0, to: 90 * DAY }, []), span: { from: 0, to: 90 * DAY }, width: 400 };
    expect(ticksOf(days, 0, 80).map(({ since }) => since / DAY)).toEqual([0, 18, 36, 54, 72, 90]);
    expect([0, 50, 1500, 90_000, 3_600_000, 5_025_000, 200 * 3_600_000].map((since) => tickText(since))).toEqual([
      '0 ms',
      '50 ms',
      '1.5 s',
      '1:30',
      '1:00:00',
      '1:23:45',
      '8 d 8 h',
    ]);
  });
});

describe('a scale with a cut', () => {
  // 8 s of work, a night, 8 s of work: the night is as long as 2 s.
  const night = 12 * 3_600_000;
  const end = 1000 + 8000 + night + 8000;
  const axis = createTimeAxis({ from: 1000, to: end }, [
    { from: 1000, to: 9000 },
    { from: 9000 + night, to: end },
  ]);
  const scale = { axis, span: { from: 0, to: 18_000 }, width: 1800 };

  it('keeps times in order, and shows nothing inside the cut', () => {
    expect([1000, 9000, 9000 + night / 2, 9000 + night, end].map((time) => xOf(time, scale))).toEqual([
      0, 800, 900, 1000, 1800,
    ]);
    expect(isSeen({ from: 1000, to: 2000 }, { ...scale, span: { from: 8000, to: 9000 } })).toBe(false);
    expect(isSeen({ from: 9000, to: 9500 }, { ...scale, span: { from: 8000, to: 9000 } })).toBe(true);
  });

  it('has ticks only outside the cut, as far apart as elsewhere', () => {
    expect(ticksOf(scale, 1000, 200).map(({ time, text }) => [text, xOf(time, scale)])).toEqual([
      ['0 ms', 0],
      ['2 s', 200],
      ['4 s', 400],
      ['6 s', 600],
      ['8 s', 800],
      ['12:00:08', 1000],
      ['12:00:10', 1200],
      ['12:00:12', 1400],
      ['12:00:14', 1600],
      ['12:00:16', 1800],
    ]);
    // Three seconds of work are shorter than the distance of ticks. One tick still marks the end of the night.
    const short = createTimeAxis({ from: 0, to: night + 7000 }, [
      { from: 0, to: 3700 },
      { from: night + 3700, to: night + 7000 },
    ]);
    const few = { axis: short, span: { from: 0, to: short.length }, width: 180 };
    expect(ticksOf(few, 0, 84).map(({ text }) => text)).toEqual(['0 ms', '12:00:04']);
    const fine = { axis: short, span: { from: 5000, to: 5500 }, width: 400 };
    expect(ticksOf(fine, 0, 84).map(({ text }) => text)).toEqual(['12:00:04.200', '12:00:04.400', '12:00:04.600']);
    const within = { ...scale, span: { from: 8500, to: 9500 } };
    expect(ticksOf(within, 1000, 80)).toEqual([]);
  });
});

describe('rows of a timeline', () => {
  it('have the bars of each phase, which keys move through', async () => {
    const fold = foldTimeline();
    for (const record of await eventfulRun()) fold.apply(record);
    const rows = rowsOf(fold.timeline());
    expect(rows.map(({ phase }) => phase).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    const a = rows.findIndex(({ phase }) => phase === 'a');
    const bars = rows[a]?.bars ?? [];
    expect(bars.filter(({ kind }) => kind === 'work').map(({ attempt, generation }) => [generation, attempt])).toEqual([
      [0, 0],
      [0, 1],
      [1, 2],
    ]);
    expect(new Set(rows.flatMap((row) => row.bars.map(keyOf))).size).toBe(rows.flatMap((row) => row.bars).length);
    expect(barFrom(rows, { row: a, bar: 0 }, 'ArrowRight')).toEqual({ row: a, bar: 1 });
    expect(barFrom(rows, { row: a, bar: 1 }, 'ArrowLeft')).toEqual({ row: a, bar: 0 });
    expect(barFrom(rows, { row: a, bar: 0 }, 'ArrowLeft')).toBeNull();
    expect(barFrom(rows, { row: 0, bar: 0 }, 'ArrowUp')).toBeNull();
    expect(barFrom(rows, { row: 0, bar: 0 }, 'ArrowDown')?.row).toBe(1);
    expect(barFrom(rows, { row: 0, bar: 0 }, 'End')).toEqual({ row: rows.length - 1, bar: 0 });
    expect(barFrom(rows, { row: 0, bar: 0 }, 'Enter')).toBeNull();
  });

  it('describe a bar', () => {
    const bar = {
      phase: 'a',
      kind: 'review',
      generation: 1,
      attempt: 1,
      number: 2,
      from: 1000,
      to: 3500,
      seq: 7,
      outcome: 'retry',
    } as const;
    expect(barWords(bar, 9999)).toBe('a, review, attempt 2, generation 2, 2.5 s, sent back for rework');
    const open = {
      phase: 'a\u202E',
      kind: 'person',
      generation: 0,
      attempt: 0,
      number: 1,
      task: 'ask',
      from: 1000,
      to: null,
      seq: 8,
    } as const;
    expect(barWords(open, 4000)).toBe('a⟨U+202E⟩, ask waits for a person, attempt 1, 3.0 s, ongoing');
  });
});
