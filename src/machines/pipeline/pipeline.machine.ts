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
import { assign, setup } from 'xstate';
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { EventOf, PhaseReport, RunEvent, RunStatus } from '../../model/events/event.ts';
import type { TimeLimit } from '../../model/plan/policy-schema.ts';
import { abort, applyDecision, cancel, recordItemChange, skip, spendTime } from '../coordinator/handle-report.ts';
import { beginTurn } from '../coordinator/parent-events.ts';
import { endOf, type PipelineInput, type PipelineOutput } from '../coordinator/run-state.ts';
import type { PersonDecision } from '../phase/phase-updates.ts';
import { phaseMachine } from '../phase/phase.machine.ts';
import { openRun } from './open-run.ts';
import { contextOf, type PipelineContext } from './pipeline-context.ts';
import { pipelineLogic } from './pipeline-logic.ts';
import { runStateOf } from './run-state-registry.ts';
import { requireWork } from './spawn-phase.ts';

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

const statechart = setup({
  types: {
    input: {} as PipelineInput,
    context: {} as PipelineContext,
    events: {} as PipelineCommand | PhaseReport | OwnEvent,
    emitted: {} as RunEvent,
    output: {} as PipelineOutput,
  },
  actors: { phase: phaseMachine },
  guards: {
    hasEnded: ({ context }, status: RunStatus) => context.end?.status === status,
  },
  actions: {
    open({ context, self }) {
      beginTurn(self);
      openRun(self, context);
    },
    check: ({ context, self }) => requireWork(self, context.plan),
    answer: ({ self, event }) => event.type === 'decide' && applyDecision(runStateOf(self), event.about, event),
    skip: ({ self, event }) => event.type === 'skip' && skip(runStateOf(self), event.about, event.because, event.who),
    note: ({ self, event }) => event.type === 'note' && recordItemChange(runStateOf(self), event.event),
    cancel: ({ self, event }) => event.type === 'cancel' && cancel(runStateOf(self), event.reason ?? 'cancelled'),
    spend: ({ self, event }) => event.type === 'spend' && spendTime(runStateOf(self), event.limit),
    abort: ({ self, event }) => event.type === 'abort' && abort(runStateOf(self), event.error),
    keepEnd: assign({ end: ({ self }) => endOf(runStateOf(self)) }),
  },
}).createMachine({
  id: 'pipeline',
  context: ({ input }) => contextOf(input),
  initial: 'running',
  states: {
    running: {
      entry: ['check', 'open'],
      on: {
        spend: { actions: 'spend' },
        decide: { actions: 'answer' },
        skip: { actions: 'skip' },
        note: { actions: 'note' },
        cancel: { actions: 'cancel' },
        abort: { actions: 'abort' },
        settle: { target: 'settling', actions: 'keepEnd' },
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

/** The statechart of a run. Provide `phase`, a phase machine with its work provided; it emits every event of the run. */
export const pipelineMachine = pipelineLogic(statechart);
