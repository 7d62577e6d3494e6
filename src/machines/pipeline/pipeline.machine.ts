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
 * It spawns a phase when every ancestor is settled, commits, routes rewinds up and restarts down, and emits every
 * event of the run. It is the only writer of outputs and the only emitter of events.
 *
 * @module
 */
import { assign, emit, enqueueActions, setup, type AnyActorRef } from 'xstate';
import { errorInfo, type ErrorInfo } from '../../model/errors/phasegate-error.ts';
import type { EventOf, GivenInput, PhaseReport, RunEvent, RunStatus } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
import {
  createBoard,
  endOf,
  type Board,
  type BoardPorts,
  type PipelineInput,
  type PipelineOutput,
} from '../coordinator/run-state.ts';
import { abort, answer, cancel, note, open, receive, skip, spendTime } from '../coordinator/handle-report.ts';
import type { Continuation } from './continuation.ts';
import { endIfDone, endRun } from '../coordinator/completion.ts';
import { isActive } from '../phase/clock.ts';
import { boardOf, flush, isListenedTo, keepBoard, NO_PORTS, takeOutbox } from './run-state-registry.ts';
import { lifelineLogic } from './run-guard.ts';
import { phaseMachine } from '../phase/phase.machine.ts';
import { requirePhases } from '../phase/required-actors.ts';
import { spawnPhase } from './spawn-phase.ts';
import type { Ruling } from '../phase/phase-updates.ts';
import type { Replayed } from '../replay/replay.ts';
import { revive } from '../replay/restore-phases.ts';
import type { TimeLimit } from '../../model/plan/policy.ts';
import { isReport } from '../phase/report-channel.ts';
import { beginTurn, isFirstTurn, isSentUp, type Upward } from '../coordinator/parent-events.ts';

/** What a run can be told. */
export type PipelineCommand =
  /** A person's decision on an escalated phase, or on a limit that holds the run: approve lifts it, reject ends the run. */
  | ({ readonly type: 'decide'; readonly about: string } & Ruling)
  /** A person skips a phase that waits for one. */
  | { readonly type: 'skip'; readonly about: string; readonly because: string; readonly who?: string | undefined }
  /** Something happened to an item of the inbox. */
  | { readonly type: 'note'; readonly event: EventOf<'item.changed'> }
  /** Stop everything. */
  | { readonly type: 'cancel'; readonly reason?: string | undefined }
  /** Stop everything, as the run cannot go on. */
  | { readonly type: 'abort'; readonly error: ErrorInfo };

/** What the pipeline machine tells itself. */
type OwnEvent = { readonly type: 'settle' | 'publish' } | { readonly type: 'spend'; readonly limit: TimeLimit };

/** What the pipeline machine knows that belongs in a snapshot; the rest is on its board. */
export interface PipelineContext {
  readonly run: string;
  readonly plan: Plan;
  readonly input: unknown;
  readonly given: GivenInput | undefined;
  readonly attended: boolean;
  readonly kept: boolean;
  readonly memory: string | undefined;
  readonly edition: number | undefined;
  readonly quiet: boolean;
  readonly upward: Upward;
  /** How the run ended, with the committed outputs, by phase, then task. */
  readonly end: PipelineOutput | null;
}

