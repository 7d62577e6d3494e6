/**
 * The verdict that a model gives, and the decision that it is.
 *
 * @module
 */
import { z } from 'zod';
import type { Decision } from '../model/decision.ts';
import { readJson } from './answer-schema.ts';
import { unusable } from './model-error.ts';

/** What a model that reviews answers. */
export const verdictSchema = z.object({
  nonce: z.string(),
  verdict: z.enum(['approved', 'needs_changes', 'retry', 'escalate', 'reject']),
  required_change: z.string().nullable(),
  critique: z.string(),
  conf: z.number().min(0).max(1),
  score: z.number().nullable(),
  issues: z.array(z.string()),
  prior_findings: z.array(z.object({ finding: z.int(), status: z.enum(['fixed', 'open', 'withdrawn']) })),
});

/** What a verdict has to be about. */
export interface Asked {
  /** What the verdict has to repeat. */
  readonly nonce: string;
  /** Earlier findings that the model was shown, from 1. */
  readonly findings: readonly string[];
  /** The reviewer, for messages. */
  readonly who: string;
}

/**
 * Reads a verdict. The whole text has to be one: a verdict within other text is what the reviewed work may have brought about.
 *
 * @throws `MODEL_ANSWER_INVALID` where it is none, contradicts itself, or does not repeat the nonce. So it is a review error,
 *   neither an approval nor a rejection.
 */
export function readVerdict(text: string, { nonce, findings, who }: Asked): Decision {
  const parsed = answerSchema.safeParse(readJson(text, who, false));
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
    throw malformed(who, `it is no verdict: ${lines.join('; ')}`);
  }
  const verdict = parsed.data;
  if (verdict.nonce !== nonce) {
    throw malformed(who, 'it does not repeat the nonce of this review, so it may come from the work under review');
  }
  const { critique, conf, score } = verdict;
  const rating = { confidence: conf, ...(score !== null && score !== undefined && { score }) };
  const open = findings.filter((_, index) =>
    verdict.prior_findings?.some((one) => one.finding === index + 1 && one.status === 'open'),
  );
  switch (verdict.verdict) {
    case 'approved':
      if (open.length > 0)
        throw malformed(who, `it approves and says that an earlier finding is open: ${open.join(' ')}`);
      return { type: 'approve', ...rating };
    case 'needs_changes':
    case 'retry': {
      const requiredChange = imperative(verdict.required_change, who);
      const feedback = [requiredChange, critique.trim(), list('Also:', verdict.issues), list('Still open:', open)];
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

/** Models that are not held to the schema leave out what they have nothing to say about. */
const answerSchema = verdictSchema.partial({ required_change: true, score: true, issues: true, prior_findings: true });

/** Longest required change in characters: it is one sentence, and leads the next prompt. */
const LONGEST_CHANGE = 500;

/** What models write where they mean nothing. */
const NOTHING =
  /^\W*(?:none|nothing|null|nil|n\/?a|tbd|todo|no (?:further )?changes?(?: (?:is |are )?(?:needed|required|necessary))?)?\W*$/iu;

/** The required change, where it is one line that says something. */
function imperative(change: string | null | undefined, who: string): string {
  const line = change?.trim() ?? '';
  if (NOTHING.test(line)) throw malformed(who, 'it asks for changes without a required change');
  if (/[\n\r]/u.test(line)) throw malformed(who, 'its required change is more than one line');
  if (line.length > LONGEST_CHANGE)
    throw malformed(who, `its required change has ${line.length} characters, not one sentence`);
  return line;
}

function list(heading: string, items: readonly string[] = []): string {
  const lines = items.map((item) => item.trim()).filter((item) => item !== '');
  return lines.length === 0 ? '' : [heading, ...lines.map((line) => `- ${line}`)].join('\n');
}

function malformed(who: string, found: string) {
  return unusable(who, found, {
    hint: 'The gate asks again by itself (`maxReviewErrors`). Where that happens often, ask a model that keeps to a schema.',
    retryable: false,
  });
}
