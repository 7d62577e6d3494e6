/**
 * Recordings played: from the first record, or from any beginning of a journal.
 *
 * @module
 */
import { setImmediate } from 'node:timers/promises';
import { resumeRun, retryRun, startRun, type Run, memoryStore, readRun } from '../../src/index.ts';
import { answerItem } from '../../src/inbox.ts';
import type { RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import { VirtualClock } from '../../src/testing/rehearsal/virtual-clock.ts';
import { keepJournal } from '../replay-difference.ts';
import { BEGIN, type Recording, type Stage } from './recording.ts';

/** Plays a recording on simulated time, until it ends or nobody answers any more. @returns All records. */
export async function play(recording: Recording): Promise<readonly RunRecord[]> {
  const [store, clock] = [memoryStore(), clockAt(BEGIN)];
  await recording.before?.(store, clock);
  await dated(clock, () => recording.fork?.(store));
  const { name: runId } = recording;
  return toEnd({ recording, store, clock, runId }, await readRun(store, runId));
}

/** Goes on with a run from some of its records in the same way. @returns All records. */
export async function playOn(
  recording: Recording,
  records: readonly RunRecord[],
  inspect?: () => void,
): Promise<readonly RunRecord[]> {
  const store = memoryStore();
  const [first] = records;
  if (!first) throw new Error('A journal has at least one record.');
  const clock = clockAt(records.at(-1)?.time ?? BEGIN);
  await recording.before?.(store, clock);
  await keepJournal(store, records);
  return toEnd({ recording, store, clock, runId: first.runId, inspect }, records);
}

// --- internal ---

interface Scene {
  readonly recording: Recording;
  readonly store: RunStore;
  readonly clock: VirtualClock;
  readonly runId: string;
  /** Observes the actors of the run, if it is inspected. */
  readonly inspect?: (() => void) | undefined;
}

/** Turns of the event loop in which nothing happens, after which nothing will without time. */
const TURNS = 6;
const MAX_STEPS = 2000;
const MAX_PROCESSES = 10;

function clockAt(time: number): VirtualClock {
  const clock = new VirtualClock();
  clock.set(time);
  return clock;
}

/** Does something under the time of a clock: a fork is dated by that of the machine. */
async function dated<T>(clock: VirtualClock, act: () => Promise<T> | undefined): Promise<T | undefined> {
  const { now } = Date;
  Date.now = () => clock.now();
  try {
    return await act();
  } finally {
    Date.now = now;
  }
}

/** One process after the other works on the run. */
async function toEnd(scene: Scene, known: readonly RunRecord[]): Promise<readonly RunRecord[]> {
  let records = known;
  for (let nth = 0; nth < MAX_PROCESSES; nth++) {
    const run = await nextProcess(scene, records);
    if (!run) return records;
    const left = await work(run, scene);
    if (left.isWaiting) return left.records;
    records = left.records;
  }
  throw new Error(`Run ${scene.runId} is taken up again and again.`);
}

/** Another process takes the run up; `undefined` if nobody does. */
async function nextProcess(
  { recording, store, clock, runId, inspect }: Scene,
  records: readonly RunRecord[],
): Promise<Run<unknown> | undefined> {
  const { start, redact, next } = recording;
  const stage: Stage = { clock, past: (ms) => clock.now() - BEGIN >= ms };
  const pipeline = recording.pipeline(stage, records);
  const options = { clock, inspect, ...(redact && { redact }) };
  if (records.length === 0) return startRun<unknown, unknown>(pipeline, { ...start, ...options, store, runId });
  const wanted = next?.(records);
  if (wanted?.how === 'retry') return retryRun(store, runId, pipeline, { ...wanted.options, ...options });
  if (isOver(records)) return undefined;
  if (wanted?.how === 'answer') {
    const [item] = await store.inbox({ runId, open: true });
    if (!item) throw new Error(`Nobody is asked anything by run ${runId}.`);
    await answerItem(store, item.id, wanted.say.reply, { by: wanted.say.by });
  }
  const more = wanted?.how === 'resume' ? wanted.options : {};
  return resumeRun(store, runId, pipeline, { ...more, ...options });
}

function isOver(records: readonly RunRecord[]): boolean {
  const last = records.findLast(({ event: { type } }) => type === 'run.ended' || type === 'run.reopened');
  return last?.event.type === 'run.ended';
}

/** A run that a process has let go of, with all its records. */
interface Left {
  readonly records: readonly RunRecord[];
  /** If it waits for what nobody answers. */
  readonly isWaiting: boolean;
}

/** Works on the run as long as there is something to do. */
async function work(run: Run<unknown>, { recording: { people, act }, clock }: Scene): Promise<Left> {
  const records: RunRecord[] = [];
  run.events$.subscribe((record) => records.push(record));
  const end = { isOver: false };
  void run.result.then(() => (end.isOver = true));
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    await quiet(records);
    if (end.isOver) return { records, isWaiting: false };
    const wanted = act?.(records);
    const said = run.inbox().flatMap((item) => {
      const say = people?.(item, records);
      return say ? [{ item, say }] : [];
    })[0];
    if (wanted === 'cancel') run.cancel('It is not needed any more.');
    else if (wanted === 'suspend') run.suspend();
    else if (said) await run.answer(said.item.id, said.say.reply, { by: said.say.by });
    else if (!clock.step()) {
      run.suspend();
      await run.result;
      return { records, isWaiting: true };
    }
  }
  throw new Error(`Run ${run.id} goes on for ever.`);
}

/** Resolves when nothing is said any more. */
async function quiet(records: readonly RunRecord[]): Promise<void> {
  for (let turn = 0, known = records.length; turn < TURNS; turn++) {
    await setImmediate();
    if (records.length > known) [turn, known] = [0, records.length];
  }
}
