/**
 * A live stream of changes of runs and of the inbox.
 *
 * @module
 */
import { runsAbove } from '../model/handlers/work-key.ts';
import { workOn } from '../store/lease-holder.ts';
import { createAnswerReader, withAnswers, type KeptItem } from '../store/pending-answers.ts';
import type { ListedRun } from '../store/port.ts';
import type { Change } from './api.ts';
import { refused, type Refused } from './http/error-response.ts';
import { createBell, eventText, HEARTBEAT, HEARTBEAT_MS } from './streams/event-stream.ts';
import { createPoller } from './streams/poller.ts';
import type { ServerContext } from './server-context.ts';

/** Streams changes to any number of readers. */
export interface ChangeStream {
  stream(signal: AbortSignal): AsyncGenerator<string>;
  /** The number of open inbox items without an answer: as last polled if there are readers, else read from the store. */
  open(): Promise<number>;
}

/** Creates a change stream with one poller for all readers. */
export function createChangeStream(context: ServerContext): ChangeStream {
  const viewers = new Set<Set<string>>();
  let known: Known | undefined;
  let problem: Refused | undefined;
  const readAnswers = createAnswerReader(context.store);
  const poller = createPoller(
    async () => {
      try {
        const { changed, open, next } = await poll(
          context,
          known,
          await readAnswers(await context.store.inbox({ open: true })),
        );
        const isNew = known?.open !== open || changed.length > 0 || problem !== undefined;
        known = next;
        problem = undefined;
        for (const viewer of viewers) for (const runId of changed) viewer.add(runId);
        return { isNew, againInMs: POLL_MS };
      } catch (thrown) {
        const found = refused(thrown);
        const isNew = found.body.error.code !== problem?.body.error.code;
        if (isNew && found.body.error.code === 'INTERNAL') context.onError(thrown);
        problem = found;
        return { isNew, againInMs: AFTER_PROBLEM_MS };
      }
    },
    // Forgets the last poll: it is outdated when the next reader comes.
    () => (known = undefined),
  );

  return {
    open: async () => (known && !problem ? known.open : countOpen(await openItems(context))),
    async *stream(signal) {
      const changed = new Set<string>();
      const bell = createBell(signal, context.farewell);
      viewers.add(changed);
      const leave = poller.watch(() => bell.ring());
      // Another reader's poll may have a result already.
      if (known || problem) bell.ring();
      try {
        for (let isFirst = true; !signal.aborted;) {
          if (!(await bell.wait(HEARTBEAT_MS))) {
            yield HEARTBEAT;
            continue;
          }
          if (context.farewell.aborted) {
            if (!problem) yield eventText('changed', await lastChange(context));
            return;
          }
          if (problem) yield eventText('error', problem.body);
          else if (known) {
            const change: Change = { runs: isFirst ? [] : [...changed], open: known.open };
            changed.clear();
            isFirst = false;
            yield eventText('changed', change);
          }
        }
      } finally {
        viewers.delete(changed);
        leave();
        bell.close();
      }
    },
  };
}

// --- internal ---

/** Milliseconds between polls, after a failed poll, and between polls of all runs. */
const POLL_MS = 500;
const AFTER_PROBLEM_MS = 2000;
const POLL_ALL_MS = 5000;

/** The change before the server closes. Anything may have changed since the last poll, and no other event follows. */
async function lastChange(context: ServerContext): Promise<Change> {
  return { runs: [], open: countOpen(await openItems(context)) };
}

/** The result of the last poll. */
interface Known {
  /** The fingerprint of each run. */
  readonly marks: ReadonlyMap<string, RunMark>;
  /** The open items of each run, as text. */
  readonly inbox: ReadonlyMap<string, string>;
  /** The latest time of a record. */
  readonly updatedAt: number;
  /** Items without an answer. */
  readonly open: number;
  /** The time of the last poll of all runs. */
  readonly allAt: number;
}

interface RunMark {
  /** True if a process has or had the run, or is about to. Such a run may change without a new record. */
  readonly isHeld: boolean;
  /** All that may change, as text. */
  readonly text: string;
}

interface Found {
  readonly changed: readonly string[];
  readonly open: number;
  readonly next: Known;
}

async function poll(context: ServerContext, known: Known | undefined, items: readonly KeptItem[]): Promise<Found> {
  const now = performance.now();
  const isAll = known === undefined || now - known.allAt >= POLL_ALL_MS;
  const runs = isAll ? await context.store.runs() : await recent(context, known);
  const inbox = new Map<string, string>();
  for (const { id, runId, answer } of items)
    inbox.set(runId, `${inbox.get(runId) ?? ''} ${id}${answer ? ' answered' : ''}`);

  const before = known?.marks ?? new Map<string, RunMark>();
  const marks = isAll ? new Map<string, RunMark>() : new Map(before);
  const changed = changedIn(known?.inbox, inbox);
  const seen = new Set<string>();
  let updatedAt = known?.updatedAt ?? 0;
  for (const run of runs) {
    const mark = markOf(context, run);
    seen.add(run.runId);
    marks.set(run.runId, mark);
    updatedAt = Math.max(updatedAt, run.updatedAt);
    if (before.get(run.runId)?.text !== mark.text) changed.add(run.runId);
  }
  for (const [runId, { isHeld }] of before) {
    // Each poll has all held runs, and each poll of all runs has the others. One that is missing was removed.
    if (seen.has(runId) || !(isAll || isHeld)) continue;
    marks.delete(runId);
    changed.add(runId);
  }
  // A run above a changed one may wait in it.
  for (const above of [...changed].flatMap(runsAbove)) changed.add(above);
  const open = countOpen(items);
  return { changed: [...changed], open, next: { marks, inbox, updatedAt, open, allAt: isAll ? now : known.allAt } };
}

async function openItems({ store }: ServerContext): Promise<readonly KeptItem[]> {
  return withAnswers(store, await store.inbox({ open: true }));
}

function countOpen(items: readonly KeptItem[]): number {
  return items.filter(({ answer }) => answer === undefined).length;
}

/** Reads runs with a lease, and runs with new records. It skips the others, as thousands may wait or have ended. */
async function recent({ store, starts }: ServerContext, { marks, updatedAt }: Known): Promise<readonly ListedRun[]> {
  // Records of the same millisecond may have been stored after the last poll.
  const found = [...(await store.runs({ leased: true })), ...(await store.runs({ updatedAfter: updatedAt - 1 }))];
  const runs = new Map(found.map((run) => [run.runId, run]));
  const held = [...marks].flatMap(([runId, { isHeld }]) => (isHeld ? runId : []));
  for (const runId of new Set([...held, ...starts.runs()])) {
    const run = runs.has(runId) ? undefined : await store.run(runId);
    if (run) runs.set(runId, run);
  }
  return [...runs.values()];
}

/** Runs whose open items, or answers to them, have changed. */
function changedIn(before: ReadonlyMap<string, string> | undefined, inbox: ReadonlyMap<string, string>): Set<string> {
  const changed = new Set<string>();
  for (const [runId, text] of inbox) if (before?.get(runId) !== text) changed.add(runId);
  for (const runId of before?.keys() ?? []) if (!inbox.has(runId)) changed.add(runId);
  return changed;
}

function markOf({ isAlive, starts }: ServerContext, run: ListedRun): RunMark {
  const work = workOn(run, isAlive);
  const start = starts.of(run)?.state;
  const token = work.state === 'free' ? undefined : work.lease.token;
  return {
    isHeld: token !== undefined || start !== undefined,
    text: `${run.seq} ${work.state} ${token ?? ''} ${start ?? ''}`,
  };
}
