/**
 * The decision table, read from top to bottom (rules 8 to 10, 36 and 39).
 *
 * @module
 */
import { loopOf } from './findings.ts';
import { isAstray, shares, type Told } from './issues.ts';
import type { GateSpec } from './scenario.ts';
import { brokenBy, isLost, isMissing, type Demanding, type Verdict } from './review.ts';
import { allowedTargets, namesAbove, rank } from './targets.ts';
import type { Phase, World } from './world.ts';

export type DecidedBy = 'gate' | 'worker' | 'person';

/** The consequence of a verdict. */
export type Judgement =
  | { readonly to: 'askAgain' }
  | { readonly to: 'approved'; readonly because: 'approved' }
  | {
      readonly to: 'approved';
      readonly because: 'unrecognised' | 'exhausted' | 'invalidTarget';
      readonly warning: string;
    }
  | { readonly to: 'retrying'; readonly told: Told }
  | { readonly to: 'rewinding'; readonly told: Told; readonly riders: readonly Told[] }
  | { readonly to: 'rejected' }
  | {
      readonly to: 'escalated';
      readonly because: 'requested' | 'exhausted' | 'loop' | 'invalidTarget' | 'reviewUnavailable';
    }
  | { readonly to: 'failed'; readonly code: string };

/** Warnings about a demand, which precede its judgement. */
export interface Signs {
  /** True if one of its issues names a phase that may not be sent back. */
  readonly isAstray: boolean;
  readonly loop: ReturnType<typeof loopOf>;
}

/** Judges a verdict on a phase. @param asked The number of reviews of this attempt. */
export function judge(world: World, phase: Phase, verdict: Verdict, by: DecidedBy, asked: number): Judgement {
  const { gate } = phase;
  if (!gate) return { to: 'failed', code: 'REWORK_IMPOSSIBLE' };
  const code = brokenBy(verdict);
  if (code !== undefined) return { to: 'failed', code };
  if (isMissing(gate, verdict)) {
    if (!isLost(verdict) && asked - 1 < count(gate.maxReviewErrors, 3)) return { to: 'askAgain' };
    if (reachesPerson(world, gate)) return { to: 'escalated', because: 'reviewUnavailable' };
    return { to: 'failed', code: 'REVIEW_UNAVAILABLE' };
  }
  switch (verdict.type) {
    case 'approve':
      return { to: 'approved', because: 'approved' };
    case 'unrecognised':
      return { to: 'approved', because: 'unrecognised', warning: 'UNRECOGNISED' };
    case 'retry':
    case 'retryPredecessor':
      return judgeDemand(world, phase, gate, verdict, by);
    case 'reject':
      return { to: 'rejected' };
    case 'escalate':
      return { to: 'escalated', because: 'requested' };
    case 'unavailable':
    case 'inconclusive':
      throw new Error('a missing verdict was judged above');
  }
}

/** Returns the warnings about a verdict, in addition to its consequence. */
export function signsOf(world: World, phase: Phase, verdict: Verdict, by: DecidedBy): Signs {
  const { gate } = phase;
  if (!gate || (verdict.type !== 'retry' && verdict.type !== 'retryPredecessor')) {
    return { isAstray: false, loop: undefined };
  }
  const { target, stray } = destinationOf(world, phase, gate, verdict, by);
  return { isAstray: stray, loop: loopOf(phase, target, verdict, by) };
}

// --- internal ---

interface Destination {
  readonly target: string;
  readonly isAllowed: boolean;
  readonly told: Told;
  readonly riders: readonly Told[];
  /** True if one of its issues goes to the phase under review instead of the one it names. */
  readonly stray: boolean;
}

/** True if a person can be reached: in an attended run, or in a stored run with a queue (rule 8). */
function reachesPerson({ scenario, kept }: World, { inbox = scenario.inbox }: GateSpec): boolean {
  return scenario.attended || (kept && inbox?.queue !== undefined);
}

