/**
 * The verdict of a gate from its checks and reviewers (rules 6 to 8).
 *
 * @module
 */
import { isForgiven } from './baseline.ts';
import { completed } from './findings.ts';
import { askSoon } from './inbox.ts';
import { routed } from './issues.ts';
import { spend } from './limits.ts';
import { shown } from './line.ts';
import type { Bid } from './charge.ts';
import { ask, giveBack, look, stopSiblings } from './reservations.ts';
import {
  callOf,
  type Call,
  type CheckAct,
  type Edits,
  type GateSpec,
  type Remarks,
  type ReviewAct,
  type ReviewerSpec,
} from './scenario.ts';
import { allowedTargets, asAllowed, rank } from './targets.ts';
import { at, later, nextCall, say, type Phase, type World } from './world.ts';

/** The verdict of a gate, a task or a person on an attempt. */
export type Verdict =
  | (Remarks & { readonly type: 'approve'; readonly score?: number | undefined; readonly edited?: Edits | undefined })
  | (Remarks & { readonly type: 'reject' | 'escalate' })
  | { readonly type: 'unrecognised' | 'inconclusive' }
  | {
      readonly type: 'unavailable';
      readonly lasts?: boolean;
      readonly waits?: number;
      /** The error code if code has made an invalid decision, or none. */
      readonly broken?: 'DECISION_INVALID' | 'DECISION_TARGET_INVALID';
    }
  | Demanding;

/** A verdict that demands a change. */
export type Demanding =
  | (Remarks & {
      readonly type: 'retry';
      readonly feedback: string;
      readonly score?: number | undefined;
      /** Names of the failed checks. */
      readonly checks?: readonly string[];
    })
  | (Remarks & {
      readonly type: 'retryPredecessor';
      readonly phase: string;
      readonly feedback: string;
      readonly score?: number | undefined;
    });

/** Answers by reviewer, without missing ones. */
export type Answers = ReadonlyMap<string, Verdict>;

/** Requests a review: first of the checks and all reviewers, then only of those whose answers are missing. */
export function askReview(
  world: World,
  phase: Phase,
  gate: GateSpec,
  known: Answers,
  isFirst: boolean,
  end: (verdict: Verdict, answers: Answers) => void,
): void {
  const failed: { readonly name: string; readonly says: string }[] = [];
  const check = (index: number): void => {
    const spec = gate.checks[index];
    if (!spec) {
      if (failed.length > 0) {
        const feedback = failed.map(({ name, says }) => `Check "${name}" failed: ${says}`).join('\n\n');
        return end({ type: 'retry', feedback, checks: failed.map(({ name }) => name) }, known);
      }
      return askReviewers(world, phase, gate, known, end);
    }
    const { nth, delay } = nextCall(world, `${phase.name}!${spec.name}`);
    const act = callOf<CheckAct>(spec.calls, nth, { do: 'pass' });
    later(world, phase, act.delay ?? delay, () => {
      if (act.do === 'fail' && !isForgiven(world, phase, spec.name)) failed.push({ name: spec.name, says: act.says });
      check(index + 1);
    });
  };
  check(isFirst ? 0 : gate.checks.length);
}

/** True if the review has to be repeated. */
export function isMissing(gate: GateSpec, verdict: Verdict): boolean {
  if (verdict.type === 'unrecognised') return gate.onUnrecognised !== 'approve';
  return verdict.type === 'unavailable' || verdict.type === 'inconclusive';
}

/** True if the error is final. */
export function isLost(verdict: Verdict): boolean {
  return verdict.type === 'unavailable' && verdict.lasts === true;
}

/** Returns the error code of the phase if an answer cannot be used at all. */
export function brokenBy(verdict: Verdict): 'DECISION_INVALID' | 'DECISION_TARGET_INVALID' | undefined {
  return verdict.type === 'unavailable' ? verdict.broken : undefined;
}

