/**
 * Which runs may be others than before, told to all who want to know.
 *
 * @module
 */
import { withAnswers, type KeptItem } from '../store/given-answer.ts';
import type { ListedRun } from '../store/port.ts';
import { workOn } from '../store/worker.ts';
import type { Change } from './api.ts';
import type { Backstage } from './backstage.ts';
import { createBell, eventText, HEARTBEAT, HEARTBEAT_MS } from './event-stream.ts';
import { createLookout } from './lookout.ts';
import { refused, type Refused } from './refusal.ts';

/** Tells changes to all who want them. */
export interface ChangeTeller {
  tell(signal: AbortSignal): AsyncGenerator<string>;
  /** How many items of the inbox are open and have no answer: as it was told last, where somebody is told. */
  open(): Promise<number>;
}

/** Makes a teller with one lookout for all. */
export function createChangeTeller(stage: Backstage): ChangeTeller {
  const viewers = new Set<Set<string>>();
  let known: Known | undefined;
  let problem: Refused | undefined;
  const lookout = createLookout(
    async () => {
      try {
        const { changed, open, next } = await look(stage, known);
        const isNew = known?.open !== open || changed.length > 0 || problem !== undefined;
        known = next;
        problem = undefined;
        for (const viewer of viewers) for (const runId of changed) viewer.add(runId);
        return { isNew, againInMs: LOOK_MS };
      } catch (thrown) {
        const found = refused(thrown);
        const isNew = found.body.error.code !== problem?.body.error.code;
        if (isNew && found.body.error.code === 'INTERNAL') stage.onError(thrown);
        problem = found;
        return { isNew, againInMs: AFTER_PROBLEM_MS };
      }
    },
    // Nobody was told what has changed since.
    () => (known = undefined),
  );

  return {
    open: async () => (known && !problem ? known.open : countOpen(await openItems(stage))),
    async *tell(signal) {
      const changed = new Set<string>();
      const bell = createBell(signal, stage.farewell);
      viewers.add(changed);
      const leave = lookout.watch(() => bell.ring());
      // Somebody else may have been told already.
      if (known || problem) bell.ring();
      try {
        for (let isFirst = true; !signal.aborted;) {
          if (!(await bell.wait(HEARTBEAT_MS))) {
            yield HEARTBEAT;
            continue;
          }
          if (stage.farewell.aborted) {
            if (!problem) yield eventText('changed', await lastChange(stage));
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
async function lastChange(stage: Backstage): Promise<Change> {
  return { runs: [], open: countOpen(await openItems(stage)) };
}

/** What the last look has found. */
interface Known {
  /** How each run stood. */
  readonly standings: ReadonlyMap<string, Stood>;
  /** The latest time of a record. */
  readonly updatedAt: number;
  /** Items without an answer. */
  readonly open: number;
  /** When every run was looked at. */
  readonly allAt: number;
}

interface Stood {
  readonly isRunning: boolean;
  /** All that may change of it, as text. */
  readonly text: string;
}

interface Found {
  readonly changed: readonly string[];
  readonly open: number;
  readonly next: Known;
}

async function look(stage: Backstage, known: Known | undefined): Promise<Found> {
  const now = performance.now();
  const isAll = known === undefined || now - known.allAt >= LOOK_AT_ALL_MS;
  const runs = isAll ? await stage.store.runs() : await recent(stage, known.updatedAt);
  const items = await openItems(stage);
  const inbox = new Map<string, string>();
  for (const { id, runId, answer } of items)
    inbox.set(runId, `${inbox.get(runId) ?? ''} ${id}${answer ? ' answered' : ''}`);

  const before = known?.standings ?? new Map<string, Stood>();
  const standings = isAll ? new Map<string, Stood>() : new Map(before);
  const changed: string[] = [];
  const seen = new Set<string>();
  let updatedAt = known?.updatedAt ?? 0;
  for (const run of runs) {
    const stood = { isRunning: run.status === 'running', text: textOf(stage, run, inbox.get(run.runId)) };
    seen.add(run.runId);
    standings.set(run.runId, stood);
    updatedAt = Math.max(updatedAt, run.updatedAt);
    if (before.get(run.runId)?.text !== stood.text) changed.push(run.runId);
  }
  for (const [runId, { isRunning }] of before) {
    // One that goes on is in every look, and one that has ended in every look at all.
    if (seen.has(runId) || !(isAll || isRunning)) continue;
    standings.delete(runId);
    changed.push(runId);
  }
  const open = countOpen(items);
  return { changed, open, next: { standings, updatedAt, open, allAt: isAll ? now : known.allAt } };
}

async function openItems({ store }: Backstage): Promise<readonly KeptItem[]> {
  return withAnswers(store, await store.inbox({ open: true }));
}

function countOpen(items: readonly KeptItem[]): number {
  return items.filter(({ answer }) => answer === undefined).length;
}

/** Runs that go on, and those that have ended lately: with thousands of runs the others are not looked at each time. */
async function recent({ store }: Backstage, updatedAt: number): Promise<readonly ListedRun[]> {
  const running = await store.runs({ status: ['running'] });
  // What was kept in the same millisecond may have come later.
  const updated = await store.runs({ updatedAfter: updatedAt - 1 });
  return [...running, ...updated.filter(({ status }) => status !== 'running')];
}

function textOf({ isAlive, starts }: Backstage, run: ListedRun, inbox = ''): string {
  const work = workOn(run, isAlive);
  const token = work.state === 'free' ? '' : work.lease.token;
  return `${run.seq} ${work.state} ${token} ${starts.of(run)?.state ?? ''} ${inbox}`;
}
