/**
 * One phase of a run, in one generation.
 *
 * ```text
 *   running ──▶ reviewing ──▶ deciding ──▶ approved
 *      ▲            ▲          │ │ │ └───▶ rejected
 *      │            └ again ◀──┘ │ └─────▶ escalated ── decide ──▶ deciding
 *      ├──── retrying  ◀─────────┤
 *      └──── rewinding ◀─────────┘         retrying, rewinding: until restart, or hold ──▶ escalated
 *
 *   running ──▶ approved     there is no gate, or it is not asked again
 *   reviewing ──▶ approved   it approves
 *   running ──▶ deciding     a task, or the input schema, asks for a rewind
 *   running ──▶ failed       a task failed for good
 *   deciding ──▶ failed      code has returned no decision; the review is unavailable and nobody can be asked; a task asks for a
 *                            rewind that is not allowed; or a person approves an attempt without outputs
 *   any ── cancel ──▶ cancelled
 * ```
 *
 * A phase starts only its first attempt by itself, never touches committed outputs, and knows no sibling. It reports to its parent,
 * which commits, restarts, holds and cancels.
 *
 * The machine is pure: `phaseLogic` sends its reports, and does the work.
 *
 * `retrying` and `rewinding` are requests. The parent answers with `restart`. If a limit of the run is spent, it ends the run or answers
 * with `hold`: then the phase takes back a correction of its gate that no record has.
 *
 * @module
 */
