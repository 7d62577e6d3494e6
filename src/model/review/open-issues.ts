/**
 * Findings: the open issues of a gate, from one review to the next.
 *
 * @module
 */
import type { Decision } from '../decision/decision.ts';
import type { Issue, PriorFinding } from '../decision/issue-schema.ts';
import { issueId, withIds } from '../decision/issue.ts';
import type { EventOf, Verdict } from '../events/event.ts';
import { decisionIn } from './verdict.ts';

/** An issue that was found and is not known to be corrected. JSON. */
export interface ReviewFinding {
  /** The id of the issue. */
  readonly id: string;
  /** The reviewer that found it. */
  readonly reviewer: string;
  /** The latest report of it; one for each phase that has to correct it. */
  readonly issues: readonly Issue[];
  /** Reviews in a row that have found it open, since any finding was closed or a person decided. */
  readonly open: number;
}

/** The status with which a finding leaves the open list. */
export type Closing = Exclude<PriorFinding['status'], 'open'> | 'accepted';

/** The findings after a review. */
export interface Findings {
  readonly open: readonly ReviewFinding[];
  readonly closed: readonly { readonly finding: ReviewFinding; readonly as: Closing }[];
}

/** The decision of a gate or of a person. */
export type Judgement = Pick<EventOf<'review.decided'>, 'verdict' | 'verdicts' | 'by'>;

/**
 * Completes a reviewer's decision: its issues get ids, and earlier findings that it reports as open are added.
 *
 * @param findings Those of this reviewer.
 */
export function completed(decision: Decision, findings: readonly ReviewFinding[]): Decision {
  const { issues = [], priorFindings = [] } = decision;
  const still = findings.filter(({ id }) => priorFindings.some((one) => one.id === id && one.status === 'open'));
  if (issues.length === 0 && still.length === 0) return decision;
  const found = withIds(issues);
  const again = still.filter(({ id }) => !found.some((issue) => issue.id === id));
  return { ...decision, issues: [...found, ...again.flatMap((one) => one.issues)] };
}

/** Updates the findings after a judgement. A failed review changes none. */
export function findingsAfter(before: readonly ReviewFinding[], { verdict, verdicts, by }: Judgement): Findings {
  const isQuiet = before.length === 0 && !Object.values(verdicts).some((one) => decisionIn(one)?.issues);
  if (isQuiet || !decisionIn(verdict) || by === 'worker') return { open: before, closed: [] };
  if (by === 'person') return afterPerson(before, verdict);
  const closed: { finding: ReviewFinding; as: Closing }[] = [];
  const open: ReviewFinding[] = [];
  for (const finding of before) {
    const decision = decisionIn(verdicts[finding.reviewer]);
    const as = decision && statusAfter(finding, decision);
    if (!decision) open.push(finding);
    else if (as === 'open') open.push({ ...finding, issues: reported(finding, decision), open: finding.open + 1 });
    else if (as) closed.push({ finding, as });
  }
  for (const [reviewer, one] of Object.entries(verdicts)) open.push(...fresh(before, reviewer, one));
  const kept = closed.length === 0 ? open : recounted(open, 1);
  if (verdict.type !== 'approve') return { open: kept, closed };
  return { open: [], closed: [...closed, ...kept.map((finding) => ({ finding, as: 'accepted' as const }))] };
}

/**
 * Returns the findings that go round in a loop: found open so often in a row, while nothing was corrected.
 *
 * @param demanded Issues of the demand that is judged; findings that it does not repeat are no loop.
 * @param most Number of reviews that makes a loop.
 */
export function stalled(
  findings: readonly ReviewFinding[],
  demanded: readonly Issue[],
  most: number,
): readonly ReviewFinding[] {
  return findings.filter(({ id, open }) => open >= most && demanded.some((issue) => issueId(issue) === id));
}

/** Restarts the counts of the findings. @param open 1 if they were just found, 0 if the next review has to look for them again. */
export function recounted(findings: readonly ReviewFinding[], open: 0 | 1): readonly ReviewFinding[] {
  return findings.map((finding) => ({ ...finding, open }));
}

// --- internal ---

/** Returns the new status of a reviewer's earlier finding after its next decision. */
function statusAfter({ id }: ReviewFinding, { type, issues = [], priorFindings }: Decision): Closing | 'open' {
  if (issues.some((issue) => issueId(issue) === id)) return 'open';
  const status = priorFindings?.find((one) => one.id === id)?.status;
  if (status !== undefined) return status;
  // A decision that ends the phase, or that lists other findings only, leaves this one open.
  const isSilent = type === 'reject' || type === 'escalate' || (priorFindings !== undefined && type !== 'approve');
  return isSilent ? 'open' : 'fixed';
}

function reported({ id, issues }: ReviewFinding, decision: Decision): readonly Issue[] {
  const again = (decision.issues ?? []).filter((issue) => issueId(issue) === id);
  return again.length > 0 ? withIds(again) : issues;
}

/** Returns the new findings of a reviewer. */
function fresh(before: readonly ReviewFinding[], reviewer: string, verdict: Verdict): readonly ReviewFinding[] {
  const issues = withIds(decisionIn(verdict)?.issues ?? []);
  const known = new Set(before.flatMap((one) => (one.reviewer === reviewer ? one.id : [])));
  const ids = new Set(issues.map(issueId));
  return [...ids]
    .filter((id) => !known.has(id))
    .map((id) => ({ id, reviewer, issues: issues.filter((issue) => issueId(issue) === id), open: 1 }));
}

/** A person may reassign an issue to another phase. Any decision of a person restarts the counts. */
function afterPerson(before: readonly ReviewFinding[], verdict: Verdict): Findings {
  const decision = decisionIn(verdict);
  if (decision?.type === 'approve')
    return { open: [], closed: before.map((finding) => ({ finding, as: 'accepted' as const })) };
  const open = before.map((finding) => (decision ? { ...finding, issues: reported(finding, decision) } : finding));
  return { open: recounted(open, 0), closed: [] };
}
