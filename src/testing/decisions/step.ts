/**
 * The model of decisions: one decision leads from a state to the next, and shows entries of the coverage.
 *
 * It follows docs/semantics.md. It knows no time and no outputs: all outputs and demands differ, so no loop is found in them.
 *
 * @module
 */
import type { Act } from './decision.ts';
import { change, draftOf, open, showCheck, showRow, spotAt, stepOf, type Draft, type Step } from './draft.ts';
import { endBadly, endRun, skipPhase } from './ending.ts';
import { decideLimit, spendLimit } from './held-limit.ts';
import { alternates, commit, rewind } from './rewind.ts';
import { seatNamed, type GateFacts, type Seat, type Setting } from './setting.ts';
import { attempt, escalate, isHeld, isWornOut, reachLimit, startFree } from './starts.ts';
import { firstState, isWhole, type PathState } from './state.ts';

/** Starts a run. */
export function begin(setting: Setting): Step {
  const draft = draftOf(setting, firstState(setting));
  startFree(draft);
  return stepOf(draft);
}

/** Makes a decision that is possible in a state. */
export function step(setting: Setting, state: PathState, act: Act): Step {
  const draft = draftOf(setting, state);
  const seat = seatNamed(setting, act.about);
  if (!seat) decideLimit(draft, act);
  else if (spotAt(draft, seat.index).standing === 'escalated') decideByPerson(draft, seat, act);
  else decideAtWork(draft, seat, act);
  startFree(draft);
  return stepOf(draft);
}

// --- internal ---

function decideByPerson(draft: Draft, seat: Seat, { decision, target }: Act): void {
  const { onExpiry = 'stay' } = seat.gate?.plan.inbox ?? {};
  if (decision === 'abort') {
    endRun(draft, 'cancelled');
    return;
  }
  showRow(draft, seat, 'question', decision === 'expire' ? 'expired' : 'answered');
  if (decision === 'approve') commit(draft, seat, true);
  else if (decision === 'retry') retry(draft, seat, true);
  else if (decision === 'retryPredecessor') sendBack(draft, seat, seatNamed(draft.setting, target ?? ''), true);
  else if (decision === 'skip') skipPhase(draft, seat);
  else if (decision === 'reject' || onExpiry === 'reject') endBadly(draft, seat, 'rejected');
  else {
    change(draft, seat.index, { expired: true });
    if (onExpiry !== 'stay') open(draft, seat.name, 'question');
  }
}

function decideAtWork(draft: Draft, seat: Seat, act: Act): void {
  const { gate } = seat;
  if (act.decision === 'spentLimit' && act.limit !== undefined) spendLimit(draft, seat, act.limit);
  else if (act.decision === 'failedTask') endBadly(draft, seat, 'failed');
  else if (act.decision === 'done' || !gate) commit(draft, seat, false);
  else if (act.decision === 'failedCheck') {
    showChecks(draft, seat, gate, act.check);
    demandRetry(draft, seat, gate);
  } else if (act.decision === 'reviewError' && gate.breaker !== undefined) {
    showRow(draft, seat, 'reviewError');
    askAgain(draft, seat, gate);
  } else decideByReviewers(draft, seat, gate, act);
}

function decideByReviewers(draft: Draft, seat: Seat, gate: GateFacts, act: Act): void {
  const expired = act.decision === 'expire' ? gate.mute : undefined;
  const { pending } = spotAt(draft, seat.index);
  const asked = isWhole(pending) ? gate.reviewers : pending === 'mute' && gate.mute ? [gate.mute] : gate.deciders;
  for (const one of asked) if (one.question && one !== expired) showRow(draft, seat, 'question', 'answered');
  if (expired) {
    showRow(draft, seat, 'question', 'expired');
    const { onExpiry = 'stay' } = expired.question ?? {};
    if (onExpiry !== 'reject') {
      change(draft, seat.index, { pending: 'mute', expired: true });
      if (onExpiry !== 'stay') open(draft, seat.name, 'question');
      return;
    }
  }
  showChecks(draft, seat, gate);
  switch (act.decision) {
    case 'approve':
      showRow(draft, seat, 'approve');
      commit(draft, seat, true);
      return;
    case 'retry':
      demandRetry(draft, seat, gate);
      return;
    case 'retryPredecessor':
      demandRewind(draft, seat, gate, act.target ?? '');
      return;
    case 'escalate':
      showRow(draft, seat, 'escalate');
      escalate(draft, seat);
      return;
    case 'unreadable':
      showRow(draft, seat, 'unreadable');
      if (gate.plan.onUnrecognised === 'approve') {
        if (gate.mayBeUnsure) showRow(draft, seat, 'inconclusive');
        commit(draft, seat, true);
      } else askAgain(draft, seat, gate, 'deciders');
      return;
    case 'reviewError':
      showRow(draft, seat, 'reviewError');
      askAgain(draft, seat, gate, 'deciders');
      return;
    case 'unsure':
      showRow(draft, seat, 'inconclusive');
      askAgain(draft, seat, gate, 'deciders');
      return;
    case 'reject':
    case 'expire':
    case 'failedCheck':
    case 'failedTask':
    case 'spentLimit':
    case 'skip':
    case 'abort':
    case 'done':
      // Only the first two come here: a question that expires rejects.
      showRow(draft, seat, 'reject');
      endBadly(draft, seat, 'rejected');
  }
}

