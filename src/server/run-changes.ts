/**
 * Which runs may be others than before, told to all who want to know.
 *
 * @module
 */
import { workOn } from '../store/lease-holder.ts';
import { createAnswerReader, withAnswers, type KeptItem } from '../store/pending-answers.ts';
import type { ListedRun } from '../store/port.ts';
import type { Change } from './api.ts';
import { refused, type Refused } from './error-response.ts';
import { createBell, eventText, HEARTBEAT, HEARTBEAT_MS } from './event-stream.ts';
import { createLookout } from './poller.ts';
import type { ServerContext } from './server-context.ts';

/** Tells changes to all who want them. */
export interface ChangeStream {
  tell(signal: AbortSignal): AsyncGenerator<string>;
  /** How many items of the inbox are open and have no answer: as it was told last, where somebody is told. */
  open(): Promise<number>;
}

/** Makes a teller with one lookout for all. */
export function createChangeStream(context: ServerContext): ChangeStream {
  const viewers = new Set<Set<string>>();
  let known: Known | undefined;
  let problem: Refused | undefined;
  const readAnswers = createAnswerReader(context.store);
  const poller = createLookout(
    async () => {
      try {
        const { changed, open, next } = await look(
          context,
          known,
          await readAnswers(await context.store.inbox({ open: true })),
        );
        const isNew = known?.open !== open || changed.length > 0 || problem !== undefined;
        known = next;
        problem = undefined;
        for (const viewer of viewers) for (const runId of changed) viewer.add(runId);
        return { isNew, againInMs: LOOK_MS };
      } catch (thrown) {
        const found = refused(thrown);
        const isNew = found.body.error.code !== problem?.body.error.code;
        if (isNew && found.body.error.code === 'INTERNAL') context.onError(thrown);
        problem = found;
        return { isNew, againInMs: AFTER_PROBLEM_MS };
      }
    },
    // Nobody was told what has changed since.
    () => (known = undefined),
  );

  return {
    open: async () => (known && !problem ? known.open : countOpen(await openItems(context))),
    async *tell(signal) {
      const changed = new Set<string>();
      const bell = createBell(signal, context.farewell);
      viewers.add(changed);
      const leave = poller.watch(() => bell.ring());
      // Somebody else may have been told already.
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

/** Milliseconds between looks, after one that went wrong, and between looks at every run that there is. */
const LOOK_MS = 500;
const AFTER_PROBLEM_MS = 2000;
const LOOK_AT_ALL_MS = 5000;

/** Anything may have changed since the last look, and nobody is told of it later. */
async function lastChange(context: ServerContext): Promise<Change> {
  return { runs: [], open: countOpen(await openItems(context)) };
}

/** What the last look has found. */
interface Known {
  /** How each run stood. */
  readonly standings: ReadonlyMap<string, Stood>;
  /** What waits in each, as text. */
  readonly inbox: ReadonlyMap<string, string>;
  /** The latest time of a record. */
  readonly updatedAt: number;
  /** Items without an answer. */
  readonly open: number;
  /** When every run was looked at. */
  readonly allAt: number;
}

interface Stood {
  /** Whether somebody has or had it, or is to have it, so that it may be another without a record. */
  readonly isHeld: boolean;
  /** All that may change of it, as text. */
  readonly text: string;
}

interface Found {
  readonly changed: readonly string[];
  readonly open: number;
  readonly next: Known;
}

async function look(context: ServerContext, known: Known | undefined, items: readonly KeptItem[]): Promise<Found> {
  const now = performance.now();
  const isAll = known === undefined || now - known.allAt >= LOOK_AT_ALL_MS;
  const runs = isAll ? await context.store.runs() : await recent(context, known);
  const inbox = new Map<string, string>();
  for (const { id, runId, answer } of items)
    inbox.set(runId, `${inbox.get(runId) ?? ''} ${id}${answer ? ' answered' : ''}`);

  const before = known?.standings ?? new Map<string, Stood>();
  const standings = isAll ? new Map<string, Stood>() : new Map(before);
  const changed = changedIn(known?.inbox, inbox);
  const seen = new Set<string>();
  let updatedAt = known?.updatedAt ?? 0;
  for (const run of runs) {
    const stood = stoodOf(context, run);
    seen.add(run.runId);
    standings.set(run.runId, stood);
    updatedAt = Math.max(updatedAt, run.updatedAt);
    if (before.get(run.runId)?.text !== stood.text) changed.add(run.runId);
  }
  for (const [runId, { isHeld }] of before) {
    // One that is held is in every look, and any other in every look at all.
    if (seen.has(runId) || !(isAll || isHeld)) continue;
    standings.delete(runId);
    changed.add(runId);
  }
  const open = countOpen(items);
  return { changed: [...changed], open, next: { standings, inbox, updatedAt, open, allAt: isAll ? now : known.allAt } };
}

async function openItems({ store }: ServerContext): Promise<readonly KeptItem[]> {
  return withAnswers(store, await store.inbox({ open: true }));
}

function countOpen(items: readonly KeptItem[]): number {
  return items.filter(({ answer }) => answer === undefined).length;
}

/** Runs that somebody has or had, and those with new records: where thousands wait or have ended, those are not looked at each time. */
async function recent(
  { store, starts }: ServerContext,
  { standings, updatedAt }: Known,
): Promise<readonly ListedRun[]> {
  // What was kept in the same millisecond may have come later.
  const found = [...(await store.runs({ leased: true })), ...(await store.runs({ updatedAfter: updatedAt - 1 }))];
  const runs = new Map(found.map((run) => [run.runId, run]));
  const held = [...standings].flatMap(([runId, { isHeld }]) => (isHeld ? runId : []));
  for (const runId of new Set([...held, ...starts.runs()])) {
    const run = runs.has(runId) ? undefined : await store.run(runId);
    if (run) runs.set(runId, run);
  }
  return [...runs.values()];
}

/** Runs of which other items wait than before, or whose items have answers. */
function changedIn(before: ReadonlyMap<string, string> | undefined, inbox: ReadonlyMap<string, string>): Set<string> {
  const changed = new Set<string>();
  for (const [runId, text] of inbox) if (before?.get(runId) !== text) changed.add(runId);
  for (const runId of before?.keys() ?? []) if (!inbox.has(runId)) changed.add(runId);
  return changed;
}

function stoodOf({ isAlive, starts }: ServerContext, run: ListedRun): Stood {
  const work = workOn(run, isAlive);
  const start = starts.of(run)?.state;
  const token = work.state === 'free' ? undefined : work.lease.token;
  return {
    isHeld: token !== undefined || start !== undefined,
    text: `${run.seq} ${work.state} ${token ?? ''} ${start ?? ''}`,
  };
}