/** The statechart of a run. Provide `phase`, a phase machine with its work provided; it emits every event of the run. */
export const pipelineMachine = setup({
  types: {
    input: {} as PipelineInput,
    context: {} as PipelineContext,
    events: {} as PipelineCommand | PhaseReport | OwnEvent,
    emitted: {} as RunEvent,
    output: {} as PipelineOutput,
  },
  actors: { phase: phaseMachine, lifeline: lifelineLogic },
  guards: {
    hasEnded: ({ context }, status: RunStatus) => context.end?.status === status,
    isQuiet: ({ context }) => context.quiet,
  },
  actions: {
    open({ context, self }) {
      const restored = continuations.get(self);
      beginTurn(self);
      if (restored) restored();
      else begin(makeBoard(context, self));
    },
    check: enqueueActions(({ context, self }) => requirePhases(self, context.plan)),
    // A name that no phase can have. A run that nobody can stop or store but `startRun`, and has no timer, needs none.
    watch: enqueueActions(({ context, enqueue }) => {
      const { durationMs, deadlineMs } = context.plan.limits;
      if (!context.quiet || durationMs !== undefined || deadlineMs !== undefined)
        enqueue.spawnChild('lifeline', { id: '__lifeline' });
    }),
    receive: ({ self, event }) => {
      if (isReport(event)) receive(boardOf(self), event);
      flush(self);
    },
    answer: ({ self, event }) => event.type === 'decide' && answer(boardOf(self), event.about, event),
    skip: ({ self, event }) => event.type === 'skip' && skip(boardOf(self), event.about, event.because, event.who),
    note: ({ self, event }) => event.type === 'note' && note(boardOf(self), event.event),
    cancel: ({ self, event }) => event.type === 'cancel' && cancel(boardOf(self), event.reason ?? 'cancelled'),
    endIfDone: ({ self }) => {
      endIfDone(boardOf(self));
      flush(self);
    },
    spend: ({ self, event }) => event.type === 'spend' && spendTime(boardOf(self), event.limit),
    abort: ({ self, event }) => event.type === 'abort' && abort(boardOf(self), event.error),
    keepEnd: assign({ end: ({ self }) => endOf(boardOf(self)) }),
    publish: enqueueActions(({ context, enqueue, self }) => {
      flush(self);
      for (const event of isFirstTurn(self) ? [] : takeOutbox(self)) {
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

/**
 * Has a pipeline actor that has not started go on with a run that was left, instead of beginning one.
 *
 * @throws PhasegateError `JOURNAL_DIVERGED` where a phase does not come to where its records say it was.
 */
export function goOn(pipeline: AnyActorRef, replayed: Replayed, { now, times, leftAt, next }: Continuation): void {
  const { board, surplus, pending } = replayed;
  board.ports = portsOf(pipeline, board);
  const rest = revive(pipeline, replayed, now);
  const uplink = keepBoard(pipeline, board, times);
  const { durationMs } = times.at(leftAt);
  continuations.set(pipeline, () => {
    let isUntold = surplus.length > 0 || durationMs > times.at().durationMs;
    board.outbox.push(...surplus);
    rest.speak((report) => {
      isUntold = true;
      uplink(report);
    });
    next(board, isUntold ? durationMs : undefined);
    flush(pipeline);
    board.timeLimits?.start();
    rest.work();
    if (pending) board.ports.later(pending);
    else endIfDone(board);
    flush(pipeline);
  });
}

// --- internal ---

const continuations = new WeakMap<AnyActorRef, () => void>();

function makeBoard(context: PipelineContext, self: AnyActorRef): Board {
  const board: Board = createBoard(context, NO_PORTS);
  board.ports = portsOf(self, board);
  keepBoard(self, board);
  return board;
}

function begin(board: Board): void {
  open(board);
  board.timeLimits?.start();
}

function portsOf(self: AnyActorRef, board: Board): BoardPorts {
  const ports: BoardPorts = {
    spawn: (input) => spawnPhase(self, input, () => (endIfDone(board), flush(self))),
    atRest(job) {
      board.stragglers?.whenAtRest(() => {
        job();
        ports.publish();
      });
    },
    // A turn later, when the phases that have just been stopped have said so.
    settle: () => queueMicrotask(() => isActive(self) && self.send({ type: 'settle' })),
    publish() {
      flush(self);
      if (!isListenedTo(self) && isActive(self) && boardOf(self).outbox.length > 0) self.send({ type: 'publish' });
    },
    later(job) {
      Promise.resolve(board)
        .then(job)
        .catch((error: unknown) => endRun(board, { status: 'failed', error: errorInfo(error, 'INTERNAL') }));
    },
  };
  return ports;
}

function contextOf(options: PipelineInput): PipelineContext {
  const { run, plan, input = null, given, attended = false, kept = false, memory, edition } = options;
  const { quiet = false, upward = 'waits' } = options;
  return { run, plan, input, given, attended, kept, memory, edition, quiet, upward, end: null };
}
