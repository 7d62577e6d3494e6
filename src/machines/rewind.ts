/**
 * Going back: a phase is sent back by a later one, and what was made from its old outputs runs again or is marked.
 *
 * @module
 */
import { isFree, isUnsettled, settle, unsettle } from '../model/course.ts';
import type { EventOf } from '../model/event.ts';
import { between } from '../model/graph.ts';
import { acknowledge, addCommit, currentCommit, differs, readOf, type Commit } from '../model/ledger.ts';
import { enqueue, entryAt, entryNamed, retire, stronger, type Board, type Entry } from './board.ts';
import { failWaiting } from './ending.ts';

/** A live phase sends back an earlier one, and waits: for it, and for every phase between them. */
export function sendBack(board: Board, requester: Entry, report: EventOf<'phase.rewinding'>): void {
  const target = entryNamed(board, report.target);
  if (!target || requester.doomedBy !== undefined) {
    failWaiting(board, requester, requester.doomedBy ?? report.target);
    return;
  }
  const { gate } = requester.phase;
  const spread = gate?.invalidate ?? 'requester';
  const correction = { ...report.correction, attempt: target.attempt };
  target.requests = [...target.requests, { correction, regate: gate?.regate ?? true, spread }];
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
  if (isFree(board.course, target.index) && target.standing === 'pending') enqueue(board, [target.index]);
}

/** Commits an approved phase. */
export function commit(board: Board, entry: Entry, outputs: Commit['outputs']): Commit {
  const { name } = entry.phase;
  const done = addCommit(board.ledger, name, outputs, entry.view ? readOf(entry.view) : {});
  retire(board, entry, 'approved');
  entry.spread = entry.outstanding.reduce((widest, request) => stronger(widest, request.spread), entry.spread);
  if (entry.outstanding.length > 0) entry.outstanding = [];
  entry.view = undefined;
  return done;
}

/** What follows from a commit, once it is published: others that read the older version, and those that wait for it. */
export function followUp(board: Board, entry: Entry, done: Commit): void {
  const { name } = entry.phase;
  for (const read of outdated(board, done)) board.outbox.push({ type: 'phase.stale', phase: name, because: read });
  if (done.version > 1) {
    for (const reader of readersOf(board, entry)) revisit(board, reader, entry, done);
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

// --- internal ---

/** The phase must run again from new inputs. A live one is stopped; its late results find nobody. */
function runAgain(board: Board, entry: Entry, because: string): void {
  if (entry.parked === 'rewinding' || (entry.standing !== 'live' && entry.standing !== 'approved')) return;
  retire(board, entry, 'pending');
  entry.generation += 1;
  unsettle(board.course, entry.index);
  board.outbox.push({ type: 'phase.invalidated', phase: entry.phase.name, generation: entry.generation, because });
}

/** Phases that have begun and read a phase: its direct successors, and others whose commits say so. */
function readersOf(board: Board, entry: Entry): readonly Entry[] {
  const direct = new Set(board.graph.next[entry.index]);
  return [...board.entries.values()]
    .filter((one) => direct.has(one.index) || readBy(board, one)?.[entry.phase.name] !== undefined)
    .toSorted((a, b) => a.index - b.index);
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
  const changed = version === undefined || differs(board.ledger, name, version, done.version);
  if (source.spread === 'all' || (source.spread === 'changed' && changed)) {
    reader.spread = stronger(reader.spread, source.spread);
    runAgain(board, reader, name);
  } else if (source.spread === 'changed') {
    if (reader.view) acknowledge(reader.view, name, done.version);
  } else if (reader.standing === 'approved') {
    board.outbox.push({ type: 'phase.stale', phase: reader.phase.name, because: name });
  }
}

/** Names of phases of which a commit has read a version that is not the latest. */
function outdated(board: Board, { read }: Commit): readonly string[] {
  return Object.entries(read).flatMap(([name, version]) =>
    currentCommit(board.ledger, name)?.version === version ? [] : name,
  );
}
