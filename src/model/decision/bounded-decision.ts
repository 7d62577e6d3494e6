/**
 * Decisions with texts cut to the length that records store.
 *
 * @module
 */
import { contentHash } from '../values/content-hash.ts';
import { elided, TEXT_LIMITS } from '../values/text-limits.ts';
import type { Decision } from './decision.ts';
import type { Issue } from './issue-schema.ts';

/**
 * Cuts the texts of a reviewer's decision, with a note in place of each cut. Feedback goes to models, and every later attempt
 * stores it.
 *
 * @param phases The names of all phases: these are never cut.
 */
export function bounded(decision: Decision, phases: readonly string[]): Decision {
  const texts = remarksOf(decision, phases);
  switch (decision.type) {
    case 'approve':
      return { ...decision, ...texts };
    case 'retry':
      return { ...decision, ...texts, ...demandOf(decision) };
    case 'retryPredecessor':
      return { ...decision, ...texts, ...demandOf(decision), phase: nameOf(decision.phase, phases) };
    case 'reject':
    case 'escalate':
      return { ...decision, ...texts, reason: elided(decision.reason, TEXT_LIMITS.feedback) };
  }
}

// --- internal ---

type Demand = Extract<Decision, { readonly feedback: string }>;

function demandOf({ feedback, requiredChange }: Demand): Pick<Demand, 'feedback' | 'requiredChange'> {
  return {
    feedback: elided(feedback, TEXT_LIMITS.feedback),
    ...(requiredChange !== undefined && { requiredChange: elided(requiredChange, TEXT_LIMITS.requiredChange) }),
  };
}

function remarksOf(
  { issues, priorFindings }: Decision,
  phases: readonly string[],
): Pick<Decision, 'issues' | 'priorFindings'> {
  return {
    ...(issues && { issues: issues.map((issue) => boundedIssue(issue, phases)) }),
    ...(priorFindings && { priorFindings: priorFindings.map((one) => ({ ...one, id: idOf(one.id) })) }),
  };
}

function boundedIssue(issue: Issue, phases: readonly string[]): Issue {
  const { id, category, description, evidence, impact, affectedPhase, affectedTask, requiredChange } = issue;
  return {
    ...issue,
    description: elided(description, TEXT_LIMITS.issueText),
    ...(id !== undefined && { id: idOf(id) }),
    ...(category !== undefined && { category: elided(category, TEXT_LIMITS.name) }),
    ...(evidence !== undefined && { evidence: elided(evidence, TEXT_LIMITS.issueText) }),
    ...(impact !== undefined && { impact: elided(impact, TEXT_LIMITS.issueText) }),
    ...(affectedPhase !== undefined && { affectedPhase: nameOf(affectedPhase, phases) }),
    ...(affectedTask !== undefined && { affectedTask: elided(affectedTask, TEXT_LIMITS.name) }),
    ...(requiredChange !== undefined && { requiredChange: elided(requiredChange, TEXT_LIMITS.requiredChange) }),
  };
}

/** Hashes an id that is too long, so that different ids stay different. */
function idOf(id: string): string {
  return id.length > TEXT_LIMITS.name ? contentHash(id) : id;
}

function nameOf(name: string, phases: readonly string[]): string {
  return phases.includes(name) ? name : elided(name, TEXT_LIMITS.name);
}
