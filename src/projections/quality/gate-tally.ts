/**
 * Counts of the judgements of gates and their reviewers: a fold over records.
 *
 * @module
 */
import type { EventOf, RunRecord, Verdict } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { decisionIn, isMissing } from '../../model/review/verdict.ts';

/** A decision of one reviewer, by the number of its record. */
export interface Judged {
  readonly seq: number;
  readonly type: Verdict['type'];
  readonly confidence: number | null;
  /** The agreement of a person who later decided on the same attempt; `none` if no person did. */
  person: 'none' | 'alike' | 'otherwise';
}

/** Counts of one gate. */
export interface GateTally {
  /** Starts of the phase that were judged, and those that the first judgement approved. */
  starts: number;
  passed: number;
  /** Judgements, without those by people, and reviews without an answer. */
  reviews: number;
  unanswered: number;
  /** Decisions by reviewer. */
  readonly judged: Map<string, Judged[]>;
  /** True if the current start has been judged. */
  isJudged: boolean;
  /** The decisions on the current attempt. */
  latest: readonly Judged[];
}

/** The fold. */
export interface TallyFold {
  apply(record: RunRecord): void;
  /** Tallies by phase; only gates that have judged. */
  readonly gates: ReadonlyMap<string, GateTally>;
}

/** Starts a fold before the first record. */
export function foldTallies(): TallyFold {
  const gates = new Map<string, GateTally>();
  const retried = new Set<string>();
  const asks = new Set<string>();
  return {
    gates,
    apply({ seq, event }) {
      if ((event.type === 'run.started' || event.type === 'run.resumed') && event.plan) noteGates(event.plan, asks);
      else if (event.type === 'phase.retrying') retried.add(event.phase);
      else if (event.type === 'phase.started') {
        const tally = gates.get(event.phase);
        if (tally) tally.latest = [];
        if (tally && !retried.has(event.phase)) tally.isJudged = false;
        retried.delete(event.phase);
      } else if (event.type === 'phase.invalidated') retried.delete(event.phase);
      else if (event.type === 'review.decided') {
        const tally = gates.get(event.phase) ?? emptyTally();
        gates.set(event.phase, tally);
        if (event.by === 'gate') count(tally, event, seq, asks.has(event.phase));
        else if (event.by === 'person') overrule(tally, event);
      }
    },
  };
}

// --- internal ---

function noteGates({ phases }: Plan, asks: Set<string>): void {
  for (const { name, gate } of phases) {
    if (gate?.onUnrecognised === 'ask') asks.add(name);
    else asks.delete(name);
  }
}

function emptyTally(): GateTally {
  return { starts: 0, passed: 0, reviews: 0, unanswered: 0, judged: new Map(), isJudged: false, latest: [] };
}

function count(tally: GateTally, event: EventOf<'review.decided'>, seq: number, asks: boolean): void {
  const { verdict, verdicts } = event;
  if (isMissing(verdict, asks ? 'ask' : 'approve')) {
    tally.unanswered += 1;
    return;
  }
  tally.reviews += 1;
  if (!tally.isJudged) {
    tally.isJudged = true;
    tally.starts += 1;
    if (verdict.type === 'approve' || verdict.type === 'unrecognised') tally.passed += 1;
  }
  tally.latest = Object.entries(verdicts).flatMap(([reviewer, one]) => {
    const decision = decisionIn(one);
    if (!decision) return [];
    const { type, confidence = null } = decision;
    const judged: Judged = { seq, type, confidence, person: 'none' };
    const all = tally.judged.get(reviewer);
    if (all) all.push(judged);
    else tally.judged.set(reviewer, [judged]);
    return judged;
  });
}

/** Compares a person's decision with the reviewers'. An escalation takes no side, and edited outputs are not those that were judged. */
function overrule(tally: GateTally, { verdict, edited }: EventOf<'review.decided'>): void {
  if (verdict.type === 'escalate' || edited) return;
  for (const judged of tally.latest) {
    if (judged.type === 'escalate') continue;
    judged.person = (judged.type === 'approve') === (verdict.type === 'approve') ? 'alike' : 'otherwise';
  }
}
