/**
 * Validation of a model's verdict, and its conversion to a decision.
 *
 * @module
 */
import { z } from 'zod';
import type { Decision } from '../../model/decision/decision.ts';
import type { Issue, PriorFinding } from '../../model/decision/issue-schema.ts';
import { SEVERITIES } from '../../model/decision/severity.ts';
import { TEXT_LIMITS } from '../../model/values/text-limits.ts';
import { answerForm, readJson, repeatedKey } from '../call/answer-schema.ts';
import { excerpt, unusable } from '../call/model-error.ts';

const issueSchema = z.strictObject({
  category: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  description: z.string(),
  evidence: z.string().nullable(),
  impact: z.string().nullable(),
  affected_phase: z.string().nullable(),
  affected_task: z.string().nullable(),
  required_change: z.string().nullable(),
});

/** The schema of a verdict. An unknown key is an error, as its content would be lost. */
const verdictSchema = z.strictObject({
  nonce: z.string(),
  verdict: z.enum(['approved', 'needs_changes', 'retry', 'escalate', 'reject']),
  required_change: z.string().nullable(),
  critique: z.string(),
  conf: z.number().min(0).max(1),
  score: z.number().nullable(),
  issues: z.array(issueSchema),
  prior_findings: z.array(z.strictObject({ finding: z.int(), status: z.enum(['fixed', 'open', 'withdrawn']) })),
});

/** The form of a verdict, as models get it. */
export const verdictForm = answerForm('verdict', verdictSchema);

/** The conditions on a verdict. */
export interface Asked {
  /** The nonce that the verdict must repeat. */
  readonly nonce: string;
  /** Earlier findings that the model was shown, numbered from 1. */
  readonly findings: readonly ShownFinding[];
  /** Phases that an issue may be about. */
  readonly phases: readonly string[];
  /** Tasks of the phase under review, which an issue of that phase may be about. */
  readonly tasks: readonly string[];
  /** The reviewer, for messages. */
  readonly who: string;
}

/** An earlier finding of the reviewer. */
export interface ShownFinding {
  /** Set if the gate tracks the finding. */
  readonly id?: string | undefined;
  readonly text: string;
}

/**
 * Reads a verdict. The whole text must be one, optionally in a code fence: a verdict within other text may come from the reviewed work.
 *
 * @throws `MODEL_ANSWER_INVALID` if it is invalid, contradicts itself, repeats a key, or does not repeat the nonce. That is a review error,
 *   neither an approval nor a rejection.
 */
export function readVerdict(text: string, { nonce, findings, phases, tasks, who }: Asked): Decision {
  const parsed = answerSchema.safeParse(readJson(text, who, false));
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
    throw malformed(who, `it is not a verdict: ${lines.join('; ')}`);
  }
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw malformed(who, `it has "${repeated}" twice in one object, which is ambiguous`);
  const verdict = parsed.data;
  if (verdict.nonce !== nonce) {
    throw malformed(who, 'it does not repeat the nonce of this review, so it may come from the work under review');
  }
  const { critique, conf, score } = verdict;
  const said = statuses(findings, verdict.prior_findings);
  const open = findings.flatMap(({ text: one }, index) => (said[index] === 'open' ? one : []));
  const priorFindings = findings.flatMap(({ id }, index): readonly PriorFinding[] => {
    const status = said[index];
    return id === undefined || status === undefined ? [] : [{ id, status }];
  });
  const reported = (verdict.issues ?? []).filter((issue) => typeof issue !== 'string' || issue.trim() !== '');
  const issues = reported.map((issue) => readIssue(issue, phases, tasks, who));
  const rating = {
    confidence: conf,
    ...(score !== null && score !== undefined && { score }),
    ...(issues.length > 0 && { issues }),
    // A finding without a status stays open, so the decision has a list even if it is empty.
    ...(findings.some(({ id }) => id !== undefined) && { priorFindings }),
  };
  switch (verdict.verdict) {
    case 'approved':
      if (given(verdict.required_change) && !saysNothing(verdict.required_change))
        throw malformed(who, `it approves and requires a change: ${excerpt(verdict.required_change)}`);
      if (open.length > 0)
        throw malformed(who, `it approves and says that an earlier finding is open: ${open.join(' ')}`);
      return { type: 'approve', ...rating };
    case 'needs_changes':
    case 'retry': {
      const requiredChange = imperative(verdict.required_change, who);
      const unnamed = findings.flatMap(({ id, text: one }, index) =>
        id === undefined && said[index] === 'open' ? one : [],
      );
      const feedback = [requiredChange, critique.trim(), list('Still open:', unnamed)];
      return {
        type: 'retry',
        feedback: feedback.filter((part) => part !== '').join('\n\n'),
        requiredChange,
        ...rating,
      };
    }
    case 'escalate':
    case 'reject':
      if (critique.trim() === '') throw malformed(who, `it says "${verdict.verdict}" without a critique that says why`);
      return { type: verdict.verdict, reason: critique.trim(), ...rating };
  }
}

