/** Yields, compared with the worked table of W. S. Humphrey, "The Personal Software Process", CMU/SEI-2000-TR-022. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percent, yieldsOf, ratio, type PhaseCounts } from '../src/projections/quality/yields.ts';

/** Returns phases in a chain. */
function line(...rows: readonly (readonly [phase: string, injected: number, removed: number | null])[]): PhaseCounts[] {
  return rows.map(([phase, injected, removed], at) => ({
    phase,
    after: rows.slice(Math.max(0, at - 1), at).map(([name]) => name),
    injected,
    removed,
  }));
}

const HUMPHREY = line(
  ['design', 26, null],
  ['design review', 0, 11],
  ['code', 39, null],
  ['code review', 0, 28],
  ['compile', 0, 12],
  ['unit test', 0, 7],
  ['after', 0, 7],
);

const rounded = (value: number | null | undefined) => (typeof value === 'number' ? value.toFixed(1) : value);

describe('yields', () => {
  it('are those of the published table', () => {
    expect(yieldsOf(HUMPHREY).map((one) => [one.phase, one.entry, rounded(one.yield)])).toEqual([
      ['design', 0, null],
      ['design review', 26, '42.3'],
      ['code', 15, null],
      ['code review', 54, '51.9'],
      ['compile', 26, '46.2'],
      ['unit test', 14, '50.0'],
      ['after', 7, '100.0'],
    ]);
    expect(rounded(yieldsOf(HUMPHREY)[4]?.processYield)).toBe('60.0');
  });

  it('are null if there was nothing to remove, never NaN and never 0', () => {
    const [first, second] = yieldsOf(line(['a', 0, 0], ['b', 0, 0]));
    expect([first?.yield, first?.processYield, second?.yield, second?.processYield]).toEqual([null, null, null, null]);
    expect(yieldsOf(line(['a', 0, 0], ['b', 2, 0]))[1]).toMatchObject({ yield: 0, processYield: null });
    expect([percent(0, 0), percent(1, 4), ratio(3, 0), ratio(3, 2)]).toEqual([null, 25, null, 1.5]);
  });

  it('of a phase count its ancestors, and not its neighbours', () => {
    //  a ──▶ b
    //    └─▶ c
    const counts: PhaseCounts[] = [
      { phase: 'a', after: [], injected: 4, removed: 1 },
      { phase: 'b', after: ['a'], injected: 5, removed: 2 },
      { phase: 'c', after: ['a'], injected: 0, removed: 3 },
    ];
    expect(yieldsOf(counts)).toMatchObject([
      { entry: 0, yield: 25 },
      { entry: 3, yield: 25 },
      { entry: 3, yield: 100, processYield: 25 },
    ]);
  });

  it('include escaped defects: entry + injected − removed is the next entry', () => {
    const rows = fc.array(fc.tuple(fc.nat(50), fc.option(fc.nat(50))), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(rows, (drawn) => {
        const all = yieldsOf(line(...drawn.map(([injected, removed], at) => [`p${at}`, injected, removed] as const)));
        for (const [at, one] of all.entries()) {
          const next = all[at + 1];
          if (next) expect(next.entry).toBe(one.entry + one.injected - (one.removed ?? 0));
          for (const value of [one.yield, one.processYield]) expect(value).not.toBeNaN();
        }
      }),
    );
  });
});
