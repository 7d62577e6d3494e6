/**
 * Alerts about gates: loops, repeated demands, and spent budgets.
 *
 * @module
 */
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import type { GatePlan, Plan } from '../../model/plan/plan.ts';
import { countOf } from '../../model/plan/policy.ts';
import type { Correction } from '../../model/revision/revision.ts';
import { issueWords, loopText, type IssueWords } from '../run/loop-words.ts';
import type { Alert } from './alert.ts';

/** A fold over the records of one run. */
export interface GateAlerts {
  apply(record: RunRecord): void;
  alerts(): readonly Alert[];
}

/** Starts a fold before the first record. */
export function createGateAlerts(): GateAlerts {
  let plan: Plan | undefined;
  let gates: ReadonlyMap<string, GatePlan | null> = new Map();
  const loops = new Map<string, Seen<EventOf<'loop.detected'>>>();
  /** Descriptions of the issues of the latest review, by phase. */
  const issues = new Map<string, IssueWords>();
  const retries = new Map<string, Seen<EventOf<'phase.retrying'>>>();
  /** Rewinds by the phase that sends back, then by the one that is sent back. */
  const rewinds = new Map<string, Map<string, Seen<EventOf<'phase.rewinding'>>>>();
  const demands = new Map<string, Demands>();
  const accepted = new Map<string, Seen<EventOf<'phase.approved'>>>();
  const live = new Set<string>();
  const escalated = new Set<string>();

  function demand(phase: string, correction: Correction, record: RunRecord): void {
    const before: Demands = demands.get(phase) ?? { words: new Map(), latest: undefined };
    const words = wordingOf(correction);
    const times = (before.words.get(words) ?? 0) + 1;
    before.words.set(words, times);
    before.latest = { seq: record.seq, time: record.time, event: { correction, times } };
    demands.set(phase, before);
  }

  /** Clears the alerts of a phase: a decision or a new start is another chance. */
  function settle(phase: string): void {
    loops.delete(phase);
    escalated.delete(phase);
  }

  function finish(phase: string): void {
    settle(phase);
    live.delete(phase);
    retries.delete(phase);
    demands.delete(phase);
  }

  return {
    apply(record) {
      const { seq, time, event } = record;
      switch (event.type) {
        case 'run.started':
        case 'run.resumed':
          plan = event.plan ?? plan;
          gates = new Map(plan?.phases.map(({ name, gate }) => [name, gate]));
          return;
        case 'run.reopened':
          for (const phase of live) finish(phase);
          return;
        case 'phase.started':
          settle(event.phase);
          live.add(event.phase);
          accepted.delete(event.phase);
          // A fresh start has all retries again.
          if (event.attempt === 0) retries.delete(event.phase);
          return;
        case 'loop.detected':
          loops.set(event.phase, { seq, time, event });
          return;
        case 'phase.retrying':
          retries.set(event.phase, { seq, time, event });
          demand(event.phase, event.correction, record);
          return;
        case 'phase.rewinding': {
          const pairs = rewinds.get(event.phase) ?? new Map<string, Seen<EventOf<'phase.rewinding'>>>();
          pairs.set(event.target, { seq, time, event });
          rewinds.set(event.phase, pairs);
          demand(event.target, event.correction, record);
          for (const rider of event.riders ?? []) demand(rider.phase, rider.correction, record);
          return;
        }
        case 'phase.escalated':
          escalated.add(event.phase);
          return;
        case 'review.decided':
          if (event.by === 'person') settle(event.phase);
          else if (event.by === 'gate') issues.set(event.phase, issueWords(event));
          return;
        case 'phase.approved':
          finish(event.phase);
          if (event.because === 'exhausted') accepted.set(event.phase, { seq, time, event });
          return;
        case 'phase.rejected':
        case 'phase.failed':
        case 'phase.skipped':
        case 'phase.cancelled':
        case 'phase.invalidated':
          finish(event.phase);
          return;
        case 'run.ended':
        case 'attempt.unchanged':
        case 'run.suspended':
        case 'phase.stale':
        case 'phase.warned':
        case 'phase.read':
        case 'phase.unaffected':
        case 'phase.reflected':
        case 'check.baselined':
        case 'review.started':
        case 'review.waiting':
        case 'task.started':
        case 'task.reported':
        case 'task.completed':
        case 'task.retrying':
        case 'task.failed':
        case 'task.asked':
        case 'task.answered':
        case 'task.dropped':
        case 'limit.reached':
        case 'limit.lifted':
        case 'item.changed':
      }
    },
    alerts() {
      const found: Alert[] = [];
      for (const seen of loops.values()) found.push(looping(seen, issues.get(seen.event.phase)));
      for (const [phase, { latest }] of demands)
        if (latest && latest.event.times > 1 && !loops.has(phase)) found.push(repeating(phase, latest));
      for (const phase of live) {
        const gate = gates.get(phase);
        if (!gate) continue;
        const isAsked = escalated.has(phase);
        const retry = retries.get(phase);
        if (retry && isSpent(retry.event.spent, gate.maxRetries)) found.push(retriesSpent(retry, gate, isAsked));
        for (const rewind of rewinds.get(phase)?.values() ?? [])
          if (isSpent(rewind.event.spent, gate.maxPredecessorRetries)) found.push(rewindsSpent(rewind, gate, isAsked));
      }
      for (const seen of accepted.values()) found.push(acceptedUnapproved(seen));
      return found;
    },
  };
}

