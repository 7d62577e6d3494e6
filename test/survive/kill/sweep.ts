/**
 * Kills the process of a run at many moments, and compares the results with those of an undisturbed run.
 *
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { replay } from '../../../src/machines/replay/replay.ts';
import { foldRun, resultOf } from '../../../src/projections/run/run-view.ts';
import { readRun } from '../../../src/index.ts';
import { patientStore } from '../../../src/runtime/records/patient-store.ts';
import type { RunStore } from '../../../src/store.ts';
import type { InboxItem } from '../../../src/inbox.ts';
import type { EventOf, RunEvent, RunRecord } from '../../../src/records.ts';
import { sqliteStore } from '../../../src/sqlite.ts';
import { connect } from '../../../src/store/sqlite/driver.ts';
import { bundle, makeFolder } from './bundle.ts';
import { differenceOf } from './difference.ts';
import { answerAll } from './person.ts';
import { linesOf, survivor } from './pipeline.ts';
import { randomFrom } from './random.ts';

/** The options of a sweep. */
export interface SweepOptions {
  /**
   * Kills at one of this many batches, right before and right after it is stored.
   *
   * @default 1
   */
  readonly every?: number | undefined;
  /** True to store each record separately, so that kills happen between any two of them. @default false */
  readonly single?: boolean | undefined;
  /** The number of runs that are killed at random instants, up to three times each. */
  readonly random: number;
  /** @default 1 */
  readonly seed?: number | undefined;
  /** The number of simultaneous runs. @default 4 */
  readonly width?: number | undefined;
  readonly onRun?: ((done: number, of: number) => void) | undefined;
}

/** The outcome of a sweep. */
export interface SweepReport {
  readonly runs: number;
  readonly kills: number;
  /** Kills while the run waited for a person. */
  readonly whileOpen: number;
  readonly commits: number;
  /** Interrupted tasks that have run again, with the same key. */
  readonly rerun: number;
  /** Acknowledged records that are lost. */
  readonly lost: number;
  readonly problems: readonly string[];
}

