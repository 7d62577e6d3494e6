/**
 * Runs whose tasks start others, which start others: answered, sent back, and cancelled by people, and compared with what they do if nothing
 * interrupts them.
 *
 * @module
 */
import { expect } from 'vitest';
import {
  approve,
  createWorker,
  memoryStore,
  retry,
  retryPredecessor,
  submitRun,
  verifyRun,
  readRun,
} from '../../src/index.ts';
import type { RunEvent, RunRecord } from '../../src/records.ts';
import { starterIn, starterOf } from '../../src/model/handlers/work-key.ts';
import { patientStore } from '../../src/runtime/records/patient-store.ts';
import type { InboxItem } from '../../src/projections/inbox/inbox-item.ts';
import { runsAbove, type ListedRun, type RunStore } from '../../src/store.ts';
import { pipeline } from './family.ts';
import { answerAtOnce } from './workers.ts';

/** The fates of runs, one after the other: each is sent back twice, unless it is cancelled before. */
const FATES = ['plain', 'third run retried', 'cancelled in the first run', 'cancelled in the second run'] as const;
type Fate = (typeof FATES)[number];

/** Runs, and what people have done to them. */
export interface Families {
  /** Ids of the runs that were submitted. */
  readonly roots: readonly string[];
  /** Number of answers that were accepted, by item. */
  readonly accepted: ReadonlyMap<string, number>;
  /** Does what people do next. @returns The number of answers and cancellations. */
  answer(): Promise<number>;
}

/** Submits runs of all fates in turn. */
export async function submitFamilies(store: RunStore, count: number): Promise<Families> {
  const roots = Array.from({ length: count }, (_, at) => `f${at}`);
  for (const runId of roots) await submitRun(store, pipeline, { runId });
  const accepted = new Map<string, number>();
  const cancelled = new Set<string>();

  async function answer(): Promise<number> {
    const items = await store.inbox();
    const leased = new Set((await store.runs({ leased: true })).map(({ runId }) => rootOf(runId)));
    let done = 0;
    for (const [at, root] of roots.entries()) {
      const step = nextStep(
        root,
        fateAt(at),
        items.filter(({ runId }) => rootOf(runId) === root),
      );
      // All of its runs are suspended. A run that was cancelled takes no answer.
      if (!step || leased.has(root) || cancelled.has(root) || (step.item && accepted.has(step.item))) continue;
      if (step.item) accepted.set(step.item, await answerAtOnce(store, step.item, step.decision));
      else {
        cancelled.add(root);
        await patientStore(store).post({ runId: root, kind: 'cancel', body: 'enough', by: 'ann', time: Date.now() });
      }
      done += 1;
    }
    return done;
  }

  return { roots, accepted, answer };
}

/** True if a run has not ended. */
export async function isOpen(store: RunStore): Promise<boolean> {
  return (await store.runs({ status: ['running'] })).length > 0;
}

/** The committed events of a run, and of the runs below it: by id, which begins with the fate. */
export type Stories = Readonly<Record<string, readonly string[]>>;

