/**
 * Benchmark of a store that another process keeps locked: the longest turn of the event loop of a process that uses it meanwhile.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { definePipeline, human, phase, resumeAll, startRun, task } from 'phasegate';
import { serveDashboard } from 'phasegate/dashboard';
import { answerItem } from 'phasegate/inbox';
import { sqliteStore } from 'phasegate/sqlite';
import type { RunStore } from 'phasegate/store';
import { patientStore } from '../src/runtime/records/patient-store.ts';
import { collect } from './measure.ts';

/** Prints the table as Markdown. @param ms Milliseconds for which the other process has the lock. */
export async function benchBusy(ms = 9000): Promise<void> {
  mkdirSync('out', { recursive: true });
  const folder = mkdtempSync(join('out', 'busy-'));
  try {
    // The first of each kind is slow, as its code is compiled.
    for (const one of CASES) await longestTurn(join(folder, `cold-${CASES.indexOf(one)}`), one, undefined, ms);
    console.log(`\n| ${RUNS} runs: | longest turn, ms | with the store locked for ${ms / 1000} s |`);
    console.log('| --- | ---: | ---: |');
    for (const one of CASES) {
      const free = await longestOf(folder, one, undefined, ms);
      const locked = await longestOf(folder, one, one.lock, ms);
      console.log(`| ${one.name} | ${free.toFixed(0)} | ${locked.toFixed(0)} |`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// --- internal ---

const RUNS = 50;

interface Case {
  readonly name: string;
  readonly lock: 'write' | 'all';
  /** True if each of its runs waits for an answer, in no process. */
  readonly isLeft: boolean;
  readonly work: (open: () => RunStore) => Promise<unknown>;
}

const CASES: readonly Case[] = [
  {
    name: 'runs start, and end',
    lock: 'write',
    isLeft: false,
    async work(open) {
      const store = open();
      await eachOf((nth) => startRun(quick, { store, runId: `r${nth}` }).result);
    },
  },
  {
    name: 'runs of three stores start, and end',
    lock: 'write',
    isLeft: false,
    async work(open) {
      const stores = [open(), open(), open()];
      await eachOf((nth) => startRun(quick, { store: stores[nth % 3], runId: `r${nth}` }).result);
    },
  },
  {
    name: 'answers are given',
    lock: 'write',
    isLeft: true,
    async work(open) {
      const store = open();
      const items = await patientStore(store).inbox({ open: true });
      await Promise.all(items.map(({ id }) => answerItem(store, id, { type: 'value', value: 'Yes.' })));
    },
  },
  {
    name: '`resumeAll` resumes them',
    lock: 'write',
    isLeft: true,
    async work(open) {
      const { runs, failed } = await resumeAll(open(), [asking]);
      for (const run of runs) run.suspend();
      for (const { result } of runs) await result;
      if (runs.length !== RUNS || failed.length > 0) throw new Error('Some runs are not resumed');
    },
  },
  {
    name: 'readers list, and read them',
    lock: 'all',
    isLeft: true,
    async work(open) {
      const store = patientStore(open());
      await eachOf(async (nth) => [await store.runs(), await store.inbox(), await store.read(`r${nth}`)]);
    },
  },
  {
    name: 'the dashboard shows, and cancels them',
    lock: 'all',
    isLeft: true,
    async work(open) {
      const dashboard = await serveDashboard(open(), { isAlive: () => false });
      const welcome = await fetch(dashboard.url, { redirect: 'manual' });
      const cookie = welcome.headers.get('set-cookie')?.split(';')[0] ?? '';
      const { origin } = new URL(dashboard.url);
      const ask = async (path: string) => (await fetch(origin + path, { headers: { cookie } })).text();
      const cancel = async (run: string) => {
        const headers = { cookie, origin, 'content-type': 'application/json', 'x-phasegate': '1' };
        const { status } = await fetch(`${origin}/api/runs/${run}/cancel`, { method: 'POST', headers, body: '{}' });
        if (status !== 200) throw new Error(`The dashboard answers ${status}`);
      };
      const look = (nth: number) =>
        Promise.all(['/api/runs', `/api/runs/r${nth}`, '/api/inbox', '/api/troubles'].map(ask));
      // A browser has six connections at most.
      await Promise.all([...[1, 2, 3].map(look), cancel('r1'), cancel('r2')]);
      for (let nth = 3; nth < RUNS; nth++) await Promise.all([look(nth), cancel(`r${nth}`)]);
      await dashboard.close();
    },
  },
];

const quick = definePipeline({
  name: 'quick',
  phases: [
    phase('a', { tasks: [task('t', { run: async () => 'a' })] }),
    phase('b', { after: ['a'], tasks: [task('t', { run: async () => 'b' })] }),
  ],
});

const asking = definePipeline({
  name: 'asking',
  phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Well?' }) })] })],
});

function eachOf<T>(make: (nth: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: RUNS }, (_, nth) => make(nth)));
}

/** Leaves runs that wait for an answer. */
async function leave(store: RunStore): Promise<void> {
  await eachOf(async (nth) => {
    const run = startRun(asking, { store, runId: `r${nth}`, attended: true });
    for await (const { event } of run) if (event.type === 'task.asked') break;
    run.suspend();
    await run.result;
  });
}

/** Measures three times, as other programs of the machine can only make turns longer. @returns The shortest of the longest turns. */
async function longestOf(folder: string, one: Case, lock: Case['lock'] | undefined, ms: number): Promise<number> {
  const found: number[] = [];
  for (const nth of [1, 2, 3]) {
    const file = join(folder, `${CASES.indexOf(one)}-${lock ?? 'free'}-${nth}`);
    found.push(await longestTurn(file, one, lock, ms));
  }
  return Math.min(...found);
}

/** @param lock The lock of the other process; `undefined` for none. */
async function longestTurn(
  file: string,
  { isLeft, work }: Case,
  lock: Case['lock'] | undefined,
  ms: number,
): Promise<number> {
  const before = sqliteStore(file);
  if (isLeft) await leave(before);
  await before.close();
  // Some drivers close a file only then, and nobody else can lock it before.
  collect();
  if (lock !== undefined) {
    const flags = ['--import', 'jiti/register', HOLD, lock, file, String(ms)];
    const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
  }
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const stores: RunStore[] = [];
  await work(() => {
    const store = sqliteStore(file);
    stores.push(store);
    return store;
  });
  delay.disable();
  for (const store of stores) await store.close();
  return delay.max / 1e6;
}

/** The program that locks a store. */
const HOLD = fileURLToPath(new URL('hold.ts', import.meta.url));