/** Runs the sweep: kills, resumes and compares. */
export async function sweep({
  every = 1,
  single = false,
  random,
  seed = 1,
  width = 4,
  onRun,
}: SweepOptions): Promise<SweepReport> {
  const folder = makeFolder();
  try {
    const scene: Scene = { folder, program: await bundle(folder), single, children: new Set() };
    const plain = await play(scene, 'plain', () => 'never', 1);
    const batches = linesOf(plain.acknowledged).length;
    const chance = randomFrom(seed);
    const plots = [
      ...Array.from({ length: batches }, (_, at) => at + 1)
        .flatMap((at) => [[`before:${at}`], [`after:${at}`]])
        .filter((_, at) => Math.floor(at / 2) % every === 0),
      ['open'],
      ['open', 'open'],
      ['saying'],
      ['open', 'saying'],
      ['open', 'after:1'],
      ['open', 'after:2', 'open'],
      ...Array.from({ length: random }, () =>
        Array.from({ length: 1 + Math.floor(chance() * 3) }, () => `time:${chance() * plain.tookMs * 1.1}`),
      ),
    ];
    const tally = { runs: 0, kills: 0, whileOpen: 0, commits: 0, rerun: 0, lost: 0 };
    const problems: string[] = [];
    const left = plots.entries();
    let isBroken = false;
    const ended = await Promise.allSettled(
      Array.from({ length: width }, async () => {
        for (const [index, plot] of left) {
          if (isBroken) break;
          const found = await attempt(scene, plain, plot, index).catch((error: unknown) => {
            // No process is left behind.
            isBroken = true;
            scene.children.forEach((child) => child.kill('SIGKILL'));
            throw error;
          });
          tally.runs += 1;
          tally.kills += found.kills;
          tally.whileOpen += found.whileOpen;
          tally.commits += found.commits;
          tally.rerun += found.rerun;
          tally.lost += found.lost;
          problems.push(...found.problems.map((problem) => `${plot.join(', ')}: ${problem}`));
          onRun?.(tally.runs, plots.length);
        }
      }),
    );
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
    return { ...tally, problems };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// --- internal ---

interface Scene {
  readonly folder: string;
  readonly program: string;
  readonly single: boolean;
  /** Processes that are running. */
  readonly children: Set<ChildProcess>;
}

/** A run to its end, with all of its processes. */
interface Played {
  readonly records: readonly RunRecord[];
  readonly items: readonly InboxItem[];
  /** The state that each killed process left behind. */
  readonly deaths: readonly Death[];
  readonly effects: readonly string[];
  /** The printed result of the last process; empty if the run had ended before. */
  readonly said: string;
  readonly integrity: unknown;
  readonly acknowledged: string;
  readonly tookMs: number;
}

interface Death {
  readonly records: readonly RunRecord[];
  /** The number of the last acknowledged record. */
  readonly acknowledged: number;
  readonly open: readonly InboxItem[];
  /** Keys of started tasks. */
  readonly effects: readonly string[];
  /** The printed result after the end of the run: complete, empty, or its start if the process was killed meanwhile. */
  readonly said: string;
}

type Found = Omit<SweepReport, 'runs'>;

async function attempt(scene: Scene, plain: Played, plot: readonly string[], index: number): Promise<Found> {
  const played = await play(scene, `run-${index}`, (nth) => plot[nth] ?? 'never', index);
  const open = played.deaths.flatMap((death) => death.open);
  const rerun = played.deaths.map((death) => rerunAfter(played, death));
  return {
    kills: played.deaths.length,
    whileOpen: open.length,
    commits: commitsOf(played.records).length,
    rerun: rerun.flat().length,
    lost: played.deaths.reduce((sum, one) => sum + Math.max(0, one.acknowledged - one.records.length), 0),
    problems: [...played.deaths.flatMap((death) => problemsOfDeath(played, death)), ...problemsOfEnd(played, plain)],
  };
}

/**
 * Runs the pipeline to its end, and answers its questions: mostly while a process works on it, and sometimes while
 * none does.
 */
async function play(
  { folder, program, single, children }: Scene,
  name: string,
  when: (nth: number) => string,
  index: number,
): Promise<Played> {
  const [file, effects, acknowledged] = ['runs.sqlite', 'effects', 'acknowledged'].map((one) =>
    join(folder, `${name}-${one}`),
  ) as [string, string, string];
  for (const one of [effects, acknowledged]) writeFileSync(one, '');
  const store = patientStore(sqliteStore(file));
  const deaths: Death[] = [];
  const begun = performance.now();
  let said: string;
  for (let nth = 0; ; nth++) {
    said = '';
    const plot = when(nth);
    const isTimed = plot.startsWith('time:');
    const args = [
      program,
      file,
      effects,
      acknowledged,
      String(nth * LEASE_MS),
      isTimed || plot === 'open' ? 'never' : plot,
      ...(single ? ['single'] : []),
    ];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    children.add(child);
    const ended = once(child, 'close').finally(() => children.delete(child));
    if (isTimed) void killAfter(child, Number(plot.slice(5)));
    const answering = answerUntil(store, child, plot === 'open').then(
      () => undefined,
      (cause: unknown) => {
        // Nobody else would answer it.
        child.kill('SIGKILL');
        return new Error('The person has failed', { cause });
      },
    );
    const [code] = (await ended) as [number | null];
    const failure = await answering;
    if (failure) throw failure;
    if (child.signalCode !== 'SIGKILL') {
      if (code !== 0) throw new Error(`The process ended with ${code ?? child.signalCode}`);
      break;
    }
    deaths.push({
      records: await readRun(store, 'r'),
      acknowledged: Number(linesOf(acknowledged).at(-1) ?? 0),
      open: await store.inbox({ open: true }),
      effects: linesOf(effects),
      said,
    });
    if (index % 2 === 0) await answerAll(store);
  }
  const tookMs = performance.now() - begun;
  const records = await readRun(store, 'r');
  const items = await store.inbox();
  await store.close();
  const db = connect(file, { readOnly: false });
  const integrity = db.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
  db.close();
  return { records, items, deaths, effects: linesOf(effects), said, integrity, acknowledged, tookMs };
}

/** A time beyond the lease of a killed process, in milliseconds. */
const LEASE_MS = 120_000;

async function killAfter(child: ChildProcess, ms: number): Promise<void> {
  await setTimeout(ms);
  child.kill('SIGKILL');
}

/** Answers the run. @param kills True to kill the process instead, when it asks. */
async function answerUntil(store: RunStore, child: ChildProcess, kills: boolean): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    await setTimeout(15);
    if (!kills) await answerAll(store);
    else if ((await store.inbox({ open: true })).length > 0) child.kill('SIGKILL');
  }
}

