/**
 * Going back: a phase is sent back by a later one, and what was made from its old outputs runs again or is marked.
 *
 * @module
 */
import { isFree, isUnsettled, settle, unsettle } from './readiness.ts';
import { withoutIssues } from '../../model/review/change-request.ts';
import type { EventOf } from '../../model/events/event.ts';
import { between } from '../../model/values/graph.ts';
import { isBefore } from '../../model/plan/edition.ts';
import { addCommit, countAsRead, currentCommit, differs, readersOf, type Commit } from '../../model/ledger/ledger.ts';
import type { GatePlan } from '../../model/plan/plan.ts';
import { countOf } from '../../model/plan/policy.ts';
import { acknowledge, readOf, readTasksOf } from '../../model/ledger/input-view.ts';
import { joinDemands, type Correction, type Rider } from '../../model/revision/revision.ts';
import { enqueue, entryAt, entryNamed, retire, type Board, type Entry } from './run-state.ts';
import type { RewindRequest } from './phase-state.ts';
import { failWaiting } from './completion.ts';

/**
 * A live phase sends back an earlier one, and waits: for it, and for every phase between them. Phases that have to correct
 * something, too, are told when they run again for that; those that would not are sent back as well.
 */
export function sendBack(board: Board, requester: Entry, report: EventOf<'phase.rewinding'>): void {
  const target = entryNamed(board, report.target);
  if (!target || requester.doomedBy !== undefined) {
    if (target) belate(board, requester, target, report);
    failWaiting(board, requester, requester.doomedBy ?? report.target);
    return;
  }
  const isOnPath = pathTo(board, requester, target);
  const sentBack = [target];
  reopen(board, requester, target, report.correction);
  for (const { phase, correction } of report.riders ?? []) {
    const entry = entryNamed(board, phase);
    if (entry && isOnPath(entry)) tell(entry, requester, correction, true);
    else if (entry) {
      reopen(board, requester, entry, correction);
      sentBack.push(entry);
    }
  }
  const free = sentBack.filter(({ index, standing }) => standing === 'pending' && isFree(board.course, index));
  enqueue(
    board,
    free.map(({ index }) => index).toSorted((a, b) => a - b),
  );
}

/**
 * The riders of a rewind that can be told: those that run again for it, and those that may be sent back as well. The feedback for
 * another is told to the requester; its issues stay open.
 *
 * @returns Them, and how often the requester has sent back each phase after that, where that changes.
 */
export function takeRiders(board: Board, requester: Entry, report: EventOf<'phase.rewinding'>): Taken {
  const { gate } = requester.phase;
  const target = entryNamed(board, report.target);
  const rewinds: [string, number][] = [[report.target, report.spent]];
  if (!report.riders || !target || !gate) return { riders: NOBODY, rewinds };
  const most = Math.min(countOf(gate.maxPredecessorRetries), board.plan.limits.perPair ?? Infinity);
  const isOnPath = pathTo(board, requester, target);
  const mayBeTold = ({ phase }: Rider): boolean => {
    const entry = entryNamed(board, phase);
    if (!entry || isOnPath(entry)) return entry !== undefined;
    const spent = requester.rewinds[phase] ?? 0;
    if (report.by === 'person') return true;
    if (!gate.targets.includes(phase) || spent >= most) return false;
    rewinds.push([phase, spent + 1]);
    return true;
  };
  const told = report.riders.map((rider) => ({ rider, isTold: mayBeTold(rider) }));
  const left = told.flatMap(({ rider, isTold }) => (isTold ? [] : (withoutIssues(rider) ?? [])));
  const riders = told.flatMap(({ rider, isTold }) => (isTold ? rider : []));
  return { riders: left.length === 0 ? riders : withOwn(riders, requester.phase.name, left), rewinds };
}

/** What goes along with a rewind. */
export interface Taken {
  readonly riders: readonly Rider[];
  readonly rewinds: readonly (readonly [phase: string, times: number])[];
}

