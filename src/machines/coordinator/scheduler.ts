/**
 * Starts of phases: the queue, the slots, and the input of each start.
 *
 * @module
 */
import { createView } from '../../model/ledger/input-view.ts';
import { currentCommit } from '../../model/ledger/ledger.ts';
import { EDITION } from '../../model/plan/edition.ts';
import { countOf } from '../../model/plan/policy.ts';
import { mergeCorrections } from '../../model/revision/revision.ts';
import type { PhaseStart } from '../phase/phase-context.ts';
import { withHistory } from '../phase/phase-memory.ts';
import { recallAtRetry, recallAtStart } from './carry-over.ts';
import { endIfDone } from './completion.ts';
import { length } from './fifo.ts';
import { mayAttempt } from './limits.ts';
import { moveTo } from './phase-state.ts';
import { canStart } from './readiness.ts';
import { dequeue, mayBegin, reachesPerson, type PhaseState, type RunState } from './run-state.ts';
import { unchangedFor } from './unchanged.ts';

/**
 * Starts queued phases after the current step.
 *
 * Not at once: actions of machines call this, and XState warns of every machine that is created in one.
 */
export function scheduleStarts(state: RunState): void {
  if (state.isStartDue || length(state.queue) === 0) return;
  state.isStartDue = true;
  state.ports.later(startQueued);
}

/** Starts the next attempt of a phase that retries, on the same inputs. */
export function startNextAttempt(state: RunState, entry: PhaseState): void {
  takeSlot(state, entry);
  entry.attempt += 1;
  entry.attempts += 1;
  entry.actor?.send({ type: 'restart', recollection: recallAtRetry(entry) });
}

// --- internal ---

/** Starts queued phases while there is room. */
function startQueued(state: RunState): void {
  // Waiting tries have asked before those of a phase that starts now.
  state.quota?.recheckNow();
  const room = countOf(state.plan.concurrency);
  while (state.ended === undefined && state.blockingLimits.length === 0) {
    const entry = dequeue(state, state.activeCount < room);
    if (!entry) break;
    if (entry.lifecycle === 'retrying') startNextAttempt(state, entry);
    else if (canStart(state.readiness, entry.index) && mayBegin(entry)) startPhase(state, entry);
  }
  state.isStartDue = false;
  endIfDone(state);
  state.ports.publish();
}

/** Starts a phase from the current inputs: a new generation, or one that waits for a predecessor that it sent back. */
function startPhase(state: RunState, entry: PhaseState): void {
  if (!mayAttempt(state, entry, true)) return;
  const start = startOf(state, entry);
  const recollection = recallAtStart(state, entry, start);
  takeSlot(state, entry);
  entry.attempt = start.attempt;
  entry.attempts += 1;
  entry.startsAfresh = true;
  if (entry.actor) {
    entry.actor.send({ type: 'restart', start, recollection });
    return;
  }
  const { generation, phase } = entry;
  const { run, input, edition } = state;
  const { attempt, revision, previous, inputs, gated, memory, unchanged } = start;
  state.liveCount += 1;
  entry.actor = state.ports.spawn({
    run,
    phase,
    generation,
    input,
    gated,
    attended: reachesPerson(state, phase),
    edition: edition === EDITION ? undefined : edition,
    memory,
    unchanged,
    recollection,
    attempt,
    revision,
    previous,
    inputs,
  });
  entry.actor.start();
}

/** Returns the input of a start, with every demand that is not answered yet. */
function startOf(state: RunState, entry: PhaseState): PhaseStart {
  const { phase, startsAfresh, pendingRequests, activeRequests } = entry;
  entry.view = createView(state.ledger, entry.index);
  if (pendingRequests.length > 0) {
    entry.activeRequests = [...activeRequests, ...pendingRequests];
    entry.pendingRequests = [];
  }
  const { inputs } = entry.view;
  const unchanged = unchangedFor(state, entry);
  if (entry.activeRequests.length === 0) return { attempt: 0, inputs, memory: entry.memory, unchanged };
  const attempt = startsAfresh ? 1 : entry.attempt + 1;
  const demands = entry.activeRequests.map((request) => request.correction);
  const gated = entry.activeRequests.some((request) => request.regate);
  const revision = mergeCorrections(
    attempt,
    demands,
    entry.memory.history.filter((one) => !demands.includes(one)),
  );
  entry.memory = withHistory(entry.memory, revision);
  // Demands of a waiting phase on itself are about its own latest attempt, which its actor has.
  const isOwn = entry.actor !== undefined && demands.some(({ from }) => from === phase.name);
  const previous = isOwn ? undefined : currentCommit(state.ledger, phase.name)?.outputs;
  return { attempt, inputs, revision, previous, gated, memory: entry.memory, unchanged };
}

function takeSlot(state: RunState, entry: PhaseState): void {
  if (!entry.holdsSlot) state.activeCount += 1;
  entry.holdsSlot = true;
  moveTo(entry, 'working');
}