import { assign, setup } from 'xstate';
import { errorInfo, type ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { isBroken } from '../../model/review/verdict.ts';
import { openContext, type PhaseContext, type PhaseInput } from './phase-context.ts';
import * as rules from './phase-guards.ts';
import { approvedReport, judgementReports } from './phase-reports.ts';
import * as updates from './phase-updates.ts';
import type { AttemptOutcome, GateOutcome, WorkEvent } from './ports.ts';

/** Commands of a phase. */
export type PhaseCommand =
  /** Begin the next attempt: with new inputs if `start` is given, else with the same. */
  | ({ readonly type: 'restart' } & updates.Restart)
  /** Do not begin it: wait for a person. */
  | {
      readonly type: 'hold';
      readonly reason: string;
      /** True if the correction was made already, so that its cost stays spent. @default false */
      readonly made?: boolean | undefined;
    }
  /** A person's decision. */
  | ({ readonly type: 'decide' } & updates.PersonDecision)
  /** Sets if a person can be asked from now on. */
  | { readonly type: 'attend'; readonly attended: boolean }
  /** Stop. */
  | { readonly type: 'cancel' };

/** The end of a phase. */
export interface PhaseOutput {
  readonly status: 'approved' | 'rejected' | 'failed' | 'cancelled';
  /** The outputs to commit, if it was approved. */
  readonly outputs: Readonly<Record<string, unknown>> | null;
}

/** The statechart of one phase, without its work: `phaseLogic` makes the logic of an actor of it. */
export const phaseMachine = setup({
  types: {
    input: {} as PhaseInput,
    context: {} as PhaseContext,
    events: {} as PhaseCommand | WorkEvent,
    output: {} as PhaseOutput,
  },
  guards: {
    // Read from the event: a state in between would raise the cost of a phase by a tenth.
    isFailure: (_, outcome: AttemptOutcome) => outcome.type === 'failed',
    isDemand: (_, outcome: AttemptOutcome) => outcome.type === 'rework',
    // Nothing is left to decide. The state in between would raise the cost of an attempt by a tenth.
    isApproval: ({ context }, { verdict }: GateOutcome) => verdict.type === 'approve' && context.outputs !== null,
    isUnreviewed: ({ context }) => rules.gateOf(context) === null || !context.gated,
    isBroken: ({ context }) => isBroken(context.review.verdict),
    mayAskAgain: ({ context }) => rules.mayAskAgain(context),
    mayAskPerson: ({ context }) => rules.isUnanswered(context) && context.origin.attended,
    isUnanswered: ({ context }) => rules.isUnanswered(context),
    approvesWithoutOutputs: ({ context }) => context.review.verdict?.type === 'approve' && context.outputs === null,
    approves: ({ context }) =>
      context.review.verdict?.type === 'approve' || context.review.verdict?.type === 'unrecognised',
    mayRetry: ({ context }) => rules.mayRetry(context),
    mayRewind: ({ context }) => rules.mayRewind(context),
    rejects: ({ context }) => context.review.verdict?.type === 'reject',
    escalates: ({ context }) => context.review.verdict?.type === 'escalate',
    reworkIsRefused: ({ context }) => context.review.by === 'worker',
    escalatesInvalidTarget: ({ context }) =>
      rules.hasInvalidTarget(context) && rules.gateOf(context)?.onInvalidTarget === 'escalate',
    ignoresInvalidTarget: ({ context }) =>
      rules.hasInvalidTarget(context) && rules.gateOf(context)?.onInvalidTarget === 'approve',
    escalatesExhausted: ({ context }) => rules.gateOf(context)?.onExhausted === 'escalate',
    acceptsExhausted: ({ context }) => rules.acceptsExhausted(context),
  },
  actions: {
    keepOutcome: assign(({ context }, outcome: AttemptOutcome) => updates.outcomeFields(context, outcome)),
    keepError: assign({ error: (_, error: ErrorInfo) => error }),
    keepDemand: assign(({ context }, outcome: AttemptOutcome) =>
      judged(context, updates.outcomeFields(context, outcome)),
    ),
    keepReview: assign(({ context }, outcome: GateOutcome) => judged(context, updates.reviewFields(context, outcome))),
    keepDecision: assign(({ context }, person: updates.PersonDecision) =>
      judged(context, updates.decisionFields(context, person)),
    ),
    keepAttended: assign(({ context: { origin } }, attended: boolean) => ({ origin: { ...origin, attended } })),
    countReviewError: assign({ review: ({ context: { review } }) => ({ ...review, errors: review.errors + 1 }) }),
    countRetry: assign(({ context }) => updates.retryFields(context)),
    countRewind: assign(({ context }) => updates.rewindFields(context)),
    beginNext: assign(({ context }, { start, recollection }: updates.Restart) =>
      start ? updates.restartFields(start, context, recollection) : updates.nextFields(context, recollection),
    ),
    keepHold: assign(({ context }, { reason, made }: updates.PauseOrder) =>
      made ? { held: reason } : updates.heldFields(context, reason),
    ),
  },
}).createMachine({
  id: 'phase',
  context: ({ input }) => openContext(input),
  initial: 'running',
  on: {
    cancel: '.cancelled',
    attend: { actions: { type: 'keepAttended', params: ({ event }) => event.attended } },
  },
  states: {
    running: {
      on: {
        'attempt.done': [
          {
            guard: { type: 'isFailure', params: ({ event }) => event.output },
            target: 'failed',
            actions: { type: 'keepOutcome', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'isDemand', params: ({ event }) => event.output },
            target: 'deciding',
            actions: { type: 'keepDemand', params: ({ event }) => event.output },
          },
          {
            guard: 'isUnreviewed',
            target: 'approved',
            actions: { type: 'keepOutcome', params: ({ event }) => event.output },
          },
          { target: 'reviewing', actions: { type: 'keepOutcome', params: ({ event }) => event.output } },
        ],
        'attempt.failed': {
          target: 'failed',
          actions: { type: 'keepError', params: ({ event }) => errorInfo(event.error) },
        },
      },
    },
    reviewing: {
      on: {
        'review.done': [
          {
            guard: { type: 'isApproval', params: ({ event }) => event.output },
            target: 'approved',
            actions: { type: 'keepReview', params: ({ event }) => event.output },
          },
          { target: 'deciding', actions: { type: 'keepReview', params: ({ event }) => event.output } },
        ],
        'review.failed': {
          target: 'deciding',
          actions: { type: 'keepReview', params: ({ event }) => updates.crashed(event.error) },
        },
      },
    },

    // The decision table, read top to bottom.
    deciding: {
      always: [
        { guard: 'isBroken', target: 'failed' },
        { guard: 'mayAskAgain', target: 'reviewing', actions: 'countReviewError' },
        { guard: 'mayAskPerson', target: 'escalated' },
        { guard: 'isUnanswered', target: 'failed' },
        { guard: 'approvesWithoutOutputs', target: 'failed' },
        { guard: 'approves', target: 'approved' },
        { guard: 'mayRetry', target: 'retrying', actions: 'countRetry' },
        { guard: 'mayRewind', target: 'rewinding', actions: 'countRewind' },
        { guard: 'rejects', target: 'rejected' },
        { guard: 'escalates', target: 'escalated' },
        { guard: 'reworkIsRefused', target: 'failed' },
        { guard: 'escalatesInvalidTarget', target: 'escalated' },
        { guard: 'ignoresInvalidTarget', target: 'approved' },
        { guard: 'escalatesExhausted', target: 'escalated' },
        { guard: 'acceptsExhausted', target: 'approved' }, // the last attempt, or the best, is accepted
        { target: 'rejected' }, // nothing else opens a gate
      ],
    },
    retrying: {
      on: {
        restart: { target: 'running', actions: { type: 'beginNext', params: ({ event }) => event } },
        hold: { target: 'escalated', actions: { type: 'keepHold', params: ({ event }) => event } },
      },
    },
    rewinding: {
      on: {
        restart: { target: 'running', actions: { type: 'beginNext', params: ({ event }) => event } },
        hold: { target: 'escalated', actions: { type: 'keepHold', params: ({ event }) => event } },
      },
    },
    escalated: {
      on: {
        decide: { target: 'deciding', actions: { type: 'keepDecision', params: ({ event }) => event } },
      },
    },
    approved: {
      type: 'final',
      output: ({ context }) => ended('approved', approvedReport(context).outputs),
    },
    rejected: {
      type: 'final',
      output: () => ended('rejected'),
    },
    failed: {
      type: 'final',
      output: () => ended('failed'),
    },
    cancelled: { type: 'final', output: () => ended('cancelled') },
  },
  output: ({ event }) => event.output as PhaseOutput,
});

// --- internal ---

/** Adds the reports of a decision to its fields. */
function judged(context: PhaseContext, fields: Partial<PhaseContext>): Partial<PhaseContext> {
  // A field after a spread would give each object a hidden class of its own.
  const judgement = judgementReports(Object.assign({}, context, fields));
  return Object.assign({}, fields, { judgement });
}

function ended(status: PhaseOutput['status'], outputs: PhaseOutput['outputs'] = null): PhaseOutput {
  return { status, outputs };
}
