/**
 * A reviewer that is a model.
 *
 * @module
 */
import { unreportedBy } from '../call/unreported.ts';
import type { Decision } from '../../model/decision/decision.ts';
import { task } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { PoolOption } from '../../model/handlers/pool.ts';
import type { Inputs, RetryPolicy, Task } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import { TEXT_LIMITS } from '../../model/values/text-limits.ts';
import { refuseMaxAnswer } from '../call/answer-limit.ts';
import { callModel, type Asked } from '../call/call.ts';
import { fit, MOST_MATERIAL, refuseMaterial } from '../call/fit.ts';
import { callerAt, type Callers } from '../call/ladder.ts';
import { MODEL_TIMEOUT, modelRetry } from '../call/patience.ts';
import { reviewMessages } from './review-messages.ts';
import { UNDER_REVIEW, workUnderReview, type ReviewMaterial } from './review-material.ts';
import { majority } from './samples.ts';
import { readVerdict, verdictForm } from './verdict.ts';

/** Options of a model's review, without the choice of the model. */
export interface ModelReviewerFields extends PoolOption {
  /** Criteria for the work, in words. */
  readonly criteria: string;
  /**
   * Material for the model, by name. It must include the outputs under review.
   *
   * @default the outputs, the previous versions of outputs that differ from the attempt before, the input of the run, and
   *   the outputs of all ancestors
   */
  readonly material?: ReviewMaterial | undefined;
  /**
   * Most characters of material, as JSON. The outputs under review are cut last. The model is told about omitted parts, and records have a
   * warning (`MATERIAL_CUT`). If the model reports that its context is too small, it is asked once more with less material.
   *
   * @default 300000
   */
  readonly maxMaterial?: number | undefined;
  /**
   * Most characters of the answer. A longer one is ended, even while it streams, and is a review error (`TEXT_TOO_LONG`).
   *
   * @default 1000000
   */
  readonly maxAnswerChars?: number | undefined;
  /**
   * Retries of a review if the model cannot be reached. After an unusable answer the gate asks again (`maxReviewErrors`).
   *
   * @default 5 tries, after at most 1, 2, 4 and 8 seconds (`jitter`), or the delay that the server asks for, up to 5 minutes
   */
  readonly retry?: RetryPolicy | undefined;
  /** Milliseconds per try; 0 for none. @default 600000 (ten minutes) */
  readonly timeout?: number | undefined;
  /**
   * Number of concurrent samples of one review. The verdict is that of more than half of them; without one, the review has failed. As soon
   * as the result is certain, the other samples are aborted. Their usage counts as far as it was reported by then.
   *
   * @default 1
   */
  readonly samples?: number | undefined;
  /**
   * True if records have the messages and the answer of each call, as an artifact of at most 65536 characters a text, with secrets masked.
   *
   * @default true
   */
  readonly recordCalls?: boolean | undefined;
  /** Estimated maximum usage of one try, with all its samples. */
  readonly estimate?: Estimate | undefined;
}

/** Creates the reviewer: a task whose output is a decision. @throws `DEFINITION_INVALID` if `samples` is not a whole number from 1. */
export function modelReviewer<N extends string>(
  name: N,
  callers: Callers,
  fields: ModelReviewerFields,
): Task<N, Decision, Inputs> {
  const { criteria, material, maxMaterial = MOST_MATERIAL } = fields;
  const { retry, timeout = MODEL_TIMEOUT, pool, samples = 1, estimate } = fields;
  const { maxAnswerChars = TEXT_LIMITS.modelAnswer, recordCalls = true } = fields;
  refuseMaterial(name, maxMaterial);
  refuseMaxAnswer(name, maxAnswerChars);
  if (!Number.isSafeInteger(samples) || samples < 1) throw invalidSamples(name, samples);
  const share = shareOf(estimate, samples);
  const run = async (context: ReviewContext): Promise<Decision> => {
    const { phase, attempt, unchanged, retriesLeft } = context;
    const { work, findings, earlier, tasks } = workUnderReview(context, material);
    const who = `"${context.task}" of phase "${phase}"`;
    const ask = async (report: Report, signal: AbortSignal): Promise<Decision> => {
      // Created for every question, so that no work can contain them.
      const nonce = crypto.randomUUID();
      const delimiter = crypto.randomUUID();
      const messages = (most: number): Asked => {
        const fitted = fit(work, most, UNDER_REVIEW);
        const brief = { criteria, phase, attempt, unchanged, retriesLeft, earlier, tasks, fitted, nonce, delimiter };
        return { fitted, messages: reviewMessages(brief) };
      };
      const { run: id, task: reviewer, wait } = context;
      const question = {
        messages,
        maxMaterial,
        maxAnswerChars,
        schema: verdictForm.schema,
        retryEmpty: false,
        recordCalls,
        estimate: share,
      };
      const asking = { run: id, phase, task: reviewer, attempt, signal, report, wait };
      const text = await callModel(callerAt(callers, attempt), question, asking);
      return readVerdict(text, { nonce, findings, phases: [...earlier, phase], tasks, who });
    };
    if (samples === 1) return ask(context.report, context.signal);
    // All samples report usage, but only the first reports progress.
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
  return task(name, { estimate, unreported: unreportedBy(callers), timeout, pool, retry: modelRetry(retry), run });
}

// --- internal ---

type Report = ReviewContext['report'];

/** Estimated maximum usage of one sample. */
function shareOf({ tokens, costUsd }: Estimate = {}, samples: number): Estimate {
  return {
    ...(tokens !== undefined && { tokens: tokens / samples }),
    ...(costUsd !== undefined && { costUsd: costUsd / samples }),
  };
}

function withoutProgress(report: Report): Report {
  return (one) => {
    if (one.progress === undefined) report(one);
  };
}

function invalidSamples(name: string, samples: unknown): PhasegateError {
  const problem = `Cannot let a model review as "${name}" as \`samples\` is ${String(samples)}, not a whole number from 1`;
  const hint = 'Give an odd number such as 3, as more than half of the answers have to agree.';
  return new PhasegateError('DEFINITION_INVALID', problem, { hint });
}
