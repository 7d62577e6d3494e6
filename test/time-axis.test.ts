/** The axis of timelines: ordered and invertible, without unnecessarily long waits. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTimeAxis, type Stretch } from '../src/projections/timeline/time-axis.ts';

const stretches = fc.array(
  fc
    .tuple(fc.integer({ min: -50, max: 1_000_000 }), fc.integer({ min: 0, max: 5000 }))
    .map(([from, lasts]): Stretch => ({ from, to: from + lasts })),
  { maxLength: 12 },
);
const within = { from: 1000, to: 900_000 };

describe('createTimeAxis()', () => {
  it('keeps times in order, and is invertible', () => {
    fc.assert(
      fc.property(stretches, fc.array(fc.integer({ min: 0, max: 1_000_000 })), (busy, times) => {
        const axis = createTimeAxis(within, busy);
        const places = times.toSorted((a, b) => a - b).map((time) => axis.placeOf(time));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        for (const time of times) expect(axis.timeAt(axis.placeOf(time))).toBeCloseTo(time, 3);
        expect([axis.placeOf(within.from), axis.placeOf(within.to)]).toEqual([0, axis.length]);
      }),
    );
  });

  it('draws working time to scale, and limits the rest to a share of it', () => {
    fc.assert(
      fc.property(stretches, (busy) => {
        const axis = createTimeAxis(within, busy);
        const lengthOf = ({ from, to }: Stretch) => axis.placeOf(to) - axis.placeOf(from);
        const clipped = busy
          .map(({ from, to }) => ({ from: Math.max(from, within.from), to: Math.min(to, within.to) }))
          .filter(({ from, to }) => from < to);
        for (const one of clipped) expect(lengthOf(one)).toBeCloseTo(one.to - one.from, 3);
        // The working intervals are checked between any two times at which they may change.
        const times = [within.from, within.to, ...clipped.flatMap(({ from, to }) => [from, to])].toSorted(
          (a, b) => a - b,
        );
        const pieces = times.slice(1).map((to, at) => ({ from: times[at] ?? 0, to }));
        const isBusy = (piece: Stretch) => clipped.some(({ from, to }) => from <= piece.from && piece.to <= to);
        const atWork = pieces.filter(isBusy).reduce((sum, { from, to }) => sum + (to - from), 0);
        const idle = pieces.filter((piece) => piece.from < piece.to && !isBusy(piece));
        const most = atWork === 0 ? Infinity : atWork / 8;
        for (const one of idle) expect(lengthOf(one)).toBeCloseTo(Math.min(one.to - one.from, most), 3);
        expect(axis.cuts).toEqual(idle.filter(({ from, to }) => to - from > most));
      }),
    );
  });

  it('has no cut if nothing was running, and has zero length for an empty span', () => {
    const axis = createTimeAxis(within, []);
    expect([axis.length, axis.cuts]).toEqual([899_000, []]);
    const none = createTimeAxis({ from: 5, to: 5 }, []);
    expect([none.length, none.placeOf(5), none.timeAt(0)]).toEqual([0, 0, 5]);
  });
});