/** Shows the outcomes of the checks once for each attempt. */
function showChecks(draft: Draft, seat: Seat, { plan }: GateFacts, failed?: string): void {
  if (spotAt(draft, seat.index).checked) return;
  change(draft, seat.index, { checked: true });
  for (const check of plan.checks) showCheck(draft, seat, check, check === failed ? 'failed' : 'passed');
}

/** Asks a failed review again, as often as the gate allows. */
function askAgain(draft: Draft, seat: Seat, gate: GateFacts, pending: 'all' | 'deciders' = 'all'): void {
  const { errors } = spotAt(draft, seat.index);
  const isLeft = errors < gate.maxErrors;
  showRow(draft, seat, 'reviewAgain', isLeft ? 'granted' : 'refused');
  if (isLeft) {
    change(draft, seat.index, { errors: counted(errors, gate.maxErrors), pending });
    open(draft, seat.name, 'review');
  } else if (gate.reachesPerson) escalate(draft, seat);
  else endBadly(draft, seat, 'failed');
}

function demandRetry(draft: Draft, seat: Seat, gate: GateFacts): void {
  if (spotAt(draft, seat.index).retries < gate.maxRetries) retry(draft, seat, false);
  else {
    showRow(draft, seat, 'retry', 'refused');
    exhaust(draft, seat, gate);
  }
}

function demandRewind(draft: Draft, seat: Seat, gate: GateFacts, name: string): void {
  const target = seatNamed(draft.setting, name);
  if (!target) return;
  const { spent, known } = spotAt(draft, seat.index);
  const isLoop = gate.plan.loopAfter !== 'unlimited' && alternates(known, [seat.index, target.index]);
  if ((spent[target.index] ?? 0) < gate.maxRewinds && !isLoop) sendBack(draft, seat, target, false);
  else {
    showRow(draft, seat, 'retryPredecessor', 'refused', name);
    exhaust(draft, seat, gate);
  }
}

/** Handles a demand for which no budget is left. */
function exhaust(draft: Draft, seat: Seat, { plan }: GateFacts): void {
  if (plan.onExhausted === 'escalate') escalate(draft, seat);
  else if (plan.onExhausted === 'reject') endBadly(draft, seat, 'rejected');
  else commit(draft, seat, false);
}

function retry(draft: Draft, seat: Seat, isByPerson: boolean): void {
  const { corrections = Infinity } = draft.setting.plan.limits;
  if (!isByPerson && draft.corrections >= corrections) {
    reachLimit(draft, seat, 'corrections');
    return;
  }
  if (!isByPerson && isWornOut(draft, seat)) {
    reachLimit(draft, seat, 'attemptsPerPhase');
    return;
  }
  count(draft);
  const { standing, retries } = spotAt(draft, seat.index);
  if (!isByPerson) {
    showRow(draft, seat, 'retry', 'granted');
    change(draft, seat.index, { retries: counted(retries, seat.gate?.maxRetries) });
  }
  // A retry keeps its place; a phase that waited for a person has none. No attempt begins while the run is held.
  if (standing === 'working' && !isHeld(draft)) attempt(draft, seat);
  else change(draft, seat.index, { standing: 'returning', hasPlace: standing === 'working' });
}

function sendBack(draft: Draft, seat: Seat, target: Seat | undefined, isByPerson: boolean): void {
  if (!target) return;
  const { corrections = Infinity, perPair = Infinity } = draft.setting.plan.limits;
  const { spent } = spotAt(draft, seat.index);
  const times = spent[target.index] ?? 0;
  if (!isByPerson && draft.corrections >= corrections) {
    reachLimit(draft, seat, 'corrections');
    return;
  }
  if (!isByPerson && times >= perPair) {
    reachLimit(draft, seat, 'perPair');
    return;
  }
  count(draft);
  if (!isByPerson) {
    showRow(draft, seat, 'retryPredecessor', 'granted', target.name);
    const most = Math.min(seat.gate?.maxRewinds ?? 0, perPair);
    change(draft, seat.index, { spent: { ...spent, [target.index]: counted(times, most) } });
  }
  rewind(draft, seat, target);
}

function count(draft: Draft): void {
  // Corrections of people count beyond the limit, which changes nothing.
  const { corrections = 0 } = draft.setting.plan.limits;
  draft.corrections = Math.min(corrections, draft.corrections + 1);
}

/** Counts once more, if there is a bound: without one, states stay equal. */
function counted(times: number, most = Infinity): number {
  return most === Infinity ? 0 : times + 1;
}
