/**
 * Reports of a phase to its pipeline, made from its context.
 *
 * @module
 */
import { isAstray } from '../../model/decision/issue.ts';
import type { Approval, EventOf, PhaseReport } from '../../model/events/event.ts';
import { backoffMs } from '../../model/plan/backoff.ts';
import { isDemand } from '../../model/review/verdict.ts';
import type { EscalationCause, PhaseContext } from './phase-context.ts';
import { correctionOf, gateOf, hasInvalidTarget, isUnanswered, loopOf, ridersOf } from './phase-guards.ts';
import { endError, reasonOf, rejectionReason } from './phase-reasons.ts';

export function startedReport(context: PhaseContext): EventOf<'phase.started'> {
  const { attempt, revision } = context;
  const { phase, generation } = context.origin;
  const { name } = phase;
  const type = 'phase.started';
  return revision ? { type, phase: name, generation, attempt, revision } : { type, phase: name, generation, attempt };
}

/** Returns the reports of a review that begins, with a report of unchanged outputs before it. */
export function reviewReports(context: PhaseContext): readonly PhaseReport[] {
  const asked = context.review.errors + 1;
  const unchanged = asked === 1 ? unchangedReport(context) : undefined;
  const report: EventOf<'review.started'> = {
    type: 'review.started',
    phase: context.origin.phase.name,
    generation: context.origin.generation,
    attempt: context.attempt,
    asked,
  };
  return unchanged ? [unchanged, report] : [report];
}

function decidedReport(context: PhaseContext): EventOf<'review.decided'> {
  const { verdicts, by, checked, failedChecks, who, edited } = context.review;
  const decided: EventOf<'review.decided'> = {
    type: 'review.decided',
    phase: context.origin.phase.name,
    generation: context.origin.generation,
    attempt: context.attempt,
    verdict: verdictOf(context),
    verdicts,
    by,
  };
  const report = edited ? { ...decided, edited } : decided;
  if (by === 'person') return who === undefined ? report : { ...report, who };
  if (failedChecks && by === 'gate') return { ...report, failedChecks };
  const hasPassed = checked && by === 'gate' && (gateOf(context)?.checks.length ?? 0) > 0;
  return hasPassed ? { ...report, checked } : report;
}

export function retryingReport(context: PhaseContext): EventOf<'phase.retrying'> {
  const {
    retries: spent,
    review: { by },
  } = context;
  return {
    type: 'phase.retrying',
    phase: context.origin.phase.name,
    generation: context.origin.generation,
    attempt: context.attempt,
    correction: correctionOf(context),
    by,
    spent,
  };
}

export function rewindingReport(context: PhaseContext): EventOf<'phase.rewinding'> {
  const { by, verdict } = context.review;
  const target = verdict?.type === 'retryPredecessor' ? verdict.phase : '';
  const riders = ridersOf(context);
  const report: EventOf<'phase.rewinding'> = {
    type: 'phase.rewinding',
    phase: context.origin.phase.name,
    generation: context.origin.generation,
    attempt: context.attempt,
    target,
    correction: correctionOf(context),
    by,
    spent: context.memory.rewinds[target] ?? 0,
  };
  return riders.length > 0 ? { ...report, riders } : report;
}

/** Returns the reports of a verdict: the decision, and a loop or a warning. */
export function judgementReports(context: PhaseContext): readonly PhaseReport[] {
  const { verdict } = context.review;
  const decided = decidedReport(context);
  if (verdict === null || !isDemand(verdict)) return [decided];
  return [decided, ...[loopReport(context), astrayWarning(context)].filter((fact) => fact !== undefined)];
}

/** Returns the report of the loop that the verdict would continue; `undefined` if there is none. */
function loopReport(context: PhaseContext): EventOf<'loop.detected'> | undefined {
  const loop = loopOf(context);
  return loop && { type: 'loop.detected', ...at(context), ...loop };
}

/** Returns a warning if issues name a phase that cannot be sent back; else `undefined`. */
function astrayWarning(context: PhaseContext): EventOf<'phase.warned'> | undefined {
  const { verdict, by } = context.review;
  if (by !== 'gate' || verdict === null || !isDemand(verdict) || !verdict.issues) return undefined;
  const gate = gateOf(context);
  const own = context.origin.phase.name;
  const names = verdict.issues.flatMap((one) =>
    isAstray(one, own, gate?.targets ?? []) ? (one.affectedPhase ?? []) : [],
  );
  if (names.length === 0 || gate?.onInvalidTarget === 'escalate') return undefined;
  const quoted = [...new Set(names)].map((name) => `"${name}"`).join(', ');
  const message = `Issues of ${quoted} are left to "${own}", which may not send that back`;
  return { type: 'phase.warned', ...at(context), code: 'ISSUE_ASTRAY', message };
}