function judgeDemand(world: World, phase: Phase, gate: GateSpec, verdict: Demanding, by: DecidedBy): Judgement {
  const { target, isAllowed, told, riders } = destinationOf(world, phase, gate, verdict, by);
  const isFree = by === 'person';
  const loop = loopOf(phase, target, verdict, by);
  const isRetry = target === phase.name;
  const spent = isRetry ? phase.retries : (phase.spent.get(target) ?? 0);
  const isLeft = spent < count(isRetry ? gate.maxRetries : gate.maxPredecessorRetries, 2) && !loop;
  if (isAllowed && (isFree || isLeft)) {
    return isRetry ? { to: 'retrying', told } : { to: 'rewinding', told, riders };
  }
  if (by === 'worker') return { to: 'failed', code: 'REWORK_IMPOSSIBLE' };
  if (isAllowed) return exhausted(gate, loop !== undefined);
  if (gate.onInvalidTarget === 'escalate') return { to: 'escalated', because: 'invalidTarget' };
  return { to: 'approved', because: 'invalidTarget', warning: 'INVALID_TARGET' };
}

/** Returns the target of a demand, and the feedback for every phase. A person may send back every ancestor. */
function destinationOf(world: World, phase: Phase, gate: GateSpec, verdict: Demanding, by: DecidedBy): Destination {
  const targets = by === 'person' ? namesAbove(phase) : allowedTargets(phase, gate);
  const { issues = [] } = verdict;
  const target = verdict.type === 'retry' ? phase.name : verdict.phase;
  const all = shares(world, phase, issues, targets);
  const own = all.find((one) => one.phase === target);
  const others = leftOut(world, phase, gate, verdict, by, target);
  const besides = (name: string): readonly string[] =>
    others.flatMap((one) => (one.phase === name ? one.feedback : []));
  return {
    target,
    isAllowed: target === phase.name || targets.has(target),
    told: {
      phase: target,
      feedback: [verdict.feedback, ...besides(target), own?.feedback ?? ''].filter((one) => one !== '').join('\n\n'),
      issues: own?.issues ?? [],
    },
    riders: inOrder(world, phase, [...all, ...others]).flatMap((name) => {
      if (name === target) return [];
      const share = all.find((one) => one.phase === name);
      const alone = besides(name).join('\n\n');
      const feedback = [alone, share?.feedback ?? ''].filter((one) => one !== '').join('\n\n');
      return [{ phase: name, feedback, issues: share?.issues ?? [], ...(alone !== '' && { alone }) }];
    }),
    stray:
      by === 'gate' && gate.onInvalidTarget !== 'escalate' && issues.some((issue) => isAstray(phase, issue, targets)),
  };
}

/** Returns the feedback of demands that did not become the verdict, with their targets (rule 7). */
function leftOut(
  world: World,
  phase: Phase,
  gate: GateSpec,
  verdict: Demanding,
  by: DecidedBy,
  target: string,
): readonly { readonly phase: string; readonly feedback: string }[] {
  if (by === 'worker' || gate.reviewers.length === 1) return [];
  const allowed = allowedTargets(phase, gate);
  const said = gate.reviewers.flatMap(({ name }) => {
    const answer = phase.heard.get(name);
    return answer?.type === 'retry' || answer?.type === 'retryPredecessor' ? [answer] : [];
  });
  return said.flatMap((one) => {
    const named = one.type === 'retry' ? phase.name : one.phase;
    const isIn =
      by === 'person'
        ? verdict.feedback.split('\n\n').includes(one.feedback)
        : named === target || shares(world, phase, one.issues ?? [], allowed).some((share) => share.phase === target);
    if (isIn || one.feedback === '') return [];
    const mayGo = named === target || (by === 'gate' && verdict.type !== 'retry' && allowed.has(named));
    return [{ phase: mayGo ? named : phase.name, feedback: one.feedback }];
  });
}

/** Returns the names of phases with feedback: the earliest first, the one under review last. */
function inOrder(world: World, phase: Phase, told: readonly { readonly phase: string }[]): readonly string[] {
  const place = (name: string): number => (name === phase.name ? world.phases.length : rank(world, name));
  return [...new Set(told.map((one) => one.phase))].toSorted((a, b) => place(a) - place(b));
}

function count(value: number | 'unlimited' | undefined, fallback: number): number {
  return value === 'unlimited' ? Infinity : (value ?? fallback);
}

function exhausted(gate: GateSpec, isLoop: boolean): Judgement {
  switch (gate.onExhausted ?? 'reject') {
    case 'accept':
    case 'acceptBest':
      return { to: 'approved', because: 'exhausted', warning: 'EXHAUSTED' };
    case 'escalate':
      return { to: 'escalated', because: isLoop ? 'loop' : 'exhausted' };
    case 'reject':
      return { to: 'rejected' };
  }
}
