/**
 * Decisions of a gate about one attempt of a phase.
 *
 * @module
 */
import { z } from 'zod';
import { PhasegateError } from '../errors/phasegate-error.ts';
import {
  issueSchema,
  priorFindingSchema,
  storedIssueSchema,
  storedPriorFindingSchema,
  type Issue,
} from './issue-schema.ts';

/** Most issues of one decision. */
export const MOST_ISSUES = 100;

/** Ratings that a structured verdict may add to a decision of any type. */
const rating = {
  /** The reviewer's confidence, from 0 to 1. Ordinal: it gates and is logged, and is never averaged. */
  confidence: z.number().min(0).max(1).optional(),
  /** The quality of the attempt, higher is better, on any one scale; `onExhausted: 'acceptBest'` compares it. */
  score: z.number().optional(),
};

const remarks = {
  /** Defects. A demand for changes goes to the earliest phase that one of them is about; see `requestChanges`. */
  issues: z.array(issueSchema).max(MOST_ISSUES, { error: tooMany }).readonly().optional(),
  /** The status of the reviewer's earlier findings; see `findings` in its context. @default findings that it does not repeat are fixed */
  priorFindings: z.array(priorFindingSchema).readonly().optional(),
};

/** The required change, as one imperative sentence. */
const requiredChange = z.string().optional();

const kinds = {
  approve: z.object({ type: z.literal('approve'), ...rating }),
  retry: z.object({ type: z.literal('retry'), feedback: z.string(), requiredChange, ...rating }),
  retryPredecessor: z.object({
    type: z.literal('retryPredecessor'),
    phase: z.string(),
    feedback: z.string(),
    requiredChange,
    ...rating,
  }),
  reject: z.object({ type: z.literal('reject'), reason: z.string(), ...rating }),
  escalate: z.object({ type: z.literal('escalate'), reason: z.string(), ...rating }),
};

/** The schema of {@link Decision}, for reviewers that answer in JSON. Unknown keys are refused, as their text would be lost. */
export const decisionSchema = z.discriminatedUnion('type', [
  kinds.approve.extend(remarks).strict().readonly(),
  kinds.retry.extend(remarks).strict().readonly(),
  kinds.retryPredecessor.extend(remarks).strict().readonly(),
  kinds.reject.extend(remarks).strict().readonly(),
  kinds.escalate.extend(remarks).strict().readonly(),
]);

const storedRemarks = {
  issues: z.array(storedIssueSchema).readonly().optional(),
  priorFindings: z.array(storedPriorFindingSchema).readonly().optional(),
};

/** The schema of a stored decision. Fields of later versions are allowed. */
export const storedDecisionSchema = z.discriminatedUnion('type', [
  kinds.approve.extend(storedRemarks).readonly(),
  kinds.retry.extend(storedRemarks).readonly(),
  kinds.retryPredecessor.extend(storedRemarks).readonly(),
  kinds.reject.extend(storedRemarks).readonly(),
  kinds.escalate.extend(storedRemarks).readonly(),
]);

/** A reviewer's verdict on one attempt: go, recycle, recycle an earlier phase, kill, or hold. */
export type Decision = z.infer<typeof decisionSchema>;

/** A decision that names no phase to send back. In a union with one that does, neither type contains the other. */
export type Unaimed = Exclude<Decision, { readonly type: 'retryPredecessor' }> & Aim<never>;

/** A decision that sends back an earlier phase. `Name` is the name of that phase, if the types know it. */
export type RetryPredecessor<Name extends string = string> = Extract<Decision, { readonly type: 'retryPredecessor' }> &
  Aim<Name>;

/** Carries the names that a decision sends back. It is never set, and a decision without it may name any phase. */
export type Aim<Name extends string> = string extends Name ? unknown : { readonly types?: { readonly target: Name } };

/** Optional parts of a decision that asks for another attempt. */
export interface CorrectionOptions {
  /** The required change, as one imperative sentence. The next prompt has it before the feedback. */
  readonly requiredChange?: string;
}