export function escalatedReport(context: PhaseContext): EventOf<'phase.escalated'> {
  return {
    type: 'phase.escalated',
    phase: context.origin.phase.name,
    generation: context.origin.generation,
    attempt: context.attempt,
    because: causeOf(context),
    reason: reasonOf(context),
  };
}

export function approvedReport(context: PhaseContext): Approval {
  const { outputs, best } = context;
  const because = approvalCause(context);
  const accepted =
    because === 'exhausted' && gateOf(context)?.onExhausted === 'acceptBest' && best ? best.outputs : outputs;
  return {
    type: 'phase.approved',
    phase: context.origin.phase.name,
    generation: context.origin.generation,
    attempt: context.attempt,
    because,
    outputs: accepted ?? {},
  };
}

export function rejectedReport(context: PhaseContext): EventOf<'phase.rejected'> {
  return {
    type: 'phase.rejected',
    phase: context.origin.phase.name,
    generation: context.origin.generation,
    attempt: context.attempt,
    reason: rejectionReason(context),
  };
}

export function failedReport(context: PhaseContext): EventOf<'phase.failed'> {
  return {
    type: 'phase.failed',
    phase: context.origin.phase.name,
    generation: context.origin.generation,
    attempt: context.attempt,
    error: context.error ?? endError(context),
  };
}

/** Returns the reports of an approval: a warning, if any, before it. */
export function approvalReports(context: PhaseContext): readonly PhaseReport[] {
  const warning = context.review.verdict === null ? unchangedReport(context) : approvalWarning(context);
  return warning ? [warning, approvedReport(context)] : [approvedReport(context)];
}

/** Returns the milliseconds before an unavailable review is asked again. Its error may ask for a longer wait, up to the maximum. */
export function reviewDelay(context: PhaseContext): number {
  const { errors, verdict } = context.review;
  const leastMs = verdict?.type === 'unavailable' ? verdict.error.retryAfterMs : undefined;
  const { origin, attempt } = context;
  const who = [origin.run, origin.phase.name, origin.generation, attempt, 'gate'];
  return errors === 0 ? 0 : backoffMs(gateOf(context)?.reviewBackoff ?? {}, errors, who, leastMs);
}

// --- internal ---

/** Returns the warning of an approval that no reviewer gave; `undefined` for a plain one. */
function approvalWarning(context: PhaseContext): EventOf<'phase.warned'> | undefined {
  const message = WARNINGS[approvalCause(context)]?.(context);
  return message === undefined
    ? undefined
    : { type: 'phase.warned', ...at(context), code: CODES[approvalCause(context)] ?? 'WARNING', message };
}

/** Formats the warning of a gate that approves with open issues. */
function acceptedText({ review: { by, accepted = [] } }: PhaseContext): string | undefined {
  if (by !== 'gate' || accepted.length === 0) return undefined;
  return `Approved with issues that are open: ${accepted.join(', ')}`;
}

const CODES: Partial<Record<Approval['because'], string>> = {
  approved: 'ISSUES_ACCEPTED',
  exhausted: 'EXHAUSTED',
  unrecognised: 'UNRECOGNISED',
  invalidTarget: 'INVALID_TARGET',
};

const WARNINGS: Partial<Record<Approval['because'], (context: PhaseContext) => string | undefined>> = {
  approved: acceptedText,
  exhausted: (context) => `Approved without its reviewer's consent, as ${rejectionReason(context)}`,
  unrecognised: () => "Approved as no verdict was recognised in the reviewer's answer",
  invalidTarget: (context) =>
    `Approved as the reviewer sent back a phase that it may not send back: ${reasonOf(context)}`,
};

function at({ origin, attempt }: PhaseContext) {
  return { phase: origin.phase.name, generation: origin.generation, attempt };
}

/** Returns the report of an attempt with the outputs that were sent back; `undefined` for any other. */
function unchangedReport(context: PhaseContext): EventOf<'attempt.unchanged'> | undefined {
  const times = context.background.unchanged?.[context.origin.phase.name] ?? 0;
  return times === 0 ? undefined : { type: 'attempt.unchanged', ...at(context), times };
}

function verdictOf({ review: { verdict } }: PhaseContext): EventOf<'review.decided'>['verdict'] {
  return verdict ?? { type: 'approve' };
}

function approvalCause(context: PhaseContext): Approval['because'] {
  const { verdict } = context.review;
  if (verdict === null) return 'unreviewed';
  if (verdict.type === 'approve') return 'approved';
  if (verdict.type === 'unrecognised') return 'unrecognised';
  return hasInvalidTarget(context) ? 'invalidTarget' : 'exhausted';
}

function causeOf(context: PhaseContext): EscalationCause {
  if (context.held !== null) return 'limit';
  if (isUnanswered(context)) return 'reviewUnavailable';
  if (context.review.verdict?.type === 'escalate') return 'requested';
  if (hasInvalidTarget(context)) return 'invalidTarget';
  return loopOf(context) ? 'loop' : 'exhausted';
}
