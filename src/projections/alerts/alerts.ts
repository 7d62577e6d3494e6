/**
 * The fold from the records of a run to its current alerts: loops, spent budgets, silent work.
 *
 * Records do not show if the process that worked on the run is gone. Other code checks that.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import type { Alert } from './alert.ts';
import { createGateTroubles } from './gate-alerts.ts';
import { createLimitTroubles } from './limit-alerts.ts';
import { createSilence } from './silence-alerts.ts';

/** A fold over the records of one run. */
export interface TroublesFold {
  apply(record: RunRecord): void;
  /**
   * Returns the alerts, the worst first; none once the run has ended.
   *
   * @param now Milliseconds since 1970, by the clock of the records.
   * @param workedUntil The last time at which a process worked on the run, by the same clock. @default now
   */
  troubles(now: number, workedUntil?: number): readonly Alert[];
}

/** Starts a fold before the first record. A record takes constant time. */
export function foldTroubles(): TroublesFold {
  const gates = createGateTroubles();
  const limits = createLimitTroubles();
  const silence = createSilence();
  let hasEnded = false;
  return {
    apply(record) {
      const { event } = record;
      if (event.type === 'run.ended') hasEnded = true;
      if (event.type === 'run.reopened') hasEnded = false;
      gates.apply(record);
      limits.apply(record);
      silence.apply(record);
    },
    troubles(now, workedUntil = now) {
      if (hasEnded) return NOTHING;
      const all = [...gates.troubles(), ...limits.troubles(now, workedUntil), ...silence.troubles(now)];
      return all.toSorted((one, other) => RANK[one.severity] - RANK[other.severity] || one.seq - other.seq);
    },
  };
}

// --- internal ---

const NOTHING: readonly Alert[] = Object.freeze([]);

const RANK: Readonly<Record<Alert['severity'], number>> = { problem: 0, notice: 1 };
