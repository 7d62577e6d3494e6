/**
 * A reviewer that is a model.
 *
 * @module
 */
import type { Decision } from '../../model/decision/decision.ts';
import { issueLines } from '../../model/decision/issue.ts';
import { task } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { Inputs, RetryPolicy, Task } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import { TEXT_LIMITS } from '../../model/values/text-limits.ts';
import { refuseMaxAnswer } from '../call/answer-limit.ts';
import { answerForm } from '../call/answer-schema.ts';
import { callModel, type Asked } from '../call/call.ts';
import { fit, MOST_MATERIAL, refuseMaterial } from '../call/fit.ts';
import { callerAt, type Callers } from '../call/ladder.ts';
import { MODEL_TIMEOUT, modelRetry } from '../call/patience.ts';
import { reviewMessages } from './review-messages.ts';
import { majority } from './samples.ts';
import { readVerdict, verdictSchema, type ShownFinding } from './verdict.ts';

/** What a reviewer says beside which model it asks. */
export interface ModelReviewerFields {
  /** What the work has to be like, in words. */
  readonly criteria: string;
  /**
   * What the model is shown, by name; the outputs under review among it.
   *
   * @default the outputs, those of tasks that differ from the previous attempt as they were before, the input of the run, and
   *   the outputs of all ancestors
   */
  readonly material?: ((context: ReviewContext) => Readonly<Record<string, unknown>>) | undefined;
  /**
   * Characters of the material that the model is shown at most, as JSON. The outputs under review are cut last. The model is told
   * that it has not seen all, and records have a warning (`MATERIAL_CUT`). Where the model says that it was still too much for its context,
   * it is asked once more with less. @default 300000
   */
  readonly maxMaterial?: number | undefined;
  /**
   * Characters of the answer that are taken at most. One that becomes longer is ended there, also while it is streamed, and is a review error
   * (`TEXT_TOO_LONG`). @default 1000000
   */
  readonly maxAnswerChars?: number | undefined;
  /**
   * How often one review is tried again where the model cannot be reached. Answers that cannot be used are for the gate to ask again
   * (`maxReviewErrors`). @default 5 tries, after at most 1, 2, 4 and 8 seconds (`jitter`), or as long as the server asks for, up to 5 minutes
   */
  readonly retry?: RetryPolicy | undefined;
  /** Milliseconds per try; 0 for none. @default 600000 (ten minutes) */
  readonly timeout?: number | undefined;
  /**
   * How often the model is asked for one review, at the same time. The verdict is what more than half of the answers say; where no
   * verdict has so many, the review could not be had. Once either is certain, the others are aborted; what they have used counts
   * as far as it was said by then. @default 1
   */
  readonly samples?: number | undefined;
  /** What one try is expected to use at most, all its samples together. */
  readonly estimate?: Estimate | undefined;
}

/** Makes the reviewer: a task whose output is a decision. @throws `DEFINITION_INVALID` where `samples` is no whole number from 1. */
export function modelReviewer<N extends string>(
  name: N,
  callers: Callers,
  fields: ModelReviewerFields,
): Task<N, Decision, Inputs> {
  const { criteria, material = allOf, maxMaterial = MOST_MATERIAL } = fields;
  const { retry, timeout = MODEL_TIMEOUT, samples = 1, estimate, maxAnswerChars = TEXT_LIMITS.modelAnswer } = fields;
  refuseMaterial(name, maxMaterial);
  refuseMaxAnswer(name, maxAnswerChars);
  if (!Number.isSafeInteger(samples) || samples < 1) throw invalidSamples(name, samples);
  const share = shareOf(estimate, samples);
  const run = async (context: ReviewContext): Promise<Decision> => {
    const { phase, attempt, unchanged, retriesLeft, rewindsLeft } = context;
    const earlier = Object.keys(rewindsLeft).filter((one) => (rewindsLeft[one] ?? 0) > 0);
    const findings = findingsOf(context);
    const work = { ...material(context), ...(findings.length > 0 && { earlier_findings: findings.map(numbered) }) };
    const who = `"${context.task}" of phase "${phase}"`;
    const ask = async (report: Report, signal: AbortSignal): Promise<Decision> => {
      // Made anew for every question, so that no work can know them.
      const nonce = crypto.randomUUID();
      const delimiter = crypto.randomUUID();
      const messages = (most: number): Asked => {
        const fitted = fit(work, most, UNDER_REVIEW);
        const brief = { criteria, phase, attempt, unchanged, retriesLeft, earlier, fitted, nonce, delimiter };
        return { fitted, messages: reviewMessages(brief) };
      };
      const { run: id, task: reviewer, wait } = context;
      const question = {
        messages,
        maxMaterial,
        maxAnswerChars,
        schema: form.schema,
        retryEmpty: false,
        estimate: share,
      };
      const asking = { run: id, phase, task: reviewer, attempt, signal, report, wait };
      const text = await callModel(callerAt(callers, attempt), question, asking);
      return readVerdict(text, { nonce, findings, phases: [...earlier, phase], who });
    };
    if (samples === 1) return ask(context.report, context.signal);
    // All report what they use; how far they are is told of the first.
    const reports = [context.report, ...Array<Report>(samples - 1).fill(withoutProgress(context.report))];
    const decided = new AbortController();
    const signal = AbortSignal.any([context.signal, decided.signal]);
    try {
      return await majority(
        reports.map((report) => ask(report, signal)),
        who,
      );
    } finally {
      decided.abort();
    }
  };
  return task(name, { estimate, timeout, retry: modelRetry(retry), run });
}

// --- internal ---

const form = answerForm('verdict', verdictSchema);

type Report = ReviewContext['report'];

/** Shown whole as long as cutting the rest is enough: what is judged, and what has to be answered. */
const UNDER_REVIEW = ['outputs', 'earlier_findings'];

/** What one of the samples is expected to use at most. */
function shareOf({ tokens, costUsd }: Estimate = {}, samples: number): Estimate {
  return {
    ...(tokens !== undefined && { tokens: tokens / samples }),
    ...(costUsd !== undefined && { costUsd: costUsd / samples }),
  };
}

function withoutProgress(report: Report): Report {
  return (told) => {
    if (told.progress === undefined) report(told);
  };
}

function invalidSamples(name: string, samples: unknown): PhasegateError {
  const problem = `Cannot let a model review as "${name}" as \`samples\` is ${String(samples)}, not a whole number from 1`;
  const hint = 'Give an odd number such as 3, as more than half of the answers have to agree.';
  return new PhasegateError('DEFINITION_INVALID', problem, { hint });
}

/** Earlier findings that are shown. */
const MOST_FINDINGS = 10;

/** What this reviewer has found that is open, and what its gate has asked its own phase for without an issue. */
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