/** Returns the wait that a failed reviewer asks for, in virtual milliseconds. */
export function waitOf(verdict: Verdict): number {
  return verdict.type === 'unavailable' ? (verdict.waits ?? 0) : 0;
}

// --- internal ---

function askReviewers(
  world: World,
  phase: Phase,
  gate: GateSpec,
  known: Answers,
  end: (verdict: Verdict, answers: Answers) => void,
): void {
  const heard = new Map(known);
  const asked = gate.reviewers.filter(({ name }) => !known.has(name));
  if (asked.length === 0) return end({ type: 'approve' }, known);
  let open = asked.length;
  let people = asked.filter((one) => one.asked).length;
  let over = false;
  /** Records that only people are left to answer. A gate with people alone does not record it, as the items tell. */
  const wait = () => {
    if (people === 0 || people < open || people === gate.reviewers.length || world.ended !== undefined) return;
    say(world, 'review.waiting', phase.name, at(phase));
  };
  const hear = (name: string, verdict: Verdict, byPerson = false): void => {
    const whole = completed(phase, name, verdict);
    heard.set(name, byPerson ? whole : believed(whole));
    open--;
    if (byPerson) people--;
    over = open === 0 || brokenBy(verdict) !== undefined;
    if (!over) return byPerson ? undefined : wait();
    if (open > 0) stopSiblings(world, phase);
    if (world.ended !== undefined) return;
    const all = gate.reviewers.flatMap((one) => [...heard].filter(([who]) => who === one.name));
    const answers = new Map(all.filter(([, one]) => !isMissing(gate, one) || isLost(one)));
    end(combine(world, phase, gate, heard), answers);
  };
  const begin = ({ name, asked: policy, calls }: ReviewerSpec, bid: Bid): void => {
    const { nth, delay } = nextCall(world, `${phase.name}?${name}`);
    const act: Call<ReviewAct> = callOf<ReviewAct>(calls, nth, { do: 'approve' });
    if (policy) {
      world.promised.delete(bid);
      // At the deadline they reject.
      const question = { phase, name, reviewer: true, policy, isVoid: () => over };
      return askSoon(world, question, act.delay ?? delay, {
        answered: () => hear(name, verdictOf(asAllowed(phase, gate, act)), true),
        overdue: () => hear(name, { type: 'reject' }, true),
      });
    }
    later(world, phase, act.delay ?? delay, () => {
      if (over) return;
      const own = phase.findings.filter((one) => one.reviewer === name);
      world.shown.push(shown(phase.name, name, own));
      if (act.tokens !== undefined && !spend(world, phase, name, true, act.tokens, bid)) return;
      giveBack(world, bid);
      if (world.ended !== undefined) return;
      hear(name, judged(phase, gate, act));
    });
  };
  wait();
  // Earlier requests are served before later ones.
  look(world);
  for (const one of asked) {
    ask(
      world,
      { phase, task: one.name, reviewer: true, most: one.estimate },
      () => over,
      (bid) => begin(one, bid),
    );
  }
}

/**
 * Returns the verdict of an answer at this gate. Code may name only permitted targets; text with another target is
 * asked for again.
 */
function judged(phase: Phase, gate: GateSpec, act: ReviewAct): Verdict {
  if (act.do !== 'rewind' || allowedTargets(phase, gate).has(act.phase)) return verdictOf(act);
  if (!act.words && gate.onInvalidTarget !== 'approve')
    return { type: 'unavailable', broken: 'DECISION_TARGET_INVALID' };
  const isAsked = (gate.onInvalidTarget ?? 'ask') === 'ask';
  return isAsked ? { type: 'unavailable' } : verdictOf(act);
}

