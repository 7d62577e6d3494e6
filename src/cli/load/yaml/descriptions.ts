/**
 * What each option of a pipeline file means, as editors show it.
 *
 * @module
 */
import type { ApprovalPolicy } from '../../../model/plan/approval-policy.ts';
import type { InboxPolicy } from '../../../model/plan/inbox-policy.ts';
import type { Estimate } from '../../../model/plan/options.ts';
import type { Backoff, GatePolicy, Limits, Policy } from '../../../model/plan/policy-schema.ts';
import { gateDefaults } from '../../../model/plan/policy.ts';
import type { Words } from './with-descriptions.ts';

/** Options of a gate. */
export const GATE_WORDS: Words<GatePolicy> = {
  maxRetries: 'Times the gate may send its own phase back per start. 0 reviews once.',
  maxPredecessorRetries: 'Times the gate may send back each predecessor, over the whole run. 0 forbids it.',
  loopAfter:
    'How often in a row the same makes a loop: an issue that is open while no other is corrected, a demand that repeats the one before, an attempt that puts out what was sent back. No budget is left then.',
  onExhausted: 'What follows a request for changes when the budget is spent.',
  onUnrecognised: 'What text without a verdict means: an approval with a warning, or that the review is asked again.',
  onInvalidTarget:
    'What it means that words of a reviewer send back a phase that it may not: an approval with a warning, a question to a person, or that the review is asked again. Code that does so fails the phase.',
  maxReviewErrors: 'Times one review is asked again after it could not be had. It spends no retry.',
  onReviewUnavailable:
    'What follows if a review could not be had in all its tries: the phase fails, or a person decides in a run that is kept. Without it the phase fails.',
  reviewBackoff: 'Waiting time before a review is asked again.',
  approval: 'Which approvals open the gate. Others are asked for again.',
  minConfidence: 'A request for changes with a confidence at or under this is asked again. 0 turns it off.',
  rewindTo: 'Which phases may be sent back: the direct predecessors, any ancestor, or just these.',
  invalidate:
    'Which other readers of a phase that was sent back run again: none but the one that asked, those for whom what they read changed, or all.',
  regate: 'Whether a phase that is sent back must pass its own gate again.',
  layout: 'How the revision is written into the prompt.',
  strategy: 'What the revision carries beside the demand.',
  maxRevisionChars: 'Longest revision in characters. A longer one is cut in a fixed order.',
  maxPromptGrowth: 'A rework prompt longer than this many first prompts warns. 0 turns it off.',
  inbox: 'Who is asked if a person has to decide, and what happens if nobody does.',
};

/** Guards of approvals. */
export const APPROVAL_WORDS: Words<ApprovalPolicy> = {
  minConfidence: 'An approval with a confidence at or under this is asked for again. One without a confidence is not.',
  minScore:
    'An approval with a score under this is asked for again. One without a score is not. Without it any score will do.',
  maxSeverity: 'The worst open issue that an approval may have.',
};

/** Defaults of those. */
export const APPROVAL_DEFAULTS: ApprovalPolicy = { minConfidence: 0, maxSeverity: 'medium' };

/** Waiting times. */
export const BACKOFF_WORDS: Words<Backoff> = {
  first: 'The wait before the second try: milliseconds, or a text such as "500ms".',
  factor: 'How many times longer each following wait is.',
  max: 'The longest wait: milliseconds, or a text such as "1m".',
  jitter: 'If each wait is a random part of that time, so that those who failed together do not come back together.',
};

/** Defaults of waiting times. */
export const BACKOFF_DEFAULTS: Required<Backoff> = { first: 1000, factor: 2, max: 60_000, jitter: false };

/** Questions to people. */
export const INBOX_WORDS: Words<InboxPolicy> = {
  queue: 'Who is asked.',
  severity: 'How urgent it is.',
  remindAfterMs: 'Milliseconds after which they are reminded, once. Without it never.',
  raiseAfterMs: 'Milliseconds after which it becomes one step more urgent, once. Without it never.',
  expireAfterMs: 'Milliseconds after which "onExpiry" happens. Without it never.',
  onExpiry: 'What happens then: it is rejected, it goes on waiting, or another queue is asked. It is never approved.',
};

/** Defaults of questions to people. */
export const INBOX_DEFAULTS: InboxPolicy = { queue: 'default', severity: 'normal', onExpiry: 'stay' };

/** Limits of a run. */
export const LIMIT_WORDS: Words<Limits> = {
  corrections: 'Times any phase is sent back, by its own gate or a later one, in all. Without it there is no limit.',
  perPair: 'Times one phase sends back one other. Without it there is no limit.',
  attemptsPerPhase: 'Attempts of any one phase. Without it there is no limit.',
  costUsd: 'Money in US dollars, as tasks report it. Without it there is no limit.',
  tokens: 'Tokens, as tasks report them. Without it there is no limit.',
  durationMs:
    'Time of work: milliseconds, or a text such as "10m". Waiting for people does not count, nor time without a process. Without it there is no limit.',
  deadlineMs: 'All time from the start of the run: milliseconds, or a text such as "2d". Without it there is no limit.',
};

/** What a try is expected to use. */
export const ESTIMATE_WORDS: Words<Estimate> = {
  costUsd: 'US dollars per try. Without it none are expected.',
  tokens: 'Tokens per try. Without it none are expected.',
  durationMs: 'Time per try: milliseconds, or a text such as "30s". Without it none is expected.',
};

/** What decides a whole run. */
export const RUN_WORDS: Words<Omit<Policy, keyof GatePolicy>> = {
  onFailure: 'What a failed or rejected phase means for independent branches.',
  onLimit: 'What a spent limit means: end the run, or hold it for a person.',
  limits: 'Limits of a run, unless the file says others beside the policy. Without it there are none.',
};

/** Defaults of what decides a whole run. */
export const RUN_DEFAULTS = { onFailure: 'continue', onLimit: 'stop' } as const;

/** Defaults of options of a gate. */
export const GATE_DEFAULTS: GatePolicy = {
  ...gateDefaults,
  reviewBackoff: BACKOFF_DEFAULTS,
  inbox: INBOX_DEFAULTS,
  approval: APPROVAL_DEFAULTS,
};
