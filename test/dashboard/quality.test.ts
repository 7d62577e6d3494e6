/** Costs and defects in the dashboard, from real runs. */
import { describe, expect, it } from 'vitest';
import { measuresOf } from '../../src/quality.ts';
import { requestChanges } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { foldRun } from '../../src/projections/run/run-view.ts';
import { createRunHistory, type RunAtRecord } from '../../visualizations/dashboard/src/data/run-history.ts';
import { allowancesOf } from '../../visualizations/dashboard/src/quality/allowances.ts';
import { attemptsOf } from '../../visualizations/dashboard/src/quality/attempts.ts';
import { matrixOf } from '../../visualizations/dashboard/src/quality/containment.ts';
import { cutTo } from '../../visualizations/dashboard/src/quality/cut-to.ts';
import { ratioText, share } from '../../src/projections/wording/figures.ts';
import { count, effortText, measureThatSays } from '../../visualizations/dashboard/src/quality/figures.ts';
import { fake, play, type PlayOptions } from '../rig.ts';

const NOTHING = new Set<never>();

/**
 * Plays a run. `draft` is sent back once by its own gate, and twice by `check`, for issues of `plan` and of `draft`.
 */
async function corrected(options: PlayOptions = {}): Promise<readonly RunRecord[]> {
  const issue = (id: string, affectedPhase: string) => ({
    id,
    affectedPhase,
    category: 'facts',
    severity: 'high' as const,
    description: `${id} is wrong`,
  });
  const spend = ({ report }: { readonly report: (what: object) => void }) => {
    report({ costUsd: 0.1, tokens: 100 });
    return 'text';
  };
  const { records } = await play(
    [
      fake('plan', { outputs: Array.from({ length: 9 }, () => spend) }),
      fake('draft', {
        after: ['plan'],
        outputs: Array.from({ length: 9 }, () => spend),
        verdicts: ['RETRY: shorter', 'APPROVE'],
      }),
      fake('check', {
        after: ['draft'],
        rewindTo: 'ancestors',
        verdicts: [requestChanges([issue('a', 'plan')]), requestChanges([issue('b', 'draft')]), 'APPROVE'],
      }),
    ],
    options,
  );
  return records;
}

function momentOf(records: readonly RunRecord[]): RunAtRecord {
  return createRunHistory().at(records, records.length);
}

function toldOf(records: readonly RunRecord[], lifted: Parameters<typeof allowancesOf>[1] = NOTHING) {
  return allowancesOf(momentOf(records), lifted).map(({ name, used, max, of, standing, text }) =>
    [name, text(used), max === null ? null : text(max), of, standing].join(' | '),
  );
}

describe('allowancesOf()', () => {
  it('has totals without limits, and lists only limits that are set', async () => {
    expect(toldOf(await corrected())).toEqual([
      'Cost | $0.60 |  |  | ',
      'Tokens | 600 |  |  | ',
      'Corrections | 3 |  |  | ',
      'Working time | 0.0 s |  |  | ',
      'Total time | 0.0 s |  |  | ',
    ]);
  });

  it('marks limits as nearly spent, spent or lifted, with the phase or the pair', async () => {
    const records = await corrected({
      limits: { corrections: 3, attemptsPerPhase: 8, perPair: 2, costUsd: 0.65, tokens: 10_000 },
    });
    expect(toldOf(records)).toEqual([
      'Cost | $0.60 | $0.65 |  | nearly spent',
      'Tokens | 600 | 10\u202F000 |  | ',
      'Corrections | 3 | 3 |  | spent',
      'Working time | 0.0 s |  |  | ',
      'Total time | 0.0 s |  |  | ',
      'Attempts of one phase | 4 | 8 | draft | ',
      'Times one phase sent back one other | 1 | 2 | check → plan | ',
    ]);
    expect(toldOf(records, new Set(['corrections' as const]))[2]).toBe('Corrections | 3 | 3 |  | lifted');
  });

  it('treats a limit of 0 as spent only after usage', () => {
    const moment = momentOf([]);
    const plan = { limits: { corrections: 0 } } as unknown as RunAtRecord['plan'];
    expect(allowancesOf({ ...moment, plan }, NOTHING).map(({ standing }) => standing)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('attemptsOf()', () => {
  it('counts the attempts of phases, and leaves out those that have not started', async () => {
    const records = await corrected();
    expect(attemptsOf(momentOf(records).snapshot)).toEqual([
      { attempts: 2, phases: ['plan'] },
      { attempts: 3, phases: ['check'] },
      { attempts: 4, phases: ['draft'] },
    ]);
    const view = foldRun();
    for (const record of records.slice(0, 2)) view.apply(record);
    expect(attemptsOf(view.snapshot())).toEqual([{ attempts: 1, phases: ['plan'] }]);
  });
});

describe('matrixOf()', () => {
  it('has a column for each phase that removed defects, and one for the rest beyond the limit', async () => {
    const measures = measuresOf(await corrected());
    expect(matrixOf(measures, 12)).toEqual({
      removing: ['draft', 'check'],
      others: 0,
      rows: [
        { injected: 'plan', removed: [0, 1], elsewhere: 0, accepted: 0, open: 0, total: 1 },
        { injected: 'draft', removed: [1, 1], elsewhere: 0, accepted: 0, open: 0, total: 2 },
      ],
    });
    expect(matrixOf(measures, 1)).toEqual({
      removing: ['draft'],
      others: 1,
      rows: [
        { injected: 'plan', removed: [0], elsewhere: 1, accepted: 0, open: 0, total: 1 },
        { injected: 'draft', removed: [1], elsewhere: 1, accepted: 0, open: 0, total: 2 },
      ],
    });
  });
});

describe('cutTo()', () => {
  const rows = Array.from({ length: 6 }, (_, id) => ({ id, matters: id > 3 }));

  it('keeps the most important, and the order', () => {
    expect(cutTo(rows, 6)).toBe(rows);
    expect(cutTo(rows, 3).map(({ id }) => id)).toEqual([0, 4, 5]);
    expect(cutTo(rows, 1).map(({ id }) => id)).toEqual([4]);
  });
});

describe('figures', () => {
  it('distinguish zero from a small amount', () => {
    expect([share(null), share(0), share(42.34), ratioText(null), ratioText(0.4), count(0), count(1234)]).toEqual([
      '–',
      '0.0 %',
      '42.3 %',
      '–',
      '0.40',
      '–',
      '1\u202F234',
    ]);
    expect([
      effortText(0, 'ms'),
      effortText(1500, 'ms'),
      effortText(0.004, 'costUsd'),
      effortText(12.4, 'tokens'),
    ]).toEqual(['–', '1.5 s', '$0.004', '12']);
  });

  it('use the unit that fits', () => {
    expect(measureThatSays({ costUsd: 0, tokens: 0, ms: 0 })).toBe('costUsd');
    expect(measureThatSays({ costUsd: 0, tokens: 0, ms: 5 })).toBe('ms');
    expect(measureThatSays({ costUsd: 0, tokens: 5, ms: 5 })).toBe('tokens');
  });
});