/** Makes a decision that accepts the attempt: its outputs are committed and the successors may start. */
export function approve(): Unaimed {
  return { type: 'approve' };
}

/**
 * Makes a decision that sends the phase back to work.
 *
 * @param feedback The changes to make, verbatim in the next prompt.
 * @throws PhasegateError `DECISION_INVALID` if the feedback is not a string.
 */
export function retry(feedback: string, options: CorrectionOptions = {}): Unaimed {
  return { type: 'retry', feedback: text('retry', 'feedback', feedback), ...options };
}

/**
 * Makes a decision that sends an earlier phase back to work; the phase under review runs again after it.
 *
 * @param phase The name of a direct predecessor, or of any ancestor if the gate has `rewindTo: 'ancestors'`.
 * @param feedback The changes that phase should make, verbatim in its next prompt.
 * @throws PhasegateError `DECISION_INVALID` if either is not a string.
 */
export function retryPredecessor<const Name extends string>(
  phase: Name,
  feedback: string,
  options: CorrectionOptions = {},
): RetryPredecessor<Literal<Name>> {
  return {
    type: 'retryPredecessor',
    phase: text('retryPredecessor', 'phase', phase),
    feedback: text('retryPredecessor', 'feedback', feedback),
    ...options,
  };
}

/**
 * Makes a decision that sends back the earliest phase that the issues are about, or the phase under review itself, in one rewind.
 *
 * Later phases get their issues when they run again. An issue that names no phase, or one that may not be sent back, is for the phase
 * under review.
 *
 * @param issues At least one, 100 at most.
 * @param feedback The reviewer's critique, for the phase that is sent back. @default ''
 * @throws PhasegateError `DECISION_INVALID` if there are none or too many, or they are not issues.
 */
export function requestChanges(issues: readonly Issue[], feedback = '', options: CorrectionOptions = {}): Unaimed {
  const decision = { type: 'retry', feedback: text('requestChanges', 'feedback', feedback), issues, ...options };
  const parsed = decisionSchema.safeParse(decision);
  if (parsed.data?.type === 'retry' && issues.length > 0) return parsed.data;
  const found = parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new PhasegateError('DECISION_INVALID', `Cannot request changes as ${found ?? 'there are no issues'}`, {
    hint: "Pass issues such as { severity: 'high', description: 'No login.', affectedPhase: 'planning' }, or use retry(feedback).",
  });
}

/**
 * Makes a decision that ends the phase: it is rejected, and every phase that needs it is skipped.
 *
 * @throws PhasegateError `DECISION_INVALID` if the reason is not a string.
 */
export function reject(reason: string): Unaimed {
  return { type: 'reject', reason: text('reject', 'reason', reason) };
}

/**
 * Makes a decision that holds the phase until a person decides. Phases that do not need it continue.
 *
 * @throws PhasegateError `DECISION_INVALID` if the reason is not a string.
 */
export function escalate(reason: string): Unaimed {
  return { type: 'escalate', reason: text('escalate', 'reason', reason) };
}

/** True if the decision does not let the attempt pass: it asks for changes, or rejects. */
export function isNegative(decision: Decision): boolean {
  return decision.type !== 'approve' && decision.type !== 'escalate';
}

// --- internal ---

/** The name; any string if it is only known by a pattern. */
type Literal<Name extends string> = Record<never, never> extends Record<Name, unknown> ? string : Name;

function tooMany({ input }: { readonly input?: unknown }): string {
  return `expected at most ${MOST_ISSUES} issues, found ${Array.isArray(input) ? input.length : 'more'}`;
}

function text<T extends string>(decision: string, field: string, value: T): T {
  if (typeof value === 'string') return value;
  throw new PhasegateError(
    'DECISION_INVALID',
    `Cannot make a ${decision} decision as its ${field} is not a string: ${String(value)}`,
    {
      hint: `Pass a string; an empty one is allowed.`,
    },
  );
}