// --- internal ---

interface Seen<E> {
  readonly seq: number;
  readonly time: number;
  readonly event: E;
}

/** Demands to a phase since its latest approval. */
interface Demands {
  /** Number of demands, by their words. */
  readonly words: Map<string, number>;
  latest: Seen<{ readonly correction: Correction; readonly times: number }> | undefined;
}

function isSpent(spent: number, max: GatePlan['maxRetries']): boolean {
  return countOf(max) > 0 && spent >= countOf(max);
}

/** Normalises the words of a demand. */
function wordingOf({ requiredChange, feedback }: Correction): string {
  return (requiredChange ?? feedback).toLowerCase().replaceAll(/\s+/gu, ' ').trim();
}

function alertOf(seen: Seen<unknown>, rest: Omit<Alert, 'seq' | 'since'>): Alert {
  return { ...rest, seq: seen.seq, since: seen.time };
}

function looping(seen: Seen<EventOf<'loop.detected'>>, words: IssueWords | undefined): Alert {
  return alertOf(seen, {
    code: 'LOOPING',
    severity: 'problem',
    phase: seen.event.phase,
    found: `It goes round in a loop: ${loopText(seen.event, words)}`,
    advice: 'Describe the change in other words, send back the phase that made the defect, or decide.',
  });
}

function repeating(phase: string, seen: NonNullable<Demands['latest']>): Alert {
  const { correction, times } = seen.event;
  return alertOf(seen, {
    code: 'REPEATING',
    severity: 'notice',
    phase,
    found: `${correction.from} has asked for the same change ${times} times: ${correction.requiredChange ?? correction.feedback}`,
    advice: 'See if its tasks read the revision, and how their outputs differ from one attempt to the next.',
  });
}

function retriesSpent(seen: Seen<EventOf<'phase.retrying'>>, gate: GatePlan, isAsked: boolean): Alert {
  const { phase, spent } = seen.event;
  return alertOf(seen, {
    code: 'RETRIES_SPENT',
    severity: isAsked ? 'problem' : 'notice',
    phase,
    found: `The gate has used ${spent} of ${countOf(gate.maxRetries)} retries`,
    advice: afterwards(gate, isAsked),
  });
}

function rewindsSpent(seen: Seen<EventOf<'phase.rewinding'>>, gate: GatePlan, isAsked: boolean): Alert {
  const { phase, target, spent } = seen.event;
  return alertOf(seen, {
    code: 'REWINDS_SPENT',
    severity: isAsked ? 'problem' : 'notice',
    phase,
    found: `It has used ${spent} of ${countOf(gate.maxPredecessorRetries)} rewinds of ${target}`,
    advice: afterwards(gate, isAsked),
  });
}

function afterwards({ onExhausted }: GatePlan, isAsked: boolean): string {
  if (isAsked) return 'A person is asked.';
  switch (onExhausted) {
    case 'accept':
      return 'If it is not approved now, the last attempt is accepted all the same.';
    case 'acceptBest':
      return 'If it is not approved now, the attempt with the best score is accepted all the same.';
    case 'escalate':
      return 'If it is not approved now, a person is asked.';
    case 'reject':
      return 'If it is not approved now, it is rejected.';
  }
}

function acceptedUnapproved(seen: Seen<EventOf<'phase.approved'>>): Alert {
  return alertOf(seen, {
    code: 'ACCEPTED_UNAPPROVED',
    severity: 'notice',
    phase: seen.event.phase,
    found: 'It was accepted although changes were demanded, as its budget is spent',
    advice: "Phases that need it build on it. Use onExhausted: 'escalate' to have a person look first.",
  });
}