function verdictOf(act: ReviewAct): Verdict {
  const { issues, priors } = 'issues' in act || 'priors' in act ? act : {};
  const remarks: Remarks = { ...(issues && { issues }), ...(priors && { priors }) };
  switch (act.do) {
    case 'approve':
      return { ...remarks, type: 'approve', score: act.score, edited: act.outputs };
    case 'retry':
      if ((act.confidence ?? 1) <= MIN_CONFIDENCE) return { type: 'inconclusive' };
      return { ...remarks, type: 'retry', feedback: act.feedback, score: act.score };
    case 'rewind':
      if ((act.confidence ?? 1) <= MIN_CONFIDENCE) return { type: 'inconclusive' };
      return { ...remarks, type: 'retryPredecessor', phase: act.phase, feedback: act.feedback };
    case 'reject':
    case 'escalate':
      return { ...remarks, type: act.do };
    case 'babble':
      return { type: 'unrecognised' };
    case 'malformed':
      return { type: 'unavailable', broken: 'DECISION_INVALID' };
    case 'throw':
      return { type: 'unavailable', lasts: act.lasts ?? false, waits: act.waits ?? 0 };
  }
}

/** Turns an approval with an issue worse than medium into an error. */
function believed(verdict: Verdict): Verdict {
  if (verdict.type !== 'approve') return verdict;
  const isSevere = (verdict.issues ?? []).some(({ severity }) => severity === 'critical' || severity === 'high');
  return isSevere ? { type: 'unavailable' } : verdict;
}

const MIN_CONFIDENCE = 0.6;

/** Combines several answers into one verdict (rule 7). */
function combine(world: World, phase: Phase, gate: GateSpec, heard: Answers): Verdict {
  const all = gate.reviewers.flatMap(({ name }) => heard.get(name) ?? []);
  const broken = all.find((one) => brokenBy(one) !== undefined);
  if (broken) return broken;
  const [only] = all;
  const demands = all.filter((one) => one.type === 'retryPredecessor' || one.type === 'retry');
  const allowed = allowedTargets(phase, gate);
  const isStrict = gate.onInvalidTarget === 'escalate';
  const hasIssues = demands.some((one) => (one.issues ?? []).length > 0);
  if (only && all.length === 1) return hasIssues ? routed(world, phase, demands, allowed, isStrict) : only;
  const quorum = gate.quorum ?? all.length;
  const approvals = all.filter((one) => one.type === 'approve').length;
  if (approvals >= quorum) return { type: 'approve' };
  // Text without a decision counts as an approval if it is not asked for again, but the verdict stays unrecognised.
  const babbled = all.filter((one) => one.type === 'unrecognised' && !isMissing(gate, one)).length;
  if (approvals + babbled >= quorum) return { type: 'unrecognised' };
  const missing = all.filter((one) => isMissing(gate, one));
  const lost = missing.filter(isLost);
  // A reviewer whose error is final may not be needed.
  if (lost[0] && approvals + babbled + missing.length - lost.length < quorum) return lost[0];
  const asking = missing.filter((one) => !isLost(one)).toSorted((a, b) => waitOf(b) - waitOf(a));
  if (asking[0]) return asking[0];
  for (const type of ['reject', 'escalate'] as const) if (all.some((one) => one.type === type)) return { type };
  if (hasIssues) return routed(world, phase, demands, allowed, isStrict);
  const rewinds = all.filter((one) => one.type === 'retryPredecessor');
  const retries = all.filter((one) => one.type === 'retry');
  // A forbidden target counts only if there is no other demand.
  if (retries.length > 0 && !rewinds.some((one) => allowed.has(one.phase)))
    return { type: 'retry', feedback: joined(retries) };
  const place = (name: string): number => (allowed.has(name) ? rank(world, name) : world.phases.length);
  const [first] = rewinds.toSorted((a, b) => place(a.phase) - place(b.phase));
  if (first) {
    const same = rewinds.filter((one) => one.phase === first.phase);
    return { ...first, feedback: joined(same) };
  }
  return { type: 'retry', feedback: joined(retries) };
}

function joined(demands: readonly { readonly feedback: string }[]): string {
  return demands.map((one) => one.feedback).join('\n\n');
}
