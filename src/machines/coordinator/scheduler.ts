/**
 * Starting phases: the queue, the places, and what each start is told.
 *
 * @module
 */
import { isFree } from './readiness.ts';
import { EDITION } from '../../model/plan/edition.ts';
import { currentCommit } from '../../model/ledger/ledger.ts';
import { createView } from '../../model/ledger/input-view.ts';
import { countOf } from '../../model/plan/policy.ts';
import { length } from './fifo.ts';
import { mergeCorrections } from '../../model/revision/revision.ts';
import { dequeue, mayBegin, reachesPerson, type Board, type Entry } from './run-state.ts';
import type { Past, Start } from '../phase/phase-context.ts';
import { endIfDone } from './completion.ts';
import { recallAtRetry, recallAtStart } from './carry-over.ts';
import { mayAttempt } from './limits.ts';
import { unchangedFor } from './unchanged.ts';

/**
 * Has queued phases started, as soon as what goes on now is over.
 *
 * Not at once: this is called from actions of machines, and XState warns of every machine that is created in one.
 */
export function schedule(board: Board): void {
  if (board.scheduled || length(board.queue) === 0) return;
  board.scheduled = true;
  board.ports.later(pump);
}

/** Lets a phase that retries begin its next attempt, on the inputs it has. */
export function resume(board: Board, entry: Entry): void {
  takeSlot(board, entry);
  entry.attempt += 1;
  entry.attempts += 1;
  entry.actor?.send({ type: 'restart', recollection: recallAtRetry(entry) });
}

// --- internal ---

/** Starts queued phases while there is room. */
function pump(board: Board): void {
  // Tries that wait have asked before those of a phase that starts now.
  board.till?.lookNow();
  const room = countOf(board.plan.concurrency);
  while (board.ended === undefined && board.held.length === 0) {
    const entry = dequeue(board, board.working < room);
    if (!entry) break;
    if (entry.parked === 'retrying') resume(board, entry);
    else if (isFree(board.course, entry.index) && mayBegin(entry)) begin(board, entry);
  }
  board.scheduled = false;
  endIfDone(board);
  board.ports.publish();
}

/** Starts a phase from the inputs that are current now: anew, or where it waits for a predecessor that it sent back. */
function begin(board: Board, entry: Entry): void {
  if (!mayAttempt(board, entry, true)) return;
  const start = startOf(board, entry);
  const recollection = recallAtStart(board, entry, start);
  const unchanged = unchangedFor(board, entry);
  takeSlot(board, entry);
  entry.attempt = start.attempt;
  entry.attempts += 1;
  entry.fresh = true;
  if (entry.actor) {
    // It has waited for what it sent back, and others may have sent back something meanwhile.
    const news = { rewinds: entry.rewinds, trail: entry.trail, owed: entry.owed, unchanged };
    entry.actor.send({ type: 'restart', start: Object.assign(start, { news }), recollection });
    return;
  }
  const { generation, phase, rewinds, history } = entry;
  const { run, input, edition } = board;
  entry.standing = 'live';
  board.live += 1;
  const { attempt, revision, previous, inputs, gated } = start;
  entry.actor = board.ports.spawn({
    run,
    phase,
    generation,
    input,
    gated,
    attended: reachesPerson(board, phase),
    edition: edition === EDITION ? undefined : edition,
    rewinds,
    history,
    past: pastOf(entry, recollection, unchanged),
    attempt,
    revision,
    previous,
    inputs,
  });
  entry.actor.start();
}

/** What a phase remembers that begins as a new generation; most have nothing to remember. */
function pastOf(
  { findings, trail, owed, saying }: Entry,
  recollection: Past['recollection'],
  unchanged: Past['unchanged'],
): Past | undefined {
  if (findings.length + trail.length + owed.length === 0 && !recollection && !saying && !unchanged) return undefined;
  return { findings, trail, owed, saying, unchanged, recollection };
}

/** What a start is told: every demand that is not answered yet, or nothing. */
function startOf(board: Board, entry: Entry): Start {
  const { phase, fresh, requests, outstanding, history } = entry;
  entry.view = createView(board.ledger, entry.index);
  if (requests.length > 0) {
    entry.outstanding = [...outstanding, ...requests];
    entry.requests = [];
  }
  const { inputs } = entry.view;
  if (entry.outstanding.length === 0) return { attempt: 0, inputs };
  const attempt = fresh ? 1 : entry.attempt + 1;
  const demands = entry.outstanding.map((request) => request.correction);
  const gated = entry.outstanding.some((request) => request.regate);
  const revision = mergeCorrections(
    attempt,
    demands,
    history.filter((one) => !demands.includes(one)),
  );
  entry.history = revision.history;
  // What a phase that waited has to correct of itself is about the attempt that found it, which its actor has.
  const isOwn = entry.actor !== undefined && demands.some(({ from }) => from === phase.name);
  const previous = isOwn ? undefined : currentCommit(board.ledger, phase.name)?.outputs;
  return { attempt, inputs, revision, previous, gated };
}

function takeSlot(board: Board, entry: Entry): void {
  if (!entry.holdsSlot) board.working += 1;
  entry.holdsSlot = true;
  entry.parked = undefined;
}
