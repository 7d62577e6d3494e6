/**
 * Rewinds: a later phase sends back an earlier one, and readers of its old outputs run again or are marked.
 *
 * @module
 */
import type { EventOf } from '../../model/events/event.ts';
import { acknowledge, readOf, readTasksOf } from '../../model/ledger/input-view.ts';
import { addCommit, countAsRead, currentCommit, differs, readersOf, type Commit } from '../../model/ledger/ledger.ts';
import { isBefore } from '../../model/plan/edition.ts';
import type { GatePlan } from '../../model/plan/plan.ts';
import type { Correction } from '../../model/revision/revision.ts';
import { between } from '../../model/values/graph.ts';
import { failWaiting } from './completion.ts';
import { isLive, moveTo } from './phase-state.ts';
import { canStart, isUnsettled, markSettled, markUnsettled } from './readiness.ts';
import { addRequest, deferRequests, pathTo } from './rewind-requests.ts';
import { closePhase, enqueue, phaseAt, phaseNamed, type PhaseState, type RunState } from './run-state.ts';

/**
 * Sends back an earlier phase for a live one, which waits for it and for every phase between them. A rider that runs again anyway
 * gets its demand then; any other rider is sent back as well.
 */
export function sendBack(state: RunState, requester: PhaseState, report: EventOf<'phase.rewinding'>): void {
  const target = phaseNamed(state, report.target);
  if (!target || requester.failedAncestor !== undefined) {
    if (target) deferRequests(state, requester, target, report);
    failWaiting(state, requester, requester.failedAncestor ?? report.target);
    return;
  }
  const isOnPath = pathTo(state, requester, target);
  const sentBack = [target];
  sendBackTarget(state, requester, target, report.correction);
  for (const { phase, correction } of report.riders ?? []) {
    const entry = phaseNamed(state, phase);
    if (entry && isOnPath(entry)) addRequest(entry, requester, correction, true);
    else if (entry) {
      sendBackTarget(state, requester, entry, correction);
      sentBack.push(entry);
    }
  }
  const free = sentBack.filter(({ index, lifecycle }) => lifecycle === 'pending' && canStart(state.readiness, index));
  enqueue(
    state,
    free.map(({ index }) => index).toSorted((a, b) => a - b),
  );
}

/** Commits the outputs of an approved phase. */
export function commit(state: RunState, entry: PhaseState, outputs: Commit['outputs']): Commit {
  const { view, phase } = entry;
  const read = view ? readOf(view) : {};
  const done = addCommit(state.ledger, phase.name, outputs, read, readTasksIn(state, entry));
  closePhase(state, entry, 'approved');
  entry.invalidation = entry.activeRequests.reduce(
    (widest, request) => stronger(widest, request.invalidation),
    entry.invalidation,
  );
  if (entry.activeRequests.length > 0) entry.activeRequests = [];
  if (entry.deferredRequests.length > 0) entry.deferredRequests = NOBODY;
  entry.view = undefined;
  return done;
}

/** Follows up a published commit: invalidates or marks readers of older versions, and starts phases that wait for it. */
export function followUp(state: RunState, entry: PhaseState, done: Commit): void {
  const { name } = entry.phase;
  for (const read of outdated(state, done)) state.outbox.push({ type: 'phase.stale', phase: name, because: read });
  if (done.version > 1) {
    for (const reader of readersIn(state, entry)) invalidateReader(state, reader, entry, done);
  }
  entry.invalidation = 'requester';
  if (entry.pendingRequests.length > 0) {
    // The next generation answers demands that came while this one ran.
    entry.generation += 1;
    entry.startsAfresh = false;
    moveTo(entry, 'pending');
    if (canStart(state.readiness, entry.index)) enqueue(state, [entry.index]);
    return;
  }
  enqueue(state, markSettled(state.readiness, entry.index));
}

/** Remembers a rewind with its requester and its target, to find loops. */
export function rememberRewind(state: RunState, entry: PhaseState, target: string): void {
  const made = { from: entry.phase.name, to: target };
  for (const one of [entry, phaseNamed(state, target)])
    if (one) one.memory = { ...one.memory, recentRewinds: [...one.memory.recentRewinds, made].slice(-3) };
}

// --- internal ---