/** Commits an approved phase. */
export function commit(board: Board, entry: Entry, outputs: Commit['outputs']): Commit {
  const { view, phase } = entry;
  const read = view ? readOf(view) : {};
  const done = addCommit(board.ledger, phase.name, outputs, read, readTasksIn(board, entry));
  retire(board, entry, 'approved');
  entry.spread = entry.outstanding.reduce((widest, request) => stronger(widest, request.spread), entry.spread);
  if (entry.outstanding.length > 0) entry.outstanding = [];
  if (entry.belated.length > 0) entry.belated = NOBODY;
  if (entry.findings.length > 0) entry.findings = NOBODY;
  entry.saying = undefined;
  entry.view = undefined;
  return done;
}

/** What follows from a commit, once it is published: others that read the older version, and those that wait for it. */
export function followUp(board: Board, entry: Entry, done: Commit): void {
  const { name } = entry.phase;
  for (const read of outdated(board, done)) board.outbox.push({ type: 'phase.stale', phase: name, because: read });
  if (done.version > 1) {
    for (const reader of readersIn(board, entry)) revisit(board, reader, entry, done);
  }
  entry.spread = 'requester';
  if (entry.requests.length > 0) {
    // Demands that came while it ran: the next generation answers them.
    entry.generation += 1;
    entry.fresh = false;
    entry.standing = 'pending';
    if (isFree(board.course, entry.index)) enqueue(board, [entry.index]);
    return;
  }
  enqueue(board, settle(board.course, entry.index));
}

/** Takes down a rewind, where it may be part of a loop: with who made it, and with who was sent back. */
export function noteRewind(board: Board, entry: Entry, target: string): void {
  const made = { from: entry.phase.name, to: target };
  for (const one of [entry, entryNamed(board, target)]) if (one) one.trail = [...one.trail, made].slice(-3);
}

// --- internal ---

/** The stronger of two wishes on how far a new commit spreads. */
function stronger(one: GatePlan['invalidate'], other: GatePlan['invalidate']): GatePlan['invalidate'] {
  const order = ['requester', 'changed', 'all'] as const;
  return order.indexOf(one) >= order.indexOf(other) ? one : other;
}

const NOBODY: readonly never[] = Object.freeze([]);

/** Riders with more for the requester itself, which is the last of them. */
function withOwn(riders: readonly Rider[], own: string, more: readonly Correction[]): readonly Rider[] {
  const before = riders.find(({ phase }) => phase === own)?.correction;
  const [first, ...rest] = before ? [before, ...more] : more;
  if (!first) return riders;
  const correction = { ...first, ...joinDemands([first, ...rest]) };
  return [...riders.filter(({ phase }) => phase !== own), { phase: own, correction }];
}

/** Whether a phase is the requester itself, or runs again because it is between that and what it sends back. */
function pathTo(board: Board, requester: Entry, target: Entry): (entry: Entry) => boolean {
  const path = new Set(between(board.graph, target.index, requester.index));
  return (entry) => entry === requester || path.has(entry.index);
}

function tell(entry: Entry, requester: Entry, correction: Correction, regate: boolean): void {
  entry.requests = [...entry.requests, requestOf(entry, requester, correction, regate)];
}

function requestOf(entry: Entry, requester: Entry, correction: Correction, regate: boolean): RewindRequest {
  const spread = requester.phase.gate?.invalidate ?? 'requester';
  return { correction: { ...correction, attempt: entry.attempt }, regate, spread };
}

/** Takes down what is demanded of phases that are not settled: they run when the run is tried again, if not before. */
function belate(
  board: Board,
  requester: Entry,
  target: Entry,
  { correction, riders = [] }: EventOf<'phase.rewinding'>,
): void {
  const isOnPath = pathTo(board, requester, target);
  const regate = requester.phase.gate?.regate ?? true;
  for (const demand of [{ phase: target.phase.name, correction }, ...riders]) {
    const entry = entryNamed(board, demand.phase);
    if (entry && isUnsettled(board.course, entry.index))
      entry.belated = [...entry.belated, requestOf(entry, requester, demand.correction, isOnPath(entry) || regate)];
  }
}

