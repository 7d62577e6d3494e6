/**
 * The fold from the records of a run to its current alerts: loops, spent budgets, silent work.
 *
 * Records do not show if the process that worked on the run is gone. Other code checks that.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import type { Alert } from './alert.ts';
import { createGateAlerts } from './gate-alerts.ts';
import { createLimitAlerts } from './limit-alerts.ts';
import { createSilenceAlerts } from './silence-alerts.ts';

/** A fold over the records of one run. */
export interface AlertsFold {
  apply(record: RunRecord): void;
  /**
   * Returns the alerts, the worst first; none once the run has ended.
   *
   * @param now Milliseconds since 1970, by the clock of the records.
   * @param workedUntil The last time at which a process worked on the run, by the same clock. @default now
   */
  alerts(now: number, workedUntil?: number): readonly Alert[];
}

/** Starts a fold before the first record. A record takes constant time. */
export function foldAlerts(): AlertsFold {
  const gates = createGateAlerts();
  const limits = createLimitAlerts();
  const silence = createSilenceAlerts();
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
    alerts(now, workedUntil = now) {
      if (hasEnded) return NOTHING;
      const all = [...gates.alerts(), ...limits.alerts(now, workedUntil), ...silence.alerts(now)];
      return all.toSorted((one, other) => RANK[one.severity] - RANK[other.severity] || one.seq - other.seq);
    },
  };
}

// --- internal ---

const NOTHING: readonly Alert[] = Object.freeze([]);

const RANK: Readonly<Record<Alert['severity'], number>> = { problem: 0, notice: 1 };