/** Returns the stories of one run of each fate that nothing interrupts. */
export async function uninterrupted(): Promise<Stories> {
  const store = memoryStore();
  const families = await submitFamilies(store, FATES.length);
  const worker = createWorker(store, [pipeline]);
  while (await isOpen(store)) {
    await families.answer();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await worker.stop();
  const stories = await Promise.all(families.roots.map((root, at) => storiesOf(store, root, at)));
  return Object.fromEntries(stories.flatMap((one) => Object.entries(one)));
}

/** Faults of stored runs. All of them should be 0. */
export interface Faults {
  /** Records that are missing, misplaced or too many, runs without a record of the one that has started them, and usage that differs. */
  readonly records: number;
  /** Committed tasks that were started again. */
  readonly committedAgain: number;
  /** Items with no answer, or with several. */
  readonly answers: number;
}

/** Examines all runs after their end. Expects that each has the story of an uninterrupted one. */
export async function examine(store: RunStore, { roots, accepted }: Families, expected: Stories): Promise<Faults> {
  const runs = await store.runs();
  const journals = new Map<string, readonly RunRecord[]>();
  for (const { runId } of runs) {
    expect(await verifyRun(store, runId)).toMatchObject({ problems: [] });
    journals.set(runId, await readRun(store, runId));
  }
  for (const [at, root] of roots.entries()) {
    const fate = fateAt(at);
    const wanted = Object.entries(expected).filter(([id]) => id.startsWith(fate));
    expect(await storiesOf(store, root, at)).toEqual(Object.fromEntries(wanted));
  }
  const all = [...journals.values()];
  return {
    records:
      all.reduce((sum, records) => sum + records.filter(({ seq }, at) => seq !== at + 1).length, 0) +
      runs.filter(({ runId }) => !isStarted(runId, journals)).length +
      runs.filter((run) => !isUsageReported(run, journals)).length,
    committedAgain: all.reduce((sum, records) => sum + startedAgain(records), 0),
    answers: [...accepted.values()].filter((times) => times !== 1).length,
  };
}

// --- internal ---

function fateAt(at: number): Fate {
  return FATES[at % FATES.length] ?? 'plain';
}

function rootOf(runId: string): string {
  return runsAbove(runId).at(-1) ?? runId;
}

/** An answer, or a cancellation if there is no item. */
type Step =
  { readonly item: string; readonly decision: Parameters<typeof answerAtOnce>[2] } | { readonly item?: never };

/** The step that people take next, once all parts of a run wait for them. */
function nextStep(root: string, fate: Fate, items: readonly InboxItem[]): Step | undefined {
  const notes = items.filter(({ runId }) => runId === root);
  const note = notes.find(({ closedAt }) => closedAt === undefined);
  const drafts = items.filter(({ runId, closedAt }) => runId !== root && closedAt === undefined);
  const draft = drafts.find(({ runId }) => starterOf(root, runId)?.generation === lastRun(root, items));
  if (notes.length === 0 || !draft) return undefined;
  const run = lastRun(root, items);
  if (note && notes.length === 1)
    return fate === 'cancelled in the first run' ? {} : { item: note.id, decision: retryPredecessor('plan', 'More.') };
  // The second chapter is asked for by then.
  if (run === 0) return undefined;
  if (note) return fate === 'cancelled in the second run' ? {} : { item: note.id, decision: approve() };
  const isRetried = fate === 'third run retried' && run === 2 && draft.attempt === 0;
  return { item: draft.id, decision: isRetried ? retry('Longer.') : approve() };
}

/** The number of the latest run of the chapter that has asked a person, from 0. */
function lastRun(root: string, items: readonly InboxItem[]): number {
  return Math.max(...items.map(({ runId }) => starterOf(root, runId)?.generation ?? 0));
}

/** The stories of a run and of those below it. */
async function storiesOf(store: RunStore, root: string, at: number): Promise<Stories> {
  const runs = await store.runs();
  const own = runs.filter(({ runId }) => rootOf(runId) === root).toSorted((a, b) => (a.runId < b.runId ? -1 : 1));
  const stories: Record<string, readonly string[]> = {};
  for (const { runId } of own)
    stories[fateAt(at) + runId.slice(root.length)] = (await readRun(store, runId)).flatMap(({ event }) =>
      lineOf(event),
    );
  return stories;
}

/** A committed event as a line. The reason of a cancellation is that of the process that was there. */
function lineOf(event: RunEvent): readonly string[] {
  const at = 'attempt' in event ? `${event.phase} ${event.generation}.${event.attempt}` : '';
  if (event.type === 'phase.started') return [`${event.type} ${at}`];
  if (event.type === 'task.completed') return [`${event.type} ${at} ${JSON.stringify(event.output)}`];
  if (event.type === 'review.decided') return [`${event.type} ${at} ${event.verdict.type}`];
  if (event.type === 'phase.rewinding') return [`${event.type} ${event.phase} ${event.target}`];
  if (event.type === 'phase.approved') return [`${event.type} ${event.phase} ${event.version}`];
  if (event.type === 'run.ended') return [`${event.type} ${event.status}`];
  return COMMITTED.has(event.type) && 'phase' in event ? [`${event.type} ${event.phase}`] : [];
}

const COMMITTED: ReadonlySet<string> = new Set([
  'phase.invalidated',
  'phase.failed',
  'phase.rejected',
  'phase.skipped',
]);

/** True if a run was started by a user, or the run above it has a record of the task that has started it. */
function isStarted(runId: string, journals: ReadonlyMap<string, readonly RunRecord[]>): boolean {
  const by = starterIn(runId);
  if (!by) return true;
  return (journals.get(by.run) ?? []).some(({ event }) => event.type === 'task.started' && isOf(event, by));
}

type By = NonNullable<ReturnType<typeof starterIn>>;

function isOf(
  event: Extract<RunEvent, { readonly type: 'task.started' | 'task.reported' }>,
  { phase, generation, attempt, task }: By,
): boolean {
  return event.phase === phase && event.generation === generation && event.attempt === attempt && event.task === task;
}

/** True if the run above a completed run has its usage, each part once. */
function isUsageReported({ runId, status }: ListedRun, journals: ReadonlyMap<string, readonly RunRecord[]>): boolean {
  const by = starterIn(runId);
  if (!by || status !== 'completed') return true;
  return tokensOf(journals.get(runId) ?? []) === tokensOf(journals.get(by.run) ?? [], by);
}

function tokensOf(records: readonly RunRecord[], by?: By): number {
  return records.reduce(
    (sum, { event }) => sum + (event.type === 'task.reported' && (!by || isOf(event, by)) ? (event.tokens ?? 0) : 0),
    0,
  );
}

/** Number of tasks that were started although the same start of their phase has their output. */
function startedAgain(records: readonly RunRecord[]): number {
  const completed = new Set<string>();
  let again = 0;
  for (const { event } of records) {
    // A resumed run does not start its phases again, but their tasks.
    if (event.type === 'phase.started')
      for (const key of completed) if (key.startsWith(`${event.phase} `)) completed.delete(key);
    if (event.type === 'task.started' && completed.has(`${event.phase} ${event.task}`)) again += 1;
    if (event.type === 'task.completed') completed.add(`${event.phase} ${event.task}`);
  }
  return again;
}
