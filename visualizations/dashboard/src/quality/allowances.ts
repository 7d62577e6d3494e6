/**
 * The usage of a run's limits.
 *
 * @module
 */
import { dollars } from '../../../../src/projections/wording/amount-words.ts';
import type { LimitName } from '../../../../src/model/plan/policy-schema.ts';
import type { RunAtRecord } from '../data/run-history.ts';
import { amount, exactDuration } from '../parts/words.ts';

/** The usage of one limit. */
export interface Allowance {
  readonly limit: LimitName;
  readonly name: string;
  readonly used: number;
  /** `null` if there is no limit. */
  readonly max: number | null;
  /** The phase or pair with the highest usage, for a limit of each phase or pair. */
  readonly of: string | null;
  readonly standing: 'nearly spent' | 'spent' | 'lifted' | null;
  /** Formats an amount. */
  readonly text: (value: number) => string;
}

/** Lists totals of the run, and the limits that it has for phases and pairs. @param lifted Limits that people have lifted. */
export function allowancesOf(
  { plan, snapshot, sentBack }: Pick<RunAtRecord, 'plan' | 'snapshot' | 'sentBack'>,
  lifted: ReadonlySet<LimitName>,
): readonly Allowance[] {
  const { metrics, phases } = snapshot;
  const limits = plan?.limits ?? {};
  const [phase, attempts] = mostOf(Object.entries(phases).map(([name, one]) => [name, one.attempts]));
  const [pair, times] = mostOf(sentBack.map(({ from, to, times: often }) => [`${from} → ${to}`, often]));
  const rows: readonly Used[] = [
    { limit: 'costUsd', name: 'Cost', used: metrics.costUsd, text: dollars },
    { limit: 'tokens', name: 'Tokens', used: metrics.tokens, text: (value) => amount(Math.round(value)) },
    { limit: 'corrections', name: 'Corrections', used: metrics.corrections, text: amount },
    { limit: 'durationMs', name: 'Working time', used: metrics.durationMs, text: exactDuration },
    { limit: 'deadlineMs', name: 'Total time', used: metrics.elapsedMs, text: exactDuration },
    { limit: 'attemptsPerPhase', name: 'Attempts of one phase', used: attempts, of: phase, text: amount },
    { limit: 'perPair', name: 'Times one phase sent back one other', used: times, of: pair, text: amount },
  ];
  return rows.flatMap(({ of = null, ...row }) => {
    const max = limits[row.limit] ?? null;
    const isTotal = row.limit !== 'attemptsPerPhase' && row.limit !== 'perPair';
    const standing = lifted.has(row.limit) ? 'lifted' : standingOf(row.used, max);
    return isTotal || max !== null ? [{ ...row, max, of, standing }] : [];
  });
}

// --- internal ---

type Used = Pick<Allowance, 'limit' | 'name' | 'used' | 'text'> & { readonly of?: string | null };

/** The share from which a limit counts as nearly spent. */
const NEARLY = 0.9;

function standingOf(used: number, max: number | null): Allowance['standing'] {
  if (max === null || used < max * NEARLY || (used === 0 && max === 0)) return null;
  return used >= max ? 'spent' : 'nearly spent';
}

/** The first entry with the highest value. */
function mostOf(all: readonly (readonly [name: string, value: number])[]): readonly [string | null, number] {
  let most: readonly [string | null, number] = [null, 0];
  for (const one of all) if (one[1] > most[1]) most = one;
  return most;
}