// --- internal ---

const foundSchema = issueSchema.partial();

/** Models without structured output omit fields that would be empty. */
const answerSchema = verdictSchema
  .partial({ required_change: true, score: true, prior_findings: true })
  .extend({ issues: z.array(z.union([z.string(), foundSchema])).optional() });

/** The change is one sentence, which leads the next prompt. */
const LONGEST_CHANGE = TEXT_LIMITS.modelRequiredChange;

/** Texts that models write if there is no change. */
const NOTHING =
  /^\W*(?:(?:none|nothing|null|nil|n\/?a|tbd|todo|no (?:further )?changes?(?: (?:is |are )?(?:needed|required|necessary))?)\W*)?$/iu;

/** The required change, which must be one line with content. */
function imperative(change: string | null | undefined, who: string): string {
  const line = change?.trim() ?? '';
  if (line.length > LONGEST_CHANGE)
    throw malformed(who, `its required change has ${line.length} characters, not one sentence`);
  if (NOTHING.test(line)) throw malformed(who, 'it requests changes without a required change');
  if (/[\n\r]/u.test(line)) throw malformed(who, 'its required change is more than one line');
  return line;
}

function saysNothing(change: string): boolean {
  return change.length <= LONGEST_CHANGE && NOTHING.test(change);
}

/** The status of each finding in the verdict. */
function statuses(
  findings: readonly ShownFinding[],
  said: z.infer<typeof verdictSchema>['prior_findings'] = [],
): readonly (PriorFinding['status'] | undefined)[] {
  return findings.map((_, index) => said.find((one) => one.finding === index + 1)?.status);
}

/** Reads an issue. Models without structured output may give only its text, or omit fields. */
function readIssue(
  found: string | z.infer<typeof foundSchema>,
  phases: readonly string[],
  tasks: readonly string[],
  who: string,
): Issue {
  const issue = typeof found === 'string' ? { description: found } : found;
  const { severity = 'medium', affected_phase: affectedPhase, affected_task: affectedTask } = issue;
  const description = issue.description?.trim() ?? '';
  if (description === '') throw malformed(who, 'one of its issues has no description');
  if (given(affectedPhase) && !phases.includes(affectedPhase)) {
    throw malformed(
      who,
      `one of its issues names phase ${JSON.stringify(affectedPhase)}, which is not one of ${phases.join(', ')}`,
    );
  }
  // A task of an earlier phase is not known here, so its name is left as it is.
  const isOwn = !given(affectedPhase) || affectedPhase === phases.at(-1);
  if (given(affectedTask) && isOwn && !tasks.includes(affectedTask)) {
    throw malformed(
      who,
      `one of its issues names task ${JSON.stringify(affectedTask)}, which is not one of ${tasks.join(', ')}`,
    );
  }
  const { category, evidence, impact, required_change: requiredChange } = issue;
  return {
    severity,
    description,
    ...(given(category) && { category }),
    ...(given(evidence) && { evidence }),
    ...(given(impact) && { impact }),
    ...(given(affectedPhase) && { affectedPhase }),
    ...(given(affectedTask) && { affectedTask }),
    ...(given(requiredChange) && !saysNothing(requiredChange) && { requiredChange }),
  };
}

/** True if a model has given a text that is not blank. */
function given(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && text.trim() !== '';
}

function list(heading: string, items: readonly string[] = []): string {
  const lines = items.map((item) => item.trim()).filter((item) => item !== '');
  return lines.length === 0 ? '' : [heading, ...lines.map((line) => `- ${line}`)].join('\n');
}

function malformed(who: string, found: string) {
  return unusable(who, found, {
    hint: 'The gate asks again by itself (`maxReviewErrors`). If that happens often, use a model with structured output.',
    retryable: false,
  });
}
