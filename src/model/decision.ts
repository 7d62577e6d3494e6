/**
 * What a gate decides about one attempt of a phase.
 *
 * @module
 */
import { z } from 'zod';
import { PhasegateError } from './errors.ts';

/** What a structured verdict may add to a decision of any type. */
const verdictFields = {
  /** How sure the reviewer is, from 0 to 1. Ordinal: it gates and is logged, and is never averaged. */
  confidence: z.number().min(0).max(1).optional(),
  /** How good the attempt is, higher is better, on any one scale; `onExhausted: 'acceptBest'` compares it. */
  score: z.number().optional(),
};

/** The schema of {@link Decision}, for reviewers that answer in JSON. */
export const decisionSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('approve'), ...verdictFields }).readonly(),
  z
    .object({
      type: z.literal('retry'),
      feedback: z.string(),
      /** The change that is needed, as one imperative sentence. */
      requiredChange: z.string().optional(),
      ...verdictFields,
    })
    .readonly(),
  z
    .object({
      type: z.literal('retryPredecessor'),
      phase: z.string(),
      feedback: z.string(),
      /** The change that is needed, as one imperative sentence. */
      requiredChange: z.string().optional(),
      ...verdictFields,
    })
    .readonly(),
  z.object({ type: z.literal('reject'), reason: z.string(), ...verdictFields }).readonly(),
  z.object({ type: z.literal('escalate'), reason: z.string(), ...verdictFields }).readonly(),
]);

/** A reviewer's verdict on one attempt: go, recycle, recycle an earlier phase, kill, or hold. */
export type Decision = z.infer<typeof decisionSchema>;

/** Optional parts of a decision that asks for another attempt. */
export interface CorrectionOptions {
  /** The change that is needed, as one imperative sentence; the next prompt says it before the feedback. */
  readonly requiredChange?: string;
}

/** Accepts the attempt: its outputs are committed and the successors may start. */
export function approve(): Decision {
  return { type: 'approve' };
}

/**
 * Sends the phase back to work.
 *
 * @param feedback What to do differently, verbatim in the next prompt.
 * @throws PhasegateError `DECISION_INVALID` when the feedback is not a string.
 */
export function retry(feedback: string, options: CorrectionOptions = {}): Decision {
  return { type: 'retry', feedback: text('retry', 'feedback', feedback), ...options };
}

/**
 * Sends an earlier phase back to work; the phase under review runs again after it.
 *
 * @param phase The name of a direct predecessor, or of any ancestor where the gate says `rewindTo: 'ancestors'`.
 * @param feedback What that phase should do differently, verbatim in its next prompt.
 * @throws PhasegateError `DECISION_INVALID` when either is not a string.
 */
export function retryPredecessor(phase: string, feedback: string, options: CorrectionOptions = {}): Decision {
  return {
    type: 'retryPredecessor',
    phase: text('retryPredecessor', 'phase', phase),
    feedback: text('retryPredecessor', 'feedback', feedback),
    ...options,
  };
}

/**
 * Ends the phase: it is rejected, and everything that needs it is skipped.
 *
 * @throws PhasegateError `DECISION_INVALID` when the reason is not a string.
 */
export function reject(reason: string): Decision {
  return { type: 'reject', reason: text('reject', 'reason', reason) };
}

/**
 * Holds the phase until a person decides; everything that does not need it goes on.
 *
 * @throws PhasegateError `DECISION_INVALID` when the reason is not a string.
 */
export function escalate(reason: string): Decision {
  return { type: 'escalate', reason: text('escalate', 'reason', reason) };
}

/** True when the decision does not let the attempt pass: it asks for changes, or rejects. */
export function isNegative(decision: Decision): boolean {
  return decision.type !== 'approve' && decision.type !== 'escalate';
}

// --- internal ---

function text(decision: string, field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new PhasegateError(
    'DECISION_INVALID',
    `Cannot make a ${decision} decision as its ${field} is not a string: ${String(value)}`,
    {
      hint: `Pass a string; an empty one is allowed.`,
    },
  );
}
