/**
 * Reasons for the end of a phase, or its wait for a person, as text.
 *
 * @module
 */
import { errorInfo, PhasegateError, type ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { countOf } from '../../model/plan/policy.ts';
import { changeRequestText } from '../../model/review/change-request.ts';
import { isBroken, isDemand, isPermanent } from '../../model/review/verdict.ts';
import { nearest } from '../../model/values/nearest.ts';
import type { PhaseContext } from './phase-context.ts';
import { gateOf, loopOf, remainingFeedbackIn } from './phase-guards.ts';

/** Formats the verdict, with the demands of reviewers that are not in it. */
export function reasonOf(context: PhaseContext): string {
  if (context.held !== null) return context.held;
  const beside = [...remainingFeedbackIn(context).values()].flat().map(changeRequestText);
  return [verdictText(context), ...beside].filter((part) => part !== '').join('\n\n');
}

/** Formats the reason of a rejection: the demand of a gate has its budget before it, as the gate did not reject. */
export function rejectionReason(context: PhaseContext): string {
  const { verdict } = context.review;
  const spent = verdict && isDemand(verdict) ? exhaustionText(context) : '';
  return [spent, reasonOf(context)].filter((part) => part !== '').join(': ');
}

/** Returns the error of a phase that failed though its tasks did not. */
export function endError(context: PhaseContext): ErrorInfo {
  const { phase } = context.origin;
  const { errors, verdict, by } = context.review;
  if (isBroken(verdict)) return verdict.error;
  if (verdict?.type === 'approve') {
    const problem = `Cannot approve phase "${phase.name}" as its attempt has put out nothing`;
    const hint = 'Have it tried again, send back what it needs, or reject it.';
    return errorInfo(new PhasegateError('REWORK_IMPOSSIBLE', problem, { hint }));
  }
  if (by === 'worker' && verdict?.type === 'retryPredecessor') {
    const { why, hint } = refusalOf(context, verdict.phase);
    const problem = `Cannot continue phase "${phase.name}" as it needs changes in "${verdict.phase}", ${why}: ${verdict.feedback}`;
    return errorInfo(new PhasegateError('REWORK_IMPOSSIBLE', problem, { hint }));
  }
  const problem = `Cannot judge phase "${phase.name}" as its review was unavailable in ${errors === 0 ? 'one try' : `${errors + 1} tries`}: ${reasonOf(context)}`;
  const repair =
    verdict && isPermanent(verdict)
      ? 'Asking again cannot help: repair the reviewer'
      : 'Repair the reviewer, raise maxReviewErrors';
  const hint = `The work was not rejected. ${repair}, or run attended so that a person decides.`;
  return errorInfo(new PhasegateError('REVIEW_UNAVAILABLE', problem, { hint }));
}

// --- internal ---

/** Names the budget that does not allow the demand of a verdict, or its loop. */
function exhaustionText(context: PhaseContext): string {
  if (loopOf(context)) return 'it goes round in a loop';
  const gate = gateOf(context);
  const isRewind = context.review.verdict?.type === 'retryPredecessor';
  const most = countOf((isRewind ? gate?.maxPredecessorRetries : gate?.maxRetries) ?? 0);
  const of = isRewind ? ' of a predecessor' : '';
  if (most === 0) return `it has no retries${of}`;
  return most === 1 ? `its only retry${of} is spent` : `its ${most} retries${of} are spent`;
}

/** Explains why a task may not send back a phase. */
function refusalOf(context: PhaseContext, target: string): { readonly why: string; readonly hint: string } {
  const { name, gate } = context.origin.phase;
  if (!gate)
    return {
      why: 'and has no gate that may send it back',
      hint: `Give phase "${name}" a gate: its \`review\` sends phases back, also for a task.`,
    };
  if (gate.targets.includes(target))
    return { why: `but ${exhaustionText(context)}`, hint: 'Raise maxPredecessorRetries, or correct that phase.' };
  const meant = nearest(target, gate.targets);
  const may = gate.targets.map((one) => `"${one}"`).join(', ') || 'no phase';
  const advice =
    target === name
      ? 'To try its own task again, throw another error, and give that task a retry policy.'
      : 'Its option `rewindTo` allows other phases upstream.';
  return {
    why: 'which its gate may not send back',
    hint: `${meant === undefined || target === name ? '' : `Did you mean "${meant}"? `}The gate may send back ${may}. ${advice}`,
  };
}

function verdictText({ review: { verdict } }: PhaseContext): string {
  switch (verdict?.type) {
    case undefined:
    case 'approve':
      return '';
    case 'retry':
      return changeRequestText(verdict);
    case 'retryPredecessor':
      return `${verdict.phase}: ${changeRequestText(verdict)}`;
    case 'reject':
    case 'escalate':
      return verdict.reason;
    case 'unrecognised':
      return `no verdict in ${JSON.stringify(verdict.text.slice(0, 200))}`;
    case 'inconclusive':
      return `confidence of ${verdict.decision.confidence} is too low for "${verdict.decision.type}"`;
    case 'unavailable':
      return problemOf(verdict.error.message);
  }
}

/** Returns the problem of an error for use in another: its first line, and the indented lines below it. */
function problemOf(message: string): string {
  const lines = message.split('\n');
  const end = lines.findIndex((line, index) => index > 0 && !line.startsWith('  '));
  return lines.slice(0, end === -1 ? lines.length : end).join('\n');
}
