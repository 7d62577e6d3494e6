/**
 * One run of a pipeline: the parent of its phases.
 *
 * ```text
 *   running ── all is done, nothing ended badly ▶ completed
 *      ├────── a phase was rejected ─────────▶ rejected
 *      ├────── a phase failed ───────────────▶ failed
 *      ├────── cancel ───────────────────────▶ cancelled
 *      └────── a limit is spent ─────────────▶ exhausted
 * ```
 *
 * It spawns a phase when every ancestor is settled, commits, routes rewinds and restarts, and emits every event of the run. It is the
 * only writer of outputs and the only emitter of events.
 *
 * @module
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { EventOf, PhaseReport, RunEvent, RunStatus } from '../../model/events/event.ts';
import type { TimeLimit } from '../../model/plan/policy-schema.ts';
import { endIfDone } from '../coordinator/completion.ts';
import {
  abort,
  applyDecision,
  cancel,
  handleReport,
  recordItemChange,
  skip,
  spendTime,
} from '../coordinator/handle-report.ts';
import { beginTurn, isFirstTurn, isSentUp } from '../coordinator/parent-events.ts';
import { endOf, type PipelineInput, type PipelineOutput } from '../coordinator/run-state.ts';
import type { PersonDecision } from '../phase/phase-updates.ts';
import { phaseMachine } from '../phase/phase.machine.ts';
import { isReport } from '../phase/run-services.ts';
import { requirePhases } from '../phase/required-actors.ts';
import { openRun } from './open-run.ts';
import { contextOf, type PipelineContext } from './pipeline-context.ts';
import { runGuardLogic } from './run-guard.ts';
import { drainOutbox, flushOutbox, runStateOf } from './run-state-registry.ts';

/** Commands of a run. */
export type PipelineCommand =
  /** A person's decision on an escalated phase, or on a limit that blocks the run: approve lifts it, reject ends the run. */
  | ({ readonly type: 'decide'; readonly about: string } & PersonDecision)
  /** A person skips a phase that waits for one. */
  | { readonly type: 'skip'; readonly about: string; readonly because: string; readonly who?: string | undefined }
  /** Records a change of an item of the inbox. */
  | { readonly type: 'note'; readonly event: EventOf<'item.changed'> }
  /** Stop everything. */
  | { readonly type: 'cancel'; readonly reason?: string | undefined }
  /** Fail the run with an error. */
  | { readonly type: 'abort'; readonly error: ErrorInfo };

/** Events that the pipeline machine sends to itself. */
type OwnEvent = { readonly type: 'settle' | 'publish' } | { readonly type: 'spend'; readonly limit: TimeLimit };

/** The statechart of a run. Provide `phase`, a phase machine with its work provided; it emits every event of the run. */
export const pipelineMachine = setup({
  types: {
    input: {} as PipelineInput,
    context: {} as PipelineContext,
    events: {} as PipelineCommand | PhaseReport | OwnEvent,
    emitted: {} as RunEvent,
    output: {} as PipelineOutput,
  },
  actors: { phase: phaseMachine, runGuard: runGuardLogic },
  guards: {
    hasEnded: ({ context }, status: RunStatus) => context.end?.status === status,
    isQuiet: ({ context }) => context.quiet,
  },
  actions: {
    open({ context, self }) {
      beginTurn(self);
      openRun(self, context);
    },
    check: enqueueActions(({ context, self }) => requirePhases(self, context.plan)),
    // No phase can have this id. A run that only `startRun` can stop or store, and without a timer, needs no guard.
    watch: enqueueActions(({ context, enqueue }) => {
      const { durationMs, deadlineMs } = context.plan.limits;
      if (!context.quiet || durationMs !== undefined || deadlineMs !== undefined)
        enqueue.spawnChild('runGuard', { id: '__guard' });
    }),
    receive: ({ self, event }) => {
      if (isReport(event)) handleReport(runStateOf(self), event);
      flushOutbox(self);
    },
    answer: ({ self, event }) => event.type === 'decide' && applyDecision(runStateOf(self), event.about, event),
    skip: ({ self, event }) => event.type === 'skip' && skip(runStateOf(self), event.about, event.because, event.who),
    note: ({ self, event }) => event.type === 'note' && recordItemChange(runStateOf(self), event.event),
    cancel: ({ self, event }) => event.type === 'cancel' && cancel(runStateOf(self), event.reason ?? 'cancelled'),
    endIfDone: ({ self }) => {
      endIfDone(runStateOf(self));
      flushOutbox(self);
    },
    spend: ({ self, event }) => event.type === 'spend' && spendTime(runStateOf(self), event.limit),
    abort: ({ self, event }) => event.type === 'abort' && abort(runStateOf(self), event.error),
    keepEnd: assign({ end: ({ self }) => endOf(runStateOf(self)) }),
    publish: enqueueActions(({ context, enqueue, self }) => {
      flushOutbox(self);
      for (const event of isFirstTurn(self) ? [] : drainOutbox(self)) {
        enqueue({ type: 'say', params: event } as never);
        if (self._parent && isSentUp(event, context.upward))
          enqueue.sendTo(self._parent, { ...event, run: context.run });
      }
    }),
    say: emit((_, event: RunEvent) => event),
  },
}).createMachine({
  id: 'pipeline',
  context: ({ input }) => contextOf(input),
  initial: 'running',
  states: {
    running: {
      entry: ['check', 'open', 'watch'],
      on: {
        spend: { actions: ['spend', 'publish'] },
        'task.*': { actions: ['receive', 'publish'] },
        'phase.*': [{ guard: 'isQuiet', actions: 'receive' }, { actions: ['receive', 'publish'] }],
        'review.*': { actions: ['receive', 'publish'] },
        'check.*': { actions: ['receive', 'publish'] },
        'loop.*': { actions: ['receive', 'publish'] },
        'attempt.*': { actions: ['receive', 'publish'] },
        'xstate.done.actor.*': [{ guard: 'isQuiet', actions: 'endIfDone' }, { actions: ['endIfDone', 'publish'] }],
        decide: { actions: ['answer', 'publish'] },
        skip: { actions: ['skip', 'publish'] },
        note: { actions: ['note', 'publish'] },
        cancel: { actions: ['cancel', 'publish'] },
        abort: { actions: ['abort', 'publish'] },
        publish: { actions: 'publish' },
        settle: { target: 'settling', actions: ['publish', 'keepEnd'] },
      },
    },
    settling: {
      always: [
        { guard: { type: 'hasEnded', params: 'completed' }, target: 'completed' },
        { guard: { type: 'hasEnded', params: 'rejected' }, target: 'rejected' },
        { guard: { type: 'hasEnded', params: 'failed' }, target: 'failed' },
        { guard: { type: 'hasEnded', params: 'cancelled' }, target: 'cancelled' },
        { target: 'exhausted' },
      ],
    },
    completed: { type: 'final' },
    rejected: { type: 'final' },
    failed: { type: 'final' },
    cancelled: { type: 'final' },
    exhausted: { type: 'final' },
  },
  output: ({ context }) => context.end ?? { status: 'failed', outputs: {} },
});