function reopen(board: Board, requester: Entry, target: Entry, correction: Correction): void {
  const { gate } = requester.phase;
  const spread = gate?.invalidate ?? 'requester';
  tell(target, requester, correction, gate?.regate ?? true);
  if (!isUnsettled(board.course, target.index)) {
    target.generation += 1;
    target.fresh = false;
    target.standing = 'pending';
    unsettle(board.course, target.index);
  }
  for (const index of between(board.graph, target.index, requester.index)) {
    const entry = entryAt(board, index);
    entry.spread = stronger(entry.spread, spread);
    runAgain(board, entry, target.phase.name);
  }
}

/** The phase must run again from new inputs. A live one is stopped; its late results find nobody. */
function runAgain(board: Board, entry: Entry, because: string): void {
  if (entry.parked === 'rewinding' || (entry.standing !== 'live' && entry.standing !== 'approved')) return;
  retire(board, entry, 'pending');
  entry.generation += 1;
  unsettle(board.course, entry.index);
  board.outbox.push({ type: 'phase.invalidated', phase: entry.phase.name, generation: entry.generation, because });
}

/** Phases that have begun and read a phase: its direct successors, and others whose commits, or starts, say so. */
function readersIn(board: Board, { index, phase }: Entry): readonly Entry[] {
  const direct = new Set(board.graph.next[index]);
  return readersOf(board.ledger, index).flatMap((at) => {
    const one = board.entries.get(at);
    return one && (direct.has(at) || readBy(board, one)?.[phase.name] !== undefined) ? one : [];
  });
}

/** The versions a phase was made from, or is being made from. */
function readBy(board: Board, entry: Entry): Commit['read'] | undefined {
  if (entry.standing === 'live') return entry.view && readOf(entry.view);
  return currentCommit(board.ledger, entry.phase.name)?.read;
}

function revisit(board: Board, reader: Entry, source: Entry, done: Commit): void {
  const { name } = source.phase;
  if (reader.standing !== 'live' && reader.standing !== 'approved') return;
  if (reader.parked === 'rewinding') return;
  const version = readBy(board, reader)?.[name];
  // One at work may read more.
  const isDone = reader.standing === 'approved';
  const tasks = isDone ? currentCommit(board.ledger, reader.phase.name)?.readTasks?.[name] : undefined;
  const changed = version === undefined || differs(board.ledger, name, version, done.version, tasks);
  if (source.spread === 'all' || (source.spread === 'changed' && changed)) {
    reader.spread = stronger(reader.spread, source.spread);
    runAgain(board, reader, name);
  } else if (source.spread === 'changed') {
    if (reader.view) acknowledge(reader.view, name, done.version);
    else if (isDone && !isBefore(board, 3)) {
      countAsRead(board.ledger, reader.phase.name, name, done.version);
      board.outbox.push({ type: 'phase.unaffected', phase: reader.phase.name, source: name, version: done.version });
    }
  } else if (reader.standing === 'approved') {
    board.outbox.push({ type: 'phase.stale', phase: reader.phase.name, because: name });
  }
}

/** What a phase that is approved has read by task. Who subscribes to artifacts of a phase may have seen what any of its tasks made. */
function readTasksIn(board: Board, { view, phase }: Entry): Commit['readTasks'] {
  if (!view || isBefore(board, 3)) return undefined;
  return readTasksOf(view, (name) => phase.subscribe?.some((one) => one.phase === name) ?? false);
}

/** Names of phases of which a commit has read a version that is not the latest. */
function outdated(board: Board, { read }: Commit): readonly string[] {
  return Object.entries(read).flatMap(([name, version]) =>
    currentCommit(board.ledger, name)?.version === version ? [] : name,
  );
}
