/**
 * Alerts about limits of a run that are spent, or nearly.
 *
 * @module
 */
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import { limitReason } from '../../model/events/limit-reason.ts';
import { foldRunTimes } from '../../model/events/run-times.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { LimitName, Limits } from '../../model/plan/policy-schema.ts';
import { spanText, type Alert } from './alert.ts';

/** A fold over the records of one run. */
export interface LimitAlerts {
  apply(record: RunRecord): void;
  /** @param workedUntil Milliseconds since 1970: the last time at which a process worked on the run. */
  alerts(now: number, workedUntil: number): readonly Alert[];
}

/** The used share from which a limit is nearly spent. */
export const NEARLY = 0.9;

/** Starts a fold before the first record. */
export function createLimitAlerts(): LimitAlerts {
  let plan: Plan | undefined;
  const times = foldRunTimes();
  let lastAt = 0;
  /** Usage of limits of the whole run, with the latest record that used some. */
  const used = new Map<LimitName, Used>();
  /** Usage of limits of one phase, and of one phase that sends back another. */
  const attempts = new Map<string, Used>();
  const pairs = new Map<string, Used>();
  const reached = new Map<string, Reached>();
  const lifted = new Set<LimitName>();

  function use(limit: 'costUsd' | 'tokens' | 'corrections', more: number, { seq, time }: RunRecord): void {
    if (more > 0) used.set(limit, { amount: (used.get(limit)?.amount ?? 0) + more, seq, time, about: null });
  }

  /** Removes alerts of limits that held a phase. */
  function free(phase: string): void {
    for (const [key, { event }] of reached) if (event.holds === phase) reached.delete(key);
  }

  return {
    apply(record) {
      const { seq, time, event } = record;
      times.apply(record);
      lastAt = time;
      switch (event.type) {
        case 'run.started':
          plan = event.plan;
          return;
        case 'run.resumed':
          plan = event.plan ?? plan;
          return;
        case 'task.reported':
          use('costUsd', event.costUsd ?? 0, record);
          use('tokens', event.tokens ?? 0, record);
          return;
        case 'phase.started': {
          const { amount } = attempts.get(event.phase) ?? { amount: 0 };
          attempts.set(event.phase, { amount: amount + 1, seq, time, about: event.phase });
          free(event.phase);
          return;
        }
        case 'phase.retrying':
          use('corrections', 1, record);
          return;
        case 'phase.rewinding':
          use('corrections', 1 + (event.riders?.length ?? 0), record);
          pairs.set(JSON.stringify([event.phase, event.target]), {
            amount: event.spent,
            seq,
            time,
            about: event.phase,
          });
          free(event.phase);
          return;
        case 'limit.reached':
          reached.set(`${event.limit} ${event.holds ?? ''}`, { seq, time, event });
          return;
        case 'limit.lifted':
          lifted.add(event.limit);
          for (const [key, one] of reached) if (one.event.limit === event.limit) reached.delete(key);
          return;
        case 'review.decided':
          if (event.by === 'person') free(event.phase);
          return;
        case 'phase.approved':
        case 'phase.rejected':
        case 'phase.failed':
        case 'phase.skipped':
        case 'phase.cancelled':
        case 'phase.invalidated':
          free(event.phase);
          return;
        case 'run.reopened':
          reached.clear();
          return;
        case 'run.ended':
        case 'run.suspended':
        case 'loop.detected':
        case 'attempt.unchanged':
        case 'phase.escalated':
        case 'phase.stale':
        case 'phase.warned':
        case 'phase.read':
        case 'phase.unaffected':
        case 'phase.reflected':
        case 'check.baselined':
        case 'review.started':
        case 'review.waiting':
        case 'task.started':
        case 'task.completed':
        case 'task.retrying':
        case 'task.failed':
        case 'task.asked':
        case 'task.answered':
        case 'task.dropped':
        case 'item.changed':
      }
    },
    alerts(now, workedUntil) {
      const limits = plan?.limits ?? {};
      const held = new Set([...reached.values()].map(({ event }) => event.limit));
      const near = (limit: LimitName, one: Used | undefined) =>
        one && !held.has(limit) && !lifted.has(limit) ? nearlySpent(limit, limits, one) : [];
      const workedAt = times.isWorking() ? workedUntil : lastAt;
      return [
        ...[...reached.values()].map(spent),
        ...[...used].flatMap(([limit, one]) => near(limit, one)),
        ...near('durationMs', timeUsed(times.at(workedUntil).durationMs, limits.durationMs, workedAt)),
        ...near('deadlineMs', timeUsed(times.at(now).elapsedMs, limits.deadlineMs, now)),
        ...near('attemptsPerPhase', mostUsed(attempts)),
        ...near('perPair', mostUsed(pairs)),
      ];
    },
  };
}

// --- internal ---

interface Used {
  readonly amount: number;
  readonly seq: number;
  readonly time: number;
  /** The phase, for a limit of one phase. */
  readonly about: string | null;
}

interface Reached {
  readonly seq: number;
  readonly time: number;
  readonly event: EventOf<'limit.reached'>;
}

function mostUsed(all: ReadonlyMap<string, Used>): Used | undefined {
  let most: Used | undefined;
  for (const one of all.values()) if (!most || one.amount > most.amount) most = one;
  return most;
}

/** Makes the usage of time, which needs no record. @param at Milliseconds since 1970, when this amount was used. */
function timeUsed(amount: number, max: number | undefined, at: number): Used {
  return { amount, seq: 1, time: at - Math.max(0, amount - (max ?? 0) * NEARLY), about: null };
}

function spent({ seq, time, event }: Reached): Alert {
  return {
    code: 'LIMIT_REACHED',
    severity: 'problem',
    phase: event.holds,
    seq,
    since: time,
    found: limitReason(event),
    advice: `${event.holds === null ? 'The run' : 'The phase'} is held until a person decides.`,
  };
}

function nearlySpent(limit: LimitName, limits: Limits, one: Used): readonly Alert[] {
  const max = limits[limit];
  // A limit of 0 forbids something, and needs no alert.
  if (max === undefined || max === 0 || one.amount / max < NEARLY) return [];
  const alert = {
    code: 'LIMIT_NEAR',
    severity: 'notice',
    phase: one.about,
    seq: one.seq,
    since: one.time,
    found: `${amountText(limit, Math.min(one.amount, max))} of ${amountText(limit, max)} are used of the limit ${limit}`,
    advice: 'The run stops, or asks a person, if it needs more.',
  } as const;
  return [alert];
}

function amountText(limit: LimitName, amount: number): string {
  if (limit === 'durationMs' || limit === 'deadlineMs') return spanText(amount);
  return limit === 'costUsd' ? `$${Number(amount.toFixed(4))}` : String(amount);
}
