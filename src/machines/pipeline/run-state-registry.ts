/**
 * Where the board of a pipeline actor is found.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { PhaseReport, RunEvent } from '../../model/events/event.ts';
import type { RunTimesFold } from '../../model/events/run-times.ts';
import { retire, type Board, type BoardPorts } from '../coordinator/run-state.ts';
import { createTill } from '../coordinator/quota.ts';
import { noteRead, receive, receiveLate } from '../coordinator/handle-report.ts';
import { openStragglers, Stragglers } from '../phase/stragglers.ts';
import { openTill } from '../phase/quota-port.ts';
import { createTimeLimits } from '../coordinator/time-limits.ts';
import { openUplink, type Uplink } from '../phase/report-channel.ts';

/** Ports of a board that has none of its own yet. */
export const NO_PORTS: BoardPorts = {
  spawn() {
    throw new Error('Cannot start a phase as the board has no ports');
  },
  atRest: (job) => job(),
  settle: () => undefined,
  publish: () => undefined,
  later: () => undefined,
};

const boards = new WeakMap<AnyActorRef, Board>();
const listeners = new WeakMap<AnyActorRef, Listener>();

/** Takes the events of a run, in order. It must not throw. */
export type Listener = (event: RunEvent) => void;

/**
 * Has the events of a pipeline actor that has not started handed to a function, instead of emitted.
 *
 * An event of XState and its `emit` cost some 5 µs together, which is more than all else that the pipeline does with it.
 */
export function listenTo(pipeline: AnyActorRef, listener: Listener): void {
  listeners.set(pipeline, listener);
}

/**
 * Remembers the board of a pipeline actor.
 *
 * @param times Told all records of a run that goes on.
 * @returns What takes reports of its phases.
 */
export function keepBoard(pipeline: AnyActorRef, board: Board, times?: RunTimesFold): Uplink {
  boards.set(pipeline, board);
  board.timeLimits = createTimeLimits(pipeline, board, times);
  const uplink = (report: PhaseReport) => {
    receive(board, report);
    flush(pipeline);
  };
  if (isListenedTo(pipeline)) openUplink(pipeline, uplink);
  board.ledger.onAsk = (view, source) => noteRead(board, view, source);
  board.till = createTill(board);
  if (board.till) openTill(pipeline, board.till);
  const { ports } = board;
  board.stragglers = new Stragglers({
    take(late) {
      receiveLate(board, late);
      ports.publish();
    },
    later: (job) => ports.later(job),
  });
  openStragglers(pipeline, board.stragglers);
  return uplink;
}

/** Whether the events of a pipeline actor are taken directly. */
export function isListenedTo(pipeline: AnyActorRef): boolean {
  return listeners.has(pipeline);
}

const NOTHING: readonly RunEvent[] = [];

/** Events that the machine has to emit, as nobody takes them directly. */
export function takeOutbox(pipeline: AnyActorRef): readonly RunEvent[] {
  const { outbox, timeLimits } = boardOf(pipeline);
  if (outbox.length === 0) return NOTHING;
  const events = outbox.splice(0);
  if (timeLimits) for (const event of events) timeLimits.note(event);
  return events;
}

/** Hands events on to whoever takes them directly. */
export function flush(pipeline: AnyActorRef): void {
  const listener = listeners.get(pipeline);
  if (!listener) return;
  const { outbox, timeLimits } = boardOf(pipeline);
  // A listener may cause further events; they line up behind.
  for (let event = outbox.shift(); event; event = outbox.shift()) {
    timeLimits?.note(event);
    listener(event);
  }
}

/**
 * The board of a pipeline actor.
 *
 * @throws PhasegateError `SNAPSHOT_NOT_RESTORABLE` for an actor that was restored, and so has none.
 */
export function boardOf(pipeline: AnyActorRef): Board {
  const board = boards.get(pipeline);
  if (!board) throw notRestorable();
  return board;
}

/** True while a limit counts time of work. Once it is decided that the run ends, nothing but its end may follow in the records. */
export function isTimed(pipeline: AnyActorRef): boolean {
  const { ended, plan } = boardOf(pipeline);
  return !ended && plan.limits.durationMs !== undefined;
}

/** Stops every phase that is still live, and the timers, without a word: nobody listens any more. */
export function disband(pipeline: AnyActorRef): void {
  boards.get(pipeline)?.timeLimits?.stop();
  for (const entry of boards.get(pipeline)?.entries.values() ?? []) {
    if (entry.standing === 'live') retire(boardOf(pipeline), entry, 'cancelled');
  }
}

/** The error for whoever restores a pipeline that has not ended. */
export function notRestorable(): PhasegateError {
  return new PhasegateError(
    'SNAPSHOT_NOT_RESTORABLE',
    'Cannot restore a pipeline from an XState snapshot as the snapshot lacks its phases and its ledger',
    {
      hint: 'Keep the records of the run and start it again with startRun(); snapshots of a single phaseMachine, and of a pipeline that has ended, can be restored.',
    },
  );
}
