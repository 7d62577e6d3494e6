/**
 * Material for a reviewer, and the earlier findings that it has to answer.
 *
 * @module
 */
import { issueLines } from '../../model/decision/issue.ts';
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { ShownFinding } from './verdict.ts';

/** Chooses the material of a review, by name. */
export type ReviewMaterial = (context: ReviewContext) => Readonly<Record<string, unknown>>;

/** The work under review. */
export interface WorkUnderReview {
  /** Material that is shown as JSON, by name. */
  readonly work: Readonly<Record<string, unknown>>;
  readonly findings: readonly ShownFinding[];
  /** Earlier phases that may be sent back, in order. */
  readonly earlier: readonly string[];
  /** The tasks of the phase, which an issue may be about. */
  readonly tasks: readonly string[];
}

/** Names of material that is cut only if cutting the rest is not enough: the work, and the findings that need an answer. */
export const UNDER_REVIEW = ['outputs', 'earlier_findings'];

/** Collects the work under review. @param material Chooses the material. @default the outputs, and all that they were made of */
export function workUnderReview(context: ReviewContext, material: ReviewMaterial = allOf): WorkUnderReview {
  const { rewindsLeft } = context;
  const findings = findingsOf(context);
  return {
    work: { ...material(context), ...(findings.length > 0 && { earlier_findings: findings.map(numbered) }) },
    findings,
    earlier: Object.keys(rewindsLeft).filter((one) => (rewindsLeft[one] ?? 0) > 0),
    tasks: Object.keys(context.outputs),
  };
}

// --- internal ---

/** Most earlier findings without an issue in the prompt. */
const MOST_FINDINGS = 10;

/** Open findings of this reviewer, and demands of its gate on its own phase that have no issue. */
function findingsOf({ phase, revision, findings }: ReviewContext): readonly ShownFinding[] {
  const named = findings.map(({ id, issues }) => ({ id, text: issueLines(issues) }));
  const own = revision?.history.filter((one) => one.from === phase && one.issues === undefined) ?? [];
  const asked = own.slice(-MOST_FINDINGS).map((one) => ({ text: one.requiredChange ?? one.feedback }));
  return [...named, ...asked];
}

function numbered({ id, text }: ShownFinding, index: number): Readonly<Record<string, unknown>> {
  return { finding: index + 1, [id === undefined ? 'asked_for' : 'issue']: text };
}

function allOf({ outputs, difference, input, inputs }: ReviewContext): Readonly<Record<string, unknown>> {
  const before = Object.fromEntries(Object.entries(difference).map(([name, one]) => [name, one.before]));
  return {
    outputs,
    ...(Object.keys(before).length > 0 && { outputs_before: before }),
    ...(input !== undefined && input !== null && { input }),
    ...(Object.keys(inputs).length > 0 && { inputs: { ...inputs } }),
  };
}