/** Returns the wider of two invalidations. */
function stronger(one: GatePlan['invalidate'], other: GatePlan['invalidate']): GatePlan['invalidate'] {
  const order = ['requester', 'changed', 'all'] as const;
  return order.indexOf(one) >= order.indexOf(other) ? one : other;
}

const NOBODY: readonly never[] = Object.freeze([]);

function sendBackTarget(state: RunState, requester: PhaseState, target: PhaseState, correction: Correction): void {
  const { gate } = requester.phase;
  const spread = gate?.invalidate ?? 'requester';
  addRequest(target, requester, correction, gate?.regate ?? true);
  if (!isUnsettled(state.readiness, target.index)) {
    target.generation += 1;
    target.startsAfresh = false;
    moveTo(target, 'pending');
    markUnsettled(state.readiness, target.index);
  }
  for (const index of between(state.graph, target.index, requester.index)) {
    const entry = phaseAt(state, index);
    entry.invalidation = stronger(entry.invalidation, spread);
    runAgain(state, entry, target.phase.name);
  }
}

/** Runs a phase again from new inputs. A live one is stopped, and its late results are dropped. */
function runAgain(state: RunState, entry: PhaseState, because: string): void {
  if (!mayRunAgain(entry)) return;
  closePhase(state, entry, 'pending');
  entry.generation += 1;
  markUnsettled(state.readiness, entry.index);
  state.outbox.push({ type: 'phase.invalidated', phase: entry.phase.name, generation: entry.generation, because });
}

/** True for a phase whose outputs, or whose attempt, may be out of date. One in `rewinding` starts from new inputs anyway. */
function mayRunAgain(entry: PhaseState): boolean {
  return entry.lifecycle === 'approved' || (isLive(entry) && entry.lifecycle !== 'rewinding');
}

/** Returns the readers of a phase that have begun: direct successors, and others whose commit or view has it. */
function readersIn(state: RunState, { index, phase }: PhaseState): readonly PhaseState[] {
  const direct = new Set(state.graph.next[index]);
  return readersOf(state.ledger, index).flatMap((at) => {
    const one = state.phases.get(at);
    return one && (direct.has(at) || readBy(state, one)?.[phase.name] !== undefined) ? one : [];
  });
}

/** Returns the versions that a phase has read for its commit, or for its attempt. */
function readBy(state: RunState, entry: PhaseState): Commit['read'] | undefined {
  if (isLive(entry)) return entry.view && readOf(entry.view);
  return currentCommit(state.ledger, entry.phase.name)?.read;
}

function invalidateReader(state: RunState, reader: PhaseState, source: PhaseState, done: Commit): void {
  const { name } = source.phase;
  if (!mayRunAgain(reader)) return;
  const version = readBy(state, reader)?.[name];
  // A live reader may read more.
  const isDone = reader.lifecycle === 'approved';
  const tasks = isDone ? currentCommit(state.ledger, reader.phase.name)?.readTasks?.[name] : undefined;
  const changed = version === undefined || differs(state.ledger, name, version, done.version, tasks);
  if (source.invalidation === 'all' || (source.invalidation === 'changed' && changed)) {
    reader.invalidation = stronger(reader.invalidation, source.invalidation);
    runAgain(state, reader, name);
  } else if (source.invalidation === 'changed') {
    if (reader.view) acknowledge(reader.view, name, done.version);
    else if (isDone && !isBefore(state, 3)) {
      countAsRead(state.ledger, reader.phase.name, name, done.version);
      state.outbox.push({ type: 'phase.unaffected', phase: reader.phase.name, source: name, version: done.version });
    }
  } else if (reader.lifecycle === 'approved') {
    state.outbox.push({ type: 'phase.stale', phase: reader.phase.name, because: name });
  }
}

/** Returns the tasks whose outputs an approved phase has read. A subscriber to artifacts of a phase may have read any of its tasks. */
function readTasksIn(state: RunState, { view, phase }: PhaseState): Commit['readTasks'] {
  if (!view || isBefore(state, 3)) return undefined;
  return readTasksOf(view, (name) => phase.subscribe?.some((one) => one.phase === name) ?? false);
}

/** Returns the phases of which a commit has read an old version. */
function outdated(state: RunState, { read }: Commit): readonly string[] {
  return Object.keys(read).filter((name) => currentCommit(state.ledger, name)?.version !== read[name]);
}
