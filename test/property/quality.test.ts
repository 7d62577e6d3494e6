/** Defects and measures of random runs, compared with an independent count of their records. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { defectsOf, foldQuality, measuresOf } from '../../src/projections/quality/quality.ts';
import type { Defect } from '../../src/projections/quality/defect.ts';
import type { Measures } from '../../src/projections/quality/measures.ts';
import type { RunRecord } from '../../src/records.ts';
import { drive } from './drive.ts';
import { prove } from './prove.ts';
import { scenarios } from './scenarios.ts';

beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('measures of random runs', () => {
  it('add up, and agree with a count of their records', async () => {
    await prove(scenarios({}), { seed: 11, runs: 40 }, async (scenario) => {
      const { records } = await drive(scenario);
      return wrongOf(records, defectsOf(records), measuresOf(records));
    });
  }, 600_000);

  it('add up at every cut of the records, and after every number of earlier queries', async () => {
    await prove(scenarios({ maxPhases: 5 }), { seed: 12, runs: 8 }, async (scenario) => {
      const { records } = await drive(scenario);
      const fold = foldQuality();
      for (const [at, record] of records.entries()) {
        fold.apply(record);
        const known = records.slice(0, at + 1);
        const wrong = wrongOf(known, fold.defects(), fold.measures());
        if (wrong !== null) return `after ${at + 1} records: ${wrong}`;
      }
      expect(fold.measures()).toEqual(measuresOf(records));
      return null;
    });
  }, 600_000);
});

/** Returns a description of the first problem; null if there is none. */
function wrongOf(records: readonly RunRecord[], defects: readonly Defect[], measures: Measures): string | null {
  try {
    standings(defects, measures);
    yields(measures);
    rework(records, defects, measures);
    gates(records, measures);
    expect(JSON.parse(JSON.stringify({ defects, measures }))).toEqual({ defects, measures });
    return null;
  } catch (error) {
    return String(error);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Asserts that every injected defect was removed, was accepted, or is still open. */
function standings(defects: readonly Defect[], { containment, defects: counts }: Measures): void {
  expect(sum(Object.values(counts))).toBe(defects.length);
  expect(defects.map(({ number }) => number)).toEqual(defects.map((_, at) => at + 1));
  for (const { disposition, removed, fix, found, detected, attribution, injected } of defects) {
    expect(removed !== null).toBe(disposition === 'fixed');
    if (fix) expect(removed).not.toBeNull();
    expect(found[0]).toEqual(detected);
    expect(attribution.at(-1)?.phase).toBe(injected);
  }
  expect(sum(containment.map(({ removed }) => sum(Object.values(removed))))).toBe(counts.fixed);
  expect(sum(containment.map(({ accepted }) => accepted))).toBe(counts.accepted);
  expect(sum(containment.map(({ open }) => open))).toBe(counts.open);
}

function yields({ phases, defects }: Measures): void {
  expect(sum(phases.map(({ injected }) => injected))).toBe(defects.fixed + defects.accepted + defects.open);
  expect(sum(phases.map(({ removed }) => removed ?? 0))).toBe(defects.fixed);
  for (const one of phases) {
    expect(one.entry).toBeGreaterThanOrEqual(0);
    for (const share of [one.yield, one.processYield, one.containment]) {
      if (share === null) continue;
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(100);
    }
  }
}

/**
 * Asserts that the parts add up. Without a retry of the run, a phase that works again does so only after a
 * correction.
 */
function rework(records: readonly RunRecord[], defects: readonly Defect[], { effort }: Measures): void {
  const started = new Map<string, number>();
  const tokens = { work: 0, appraisal: 0, rework: 0 };
  for (const { event } of records) {
    if (event.type === 'phase.started') started.set(event.phase, (started.get(event.phase) ?? 0) + 1);
    if (event.type !== 'task.reported') continue;
    const kind = event.reviewer ? 'appraisal' : (started.get(event.phase) ?? 0) > 1 ? 'rework' : 'work';
    tokens[kind] += event.tokens ?? 0;
  }
  for (const kind of ['work', 'appraisal', 'rework'] as const) expect(effort[kind].tokens).toBe(tokens[kind]);
  expect(sum(defects.map((one) => one.rework.tokens))).toBeCloseTo(tokens.rework, 6);
  // Virtual time reaches billions of milliseconds, and a third of it is rounded.
  expect(sum(defects.map((one) => one.rework.ms))).toBeCloseTo(effort.rework.ms, 3);
  for (const [phase, count] of started) {
    const most = Math.max(0, ...defects.map(({ attempts }) => attempts[phase] ?? 0));
    expect(most).toBeLessThanOrEqual(count - 1);
    if (count > 1) expect(most).toBeGreaterThan(0);
  }
  const corrections = records.flatMap(({ event, seq }) =>
    event.type === 'phase.retrying' || event.type === 'phase.rewinding' ? seq : [],
  );
  const told = new Set(defects.flatMap((one) => one.corrections));
  expect([...told].toSorted((a, b) => a - b)).toEqual(corrections);
}

function gates(records: readonly RunRecord[], measures: Measures): void {
  for (const { phase, reviews, unanswered, starts, passed, firstPassYield } of measures.gates) {
    const judged = records.filter(
      ({ event }) => event.type === 'review.decided' && event.phase === phase && event.by === 'gate',
    );
    expect(reviews + unanswered).toBe(judged.length);
    expect(passed).toBeLessThanOrEqual(starts);
    expect(starts).toBeLessThanOrEqual(reviews);
    expect(firstPassYield === null).toBe(starts === 0);
  }
}
