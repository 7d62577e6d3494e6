/**
 * Where the board of a pipeline actor is found.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { PhasegateError } from '../model/errors.ts';
import { retire, type Board } from './board.ts';

const boards = new WeakMap<AnyActorRef, Board>();

/** Remembers the board of a pipeline actor. */
export function keepBoard(pipeline: AnyActorRef, board: Board): void {
  boards.set(pipeline, board);
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

/** Stops every phase that is still live, without a word: nobody listens any more. */
export function disband(pipeline: AnyActorRef): void {
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