function problemsOfDeath(played: Played, death: Death): readonly string[] {
  const { records, effects, items } = played;
  const before = JSON.stringify(death.records);
  const completed = completedIn(death.records);
  const again = effects.slice(death.effects.length).filter((key) => completed.has(key));
  const other = death.open.filter((open) => {
    const item = items.find(({ id }) => id === open.id);
    return item?.nonce !== open.nonce || item.openedAt !== open.openedAt;
  });
  return [
    ...(JSON.stringify(records.slice(0, death.records.length)) === before ? [] : ['records have changed']),
    ...again.map((key) => `${key} was completed and has run again`),
    ...other.map(({ id }) => `${id} has become another question`),
    ...interruptedIn(death)
      .filter((key) => !effects.slice(death.effects.length).includes(key))
      .map((key) => `${key} was interrupted and has not run again`),
  ];
}

function problemsOfEnd(played: Played, plain: Played): readonly string[] {
  const { records, items, said, deaths, integrity } = played;
  const view = foldRun();
  for (const record of records) view.apply(record);
  const result = `${JSON.stringify(resultOf(view.snapshot()))}\n`;
  const hadEnded = deaths.at(-1)?.records.at(-1)?.event.type === 'run.ended';
  const problems: string[] = [];
  if (view.snapshot().status !== 'completed') problems.push(`it has ended ${view.snapshot().status}`);
  if (said === '' && !hadEnded) problems.push('the last process says nothing of its result');
  const others = [
    ...deaths.filter((death) => !result.startsWith(death.said)),
    ...(['', result].includes(said) ? [] : [played]),
  ];
  for (const other of others) problems.push(`its records tell another result: ${differenceOf(other.said, result)}`);
  if (JSON.stringify(commitsOf(records)) !== JSON.stringify(commitsOf(plain.records))) problems.push('other commits');
  if (items.length !== plain.items.length) problems.push(`${items.length} questions instead of ${plain.items.length}`);
  if (integrity !== 'ok') problems.push(`the database is not sound: ${String(integrity)}`);
  if (records.some(({ seq }, at) => seq !== at + 1)) problems.push('numbers of records have gaps');
  const { plan } = survivor({ note: () => undefined, count: () => 0 });
  const { unrecorded } = replay({ run: 'r', plan }, records);
  if (unrecorded.length > 0) problems.push(`told again, it says ${unrecorded.length} more events`);
  return problems;
}

/** Returns the commits by phase, as parallel branches may commit in any order. */
export function commitsOf(records: readonly RunRecord[]): readonly EventOf<'phase.approved'>[] {
  return records
    .flatMap(({ event }) => (event.type === 'phase.approved' ? [event] : []))
    .toSorted((a, b) => (a.phase < b.phase ? -1 : a.phase > b.phase ? 1 : a.version - b.version));
}

/** Returns the keys of completed tasks. */
export function completedIn(records: readonly RunRecord[]): ReadonlySet<string> {
  return new Set(tasksIn(records).flatMap(({ type, key }) => (type === 'task.completed' ? [key] : [])));
}

/** Returns the tasks that a dead process interrupted: their handlers had started, and their end was not stored. */
export function interruptedIn({ records, effects }: Pick<Death, 'records' | 'effects'>): readonly string[] {
  const started = new Set<string>();
  for (const { type, key } of tasksIn(records)) {
    if (type === 'task.started') started.add(key);
    else started.delete(key);
  }
  return [...started].filter((key) => effects.includes(key));
}

function rerunAfter({ effects }: Played, death: Death): readonly string[] {
  const later = effects.slice(death.effects.length);
  return interruptedIn(death).filter((key) => later.includes(key));
}

/** Returns the stored events of tasks, with their idempotency keys. */
function tasksIn(records: readonly RunRecord[]): readonly { readonly type: RunEvent['type']; readonly key: string }[] {
  const renewals = new Map<string, number>();
  const waiting = new Set<string>();
  return records.flatMap(({ event }) => {
    const { type } = event;
    if (type === 'phase.rewinding') waiting.add(event.phase);
    else if (type === 'phase.started' && waiting.delete(event.phase)) {
      const start = `${event.phase}/${event.generation}`;
      renewals.set(start, (renewals.get(start) ?? 0) + 1);
    } else if (type === 'task.started' || type === 'task.completed' || type === 'task.failed') {
      const start = `${event.phase}/${event.generation}`;
      const renewed = renewals.get(start);
      return [{ type, key: `r/${start}${renewed ? `.${renewed}` : ''}/${event.attempt}/task/${event.task}` }];
    }
    return [];
  });
}
