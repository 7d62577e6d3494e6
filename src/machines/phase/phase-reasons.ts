/**
 * Reasons for the end of a phase, or its wait for a person, as text.
 *
 * @module
 */
import { errorInfo, PhasegateError, type ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { changeRequestText } from '../../model/review/change-request.ts';
import { isBroken, isPermanent } from '../../model/review/verdict.ts';
import type { PhaseContext } from './phase-context.ts';
import { remainingFeedbackIn } from './phase-guards.ts';

/** Formats the verdict, with the demands of reviewers that are not in it. */
export function reasonOf(context: PhaseContext): string {
  if (context.held !== null) return context.held;
  const beside = [...remainingFeedbackIn(context).values()].flat().map(changeRequestText);
  return [verdictText(context), ...beside].filter((part) => part !== '').join('\n\n');
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
    const problem = `Cannot continue phase "${phase.name}" as it needs changes in "${verdict.phase}", which may not be sent back any more: ${verdict.feedback}`;
    return errorInfo(
      new PhasegateError('REWORK_IMPOSSIBLE', problem, { hint: 'Raise maxPredecessorRetries, or correct that phase.' }),
    );
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
