/**
 * Findings: the issues of a gate that are open, from one review to the next.
 *
 * @module
 */
import type { Decision } from '../decision/decision.ts';
import { issueId, withIds, type Issue, type PriorFinding } from '../decision/issue.ts';
import type { EventOf, Verdict } from '../events/event.ts';
import { decisionIn } from './verdict.ts';

/** An issue that was found and is not known to be corrected. JSON. */
export interface ReviewFinding {
  /** The name of the issue. */
  readonly id: string;
  /** Who found it. */
  readonly reviewer: string;
  /** As it was reported last; one for each phase that has to correct it. */
  readonly issues: readonly Issue[];
  /** Reviews in a row that have found it open, since any finding was closed, or a person has decided. */
  readonly open: number;
}

/** How a finding left the list of those that are open. */
export type Closing = Exclude<PriorFinding['status'], 'open'> | 'accepted';

/** What a review makes of the findings. */
export interface Findings {
  readonly open: readonly ReviewFinding[];
  readonly closed: readonly { readonly finding: ReviewFinding; readonly as: Closing }[];
}

/** What a gate, or a person, has decided. */
export type Judgement = Pick<EventOf<'review.decided'>, 'verdict' | 'verdicts' | 'by'>;

/**
 * Completes a reviewer's decision: its issues are given ids, and what it says of an earlier finding that is still open is
 * among them.
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

/** The findings after a judgement. One that could not be had changes none. */
export function findingsAfter(before: readonly ReviewFinding[], { verdict, verdicts, by }: Judgement): Findings {
  const isQuiet = before.length === 0 && !Object.values(verdicts).some((one) => decisionIn(one)?.issues);
  if (isQuiet || !decisionIn(verdict) || by === 'worker') return { open: before, closed: [] };
  if (by === 'person') return afterPerson(before, verdict);
  const closed: { finding: ReviewFinding; as: Closing }[] = [];
  const open: ReviewFinding[] = [];
  for (const finding of before) {
    const said = decisionIn(verdicts[finding.reviewer]);
    const as = said && fate(finding, said);
    if (!said) open.push(finding);
    else if (as === 'open') open.push({ ...finding, issues: reported(finding, said), open: finding.open + 1 });
    else if (as) closed.push({ finding, as });
  }
  for (const [reviewer, one] of Object.entries(verdicts)) open.push(...fresh(before, reviewer, one));
  const kept = closed.length === 0 ? open : recounted(open, 1);
  if (verdict.type !== 'approve') return { open: kept, closed };
  return { open: [], closed: [...closed, ...kept.map((finding) => ({ finding, as: 'accepted' as const }))] };
}

/**
 * Findings that go round in a loop: found open so often in a row, while nothing was corrected.
 *
 * @param demanded The issues of the demand that is judged: what was found open before is no loop of another demand.
 * @param most How often is too often.
 */
export function stalled(
  findings: readonly ReviewFinding[],
  demanded: readonly Issue[],
  most: number,
): readonly ReviewFinding[] {
  return findings.filter(({ id, open }) => open >= most && demanded.some((issue) => issueId(issue) === id));
}

/** The findings with their counts begun anew. @param open 1 where they were found just now, 0 where they are to be looked for again. */
export function recounted(findings: readonly ReviewFinding[], open: 0 | 1): readonly ReviewFinding[] {
  return findings.map((finding) => ({ ...finding, open }));
}

// --- internal ---

/** What a reviewer's decision makes of what it found before. */
function fate({ id }: ReviewFinding, { type, issues = [], priorFindings }: Decision): Closing | 'open' {
  if (issues.some((issue) => issueId(issue) === id)) return 'open';
  const said = priorFindings?.find((one) => one.id === id)?.status;
  if (said !== undefined) return said;
  // Whoever ends the phase, or speaks of other findings only, says nothing of this one.
  const isSilent = type === 'reject' || type === 'escalate' || (priorFindings !== undefined && type !== 'approve');
  return isSilent ? 'open' : 'fixed';
}

function reported({ id, issues }: ReviewFinding, decision: Decision): readonly Issue[] {
  const again = (decision.issues ?? []).filter((issue) => issueId(issue) === id);
  return again.length > 0 ? withIds(again) : issues;
}

/** What a reviewer has found that it had not found before. */
function fresh(before: readonly ReviewFinding[], reviewer: string, verdict: Verdict): readonly ReviewFinding[] {
  const issues = withIds(decisionIn(verdict)?.issues ?? []);
  const known = new Set(before.flatMap((one) => (one.reviewer === reviewer ? one.id : [])));
  const ids = new Set(issues.map(issueId));
  return [...ids]
    .filter((id) => !known.has(id))
    .map((id) => ({ id, reviewer, issues: issues.filter((issue) => issueId(issue) === id), open: 1 }));
}

/** A person may say anew which phase an issue is about. Whatever a person decides, it is another chance. */
function afterPerson(before: readonly ReviewFinding[], verdict: Verdict): Findings {
  const decision = decisionIn(verdict);
  if (decision?.type === 'approve')
    return { open: [], closed: before.map((finding) => ({ finding, as: 'accepted' as const })) };
  const open = before.map((finding) => (decision ? { ...finding, issues: reported(finding, decision) } : finding));
  return { open: recounted(open, 0), closed: [] };
}
