/**
 * Descriptions of the options of a pipeline file, as editors show them.
 *
 * @module
 */
import type { ApprovalPolicy } from '../../../model/plan/approval-policy.ts';
import type { InboxPolicy } from '../../../model/plan/inbox-policy.ts';
import type { Estimate } from '../../../model/plan/options.ts';
import type { Backoff, GatePolicy, Limits, Policy } from '../../../model/plan/policy-schema.ts';
import { gateDefaults } from '../../../model/plan/policy.ts';
import type { Words } from './with-descriptions.ts';

/** Descriptions of the options of a gate. */
export const GATE_WORDS: Words<GatePolicy> = {
  maxRetries: 'Times that the gate may send its own phase back per start. 0 reviews once.',
  maxPredecessorRetries: 'Times that the gate may send each predecessor back, over the whole run. 0 forbids it.',
  loopAfter:
    'Repetitions in a row that make a loop: the same issue stays open and no other is corrected, a demand repeats the one before, or an attempt has the same output as the one that was sent back. A loop counts as a spent budget.',
  onExhausted: 'The effect of a request for changes when the budget is spent.',
  onUnrecognised: 'The meaning of review text without a verdict: an approval with a warning, or another review.',
  onInvalidTarget:
    'The meaning of review text that sends back a phase which it may not send back: an approval with a warning, a question to a person, or another review. A reviewer in code that does so fails the phase.',
  maxReviewErrors: 'Times that one review is asked again after it failed. This spends no retry.',
  onReviewUnavailable:
    'The effect of a review that failed in all its tries: the phase fails, or a person decides, if the run is stored. Without it the phase fails.',
  reviewBackoff: 'The wait before a review is asked again.',
  approval: 'Conditions for approvals that open the gate. After another approval the review is asked again.',
  minConfidence: 'A review that requests changes with this confidence or less is asked again. 0 turns this off.',
  rewindTo: 'The phases that may be sent back: the direct predecessors, any ancestor, or the listed ones.',
  invalidate:
    'The readers of a phase that run again after it was sent back: only the phase that asked, those whose inputs changed, or all.',
  regate: 'True if a phase that is sent back must pass its own gate again.',
  layout: 'The layout of the revision in the prompt.',
  strategy: 'The content of the revision in addition to the demand.',
  maxRevisionChars: 'The longest revision in characters. A longer one is cut in a fixed order.',
  maxPromptGrowth: 'A rework prompt that is longer than this many first prompts causes a warning. 0 turns this off.',
  inbox: 'The queue to ask if a person has to decide, and the effect if nobody does.',
};

/** Descriptions of the conditions for approvals. */
export const APPROVAL_WORDS: Words<ApprovalPolicy> = {
  minConfidence:
    'After an approval with this confidence or less the review is asked again. An approval without a confidence passes.',
  minScore:
    'After an approval with a lower score the review is asked again. An approval without a score passes. Without it any score passes.',
  maxSeverity: 'The most severe open issue that an approval may have.',
};

/** Defaults of the conditions for approvals. */
export const APPROVAL_DEFAULTS: ApprovalPolicy = { minConfidence: 0, maxSeverity: 'medium' };

/** Descriptions of waiting times. */
export const BACKOFF_WORDS: Words<Backoff> = {
  first: 'The wait before the second try: milliseconds, or a text such as "500ms".',
  factor: 'The factor by which each following wait is longer.',
  max: 'The longest wait: milliseconds, or a text such as "1m".',
  jitter: 'True if each wait is a random part of that time, so that tries that failed together do not start together.',
};

/** Defaults of waiting times. */
export const BACKOFF_DEFAULTS: Required<Backoff> = { first: 1000, factor: 2, max: 60_000, jitter: false };

/** Descriptions of the options for questions to people. */
export const INBOX_WORDS: Words<InboxPolicy> = {
  queue: 'The queue that is asked.',
  severity: 'The urgency of the question.',
  remindAfterMs: 'Milliseconds after which the queue is reminded, once. Without it there is no reminder.',
  raiseAfterMs:
    'Milliseconds after which the question becomes one step more urgent, once. Without it the urgency stays.',
  expireAfterMs: 'Milliseconds after which "onExpiry" applies. Without it the question does not expire.',
  onExpiry:
    'The effect of expiry: the attempt is rejected, the question stays open, or another queue is asked. Expiry never approves.',
};

/** Defaults of questions to people. */
export const INBOX_DEFAULTS: InboxPolicy = { queue: 'default', severity: 'normal', onExpiry: 'stay' };

/** Descriptions of the limits of a run. */
export const LIMIT_WORDS: Words<Limits> = {
  corrections:
    'Times that phases are sent back in all, by their own gate or a later one. Without it there is no limit.',
  perPair: 'Times that one phase sends one other phase back. Without it there is no limit.',
  attemptsPerPhase: 'Attempts of any one phase. Without it there is no limit.',
  costUsd: 'Cost in US dollars, as tasks report it. Without it there is no limit.',
  tokens: 'Tokens, as tasks report them. Without it there is no limit.',
  durationMs:
    'Time of work: milliseconds, or a text such as "10m". Waiting for people and time without a process do not count. Without it there is no limit.',
  deadlineMs:
    'The whole time from the start of the run: milliseconds, or a text such as "2d". Without it there is no limit.',
};

/** Descriptions of estimates. */
export const ESTIMATE_WORDS: Words<Estimate> = {
  costUsd: 'US dollars per try. Without it there is no estimate.',
  tokens: 'Tokens per try. Without it there is no estimate.',
  durationMs: 'Time per try: milliseconds, or a text such as "30s". Without it there is no estimate.',
};

/** Descriptions of the policy options for a whole run. */
export const RUN_WORDS: Words<Omit<Policy, keyof GatePolicy>> = {
  onFailure: 'The effect of a failed or rejected phase on independent branches.',
  onLimit: 'The effect of a reached limit: end the run, or hold it for a person.',
  limits: 'Limits of a run, unless the file has its own "limits". Without it there are none.',
};

/** Defaults of the policy options for a whole run. */
export const RUN_DEFAULTS = { onFailure: 'continue', onLimit: 'stop' } as const;

/** Defaults of the options of a gate. */
export const GATE_DEFAULTS: GatePolicy = {
  ...gateDefaults,
  reviewBackoff: BACKOFF_DEFAULTS,
  inbox: INBOX_DEFAULTS,
  approval: APPROVAL_DEFAULTS,
};
