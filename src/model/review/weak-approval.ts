/**
 * Approvals that contradict themselves, or are too weak to open a gate.
 *
 * @module
 */
import { SEVERITIES } from '../decision/severity.ts';
import { errorInfo, PhasegateError } from '../errors/phasegate-error.ts';
import type { Verdict } from '../events/event.ts';
import type { ApprovalPolicy } from '../plan/approval-policy.ts';

/**
 * Returns the verdict; if it is an approval that the gate does not accept, a verdict that is asked for again.
 *
 * @param approval Absent in plans of runs from before this option: there every approval opens the gate.
 */
export function withoutWeakApproval(verdict: Verdict, approval: ApprovalPolicy | undefined, reviewer: string): Verdict {
  const found = verdict.type === 'approve' && approval ? weaknessOf(verdict, approval) : undefined;
  return found === undefined ? verdict : { type: 'unavailable', error: errorInfo(unsound(reviewer, found)) };
}

// --- internal ---

type Approval = Extract<Verdict, { readonly type: 'approve' }>;

function weaknessOf(
  { confidence, score, issues = [] }: Approval,
  { minConfidence = 0, minScore, maxSeverity = 'medium' }: ApprovalPolicy,
): string | undefined {
  if (confidence !== undefined && confidence <= minConfidence)
    return `its confidence is ${confidence}, not over ${minConfidence}`;
  if (score !== undefined && minScore !== undefined && score < minScore)
    return `its score is ${score}, under ${minScore}`;
  const severe = issues.find(({ severity }) => SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(maxSeverity));
  return severe && `it has an open issue of severity ${severe.severity}: ${severe.description}`;
}

function unsound(reviewer: string, found: string): PhasegateError {
  return new PhasegateError('APPROVAL_UNSOUND', `Cannot open the gate by the approval of "${reviewer}" as ${found}`, {
    hint: 'The gate asks again by itself (`maxReviewErrors`). Its option `approval` says which approvals open it.',
  });
}
