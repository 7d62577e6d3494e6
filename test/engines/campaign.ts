/**
 * Many runs, worked on by several processes of `phasegate work`, while something is done to them.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { approve, submitRun, verifyRun } from '../../src/index.ts';
import { answerItem } from '../../src/inbox.ts';
import type { RunRecord } from '../../src/records.ts';
import { PhasegateError } from '../../src/model/errors/phasegate-error.ts';
import type { RunStore } from '../../src/store.ts';
import { says, start, type Going } from '../cli/cli.ts';
import { essay } from './essay.ts';

/** A worker. */
export interface Hired extends Going {
  /** Resolves when it works. Before that, a signal ends it as any other process. */
  readonly begun: Promise<void>;
}

/** The machine of a worker. */
export interface Machine {
  /** The versions of the pipeline that it has. @default `['1']` */
  readonly versions?: readonly string[];
  /** Its host name. @default that of this machine */
  readonly name?: string;
  /** Milliseconds by which its clock is ahead. @default 0 */
  readonly clock?: number;
}

/** A campaign. */
export interface Campaign {
  /** An empty folder. */
  readonly cwd: string;
  readonly store: RunStore;
  /** Variables of the workers, with the address of the store. */
  readonly env?: Readonly<Record<string, string>>;
  /** Number of runs of each version. */
  readonly runs: Readonly<Record<string, number>>;
  readonly machines: readonly Machine[];
  /** Done one after the other, evenly spread over the answers. */
  readonly harm?: readonly ((workers: Workers) => Promise<void>)[];
}

/** The workers at work. */
export interface Workers {
  /** Kills one that is at work. Another takes its place. */
  readonly kill: () => Promise<void>;
  readonly all: readonly Hired[];
  readonly store: RunStore;
}

/** The outcome. All of them should be 0, but for `again`. */
export interface Tally {
  /** Records that are missing or too many, and tasks without their output. */
  readonly records: number;
  /** Committed tasks that were started again. */
  readonly committedAgain: number;
  /** Items with no answer, or with several. */
  readonly answers: number;
  /** Tasks that ran again, as their process was killed before it stored their output. */
  readonly again: number;
}

/** Callers that answer each item at once. */
const CALLERS = 5;

/** Works on all runs to their end, and examines what is stored. */
export async function campaign({ cwd, store, env = {}, runs, machines, harm = [] }: Campaign): Promise<Tally> {
  const ran = join(cwd, 'ran');
  const hire = (machine: Machine): Hired => {
    const worker = start(['work', ...(machine.versions ?? ['1']).map(fileOf), '--concurrency', '4', '--json'], {
      cwd,
      env: { ...env, ...machineOf(machine), RAN: ran },
    });
    return { ...worker, begun: says(worker, 'works on runs of') };
  };
  // They create the tables at once.
  const places = machines.map((machine) => ({ machine, worker: hire(machine) }));
  await Promise.all(places.map(({ worker }) => worker.begun));
  const workers: Workers = {
    async kill() {
      const [first] = places;
      if (!first) return;
      await first.worker.begun;
      first.worker.child.kill('SIGKILL');
      await first.worker.ended;
      places.push({ ...first, worker: hire(first.machine) });
      places.shift();
    },
    get all() {
      return places.map(({ worker }) => worker);
    },
    store,
  };
  const ids = Object.entries(runs).flatMap(([version, count]) =>
    Array.from({ length: count }, (_, at) => ({ version, runId: `v${version}-${at}` })),
  );
  for (const { version, runId } of ids) await submitRun(store, essay(version), { runId });

  let accepted = 0;
  const harms = [...harm];
  const step = ids.length / (harms.length + 1);
  while ((await store.runs({ status: ['completed'] })).length < ids.length) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const { id } of await store.inbox({ open: true })) {
      const answers = await Promise.all(Array.from({ length: CALLERS }, () => answered(store, id)));
      accepted += answers.reduce((sum, one) => sum + one, 0);
      if (accepted < (harm.length - harms.length + 1) * step) continue;
      await harms.shift()?.(workers);
    }
  }
  await Promise.all(workers.all.map(async ({ begun }) => begun));
  for (const { child } of workers.all) child.kill('SIGTERM');
  for (const { ended } of workers.all) expect(await ended).toMatchObject({ code: 0 });
  expect(harms).toEqual([]);

  const tallies: Omit<Tally, 'again'>[] = [];
  for (const { runId } of ids) {
    expect(await verifyRun(store, runId)).toMatchObject({ problems: [] });
    tallies.push(tallyOf(await store.read(runId)));
  }
  const sum = (pick: (tally: Omit<Tally, 'again'>) => number) => tallies.reduce((all, one) => all + pick(one), 0);
  const lines = (await readFile(ran, 'utf8')).trimEnd().split('\n');
  expect(new Set(lines).size).toBe(2 * ids.length);
  return {
    records: sum(({ records }) => records),
    committedAgain: sum(({ committedAgain }) => committedAgain),
    answers: sum(({ answers }) => answers) + Math.abs(accepted - ids.length),
    again: lines.length - 2 * ids.length,
  };
}

/** Examines the records of one run. */
export function tallyOf(records: readonly RunRecord[]): Omit<Tally, 'again'> {
  const completed = new Map<string, number>();
  let committedAgain = 0;
  let answers = 0;
  let misplaced = 0;
  for (const [at, { seq, event }] of records.entries()) {
    if (seq !== at + 1) misplaced += 1;
    if (event.type === 'task.started' && completed.has(event.task)) committedAgain += 1;
    if (event.type === 'task.completed') completed.set(event.task, (completed.get(event.task) ?? 0) + 1);
    if (event.type === 'review.decided' && event.phase === 'draft') answers += 1;
  }
  const outputs = ['write', 'set'].reduce((sum, name) => sum + Math.abs((completed.get(name) ?? 0) - 1), 0);
  return { records: misplaced + outputs, committedAgain, answers: Math.abs(answers - 1) };
}

// --- internal ---

function fileOf(version: string): string {
  return fileURLToPath(new URL(`essay-${version}.ts`, import.meta.url));
}

function machineOf({ name, clock = 0 }: Machine): Record<string, string> {
  if (name === undefined) return {};
  const preload = `data:text/javascript,${encodeURIComponent(otherMachine(name, clock))}`;
  return { NODE_OPTIONS: `--import ${preload}` };
}

/** A module that gives a process the host name of another machine, and a clock that is ahead. */
function otherMachine(name: string, clock: number): string {
  return `
    import { syncBuiltinESMExports } from 'node:module';
    import os from 'node:os';
    os.hostname = () => ${JSON.stringify(name)};
    syncBuiltinESMExports();
    const RealDate = Date;
    globalThis.Date = class extends RealDate {
      constructor(...given) {
        if (given.length === 0) super(RealDate.now() + ${clock});
        else super(...given);
      }
      static now() {
        return RealDate.now() + ${clock};
      }
    };`;
}

/** Approves an item. @returns 1 if this answer was the first. */
async function answered(store: RunStore, id: string): Promise<number> {
  try {
    await answerItem(store, id, { type: 'decide', decision: approve() });
    return 1;
  } catch (error) {
    if (PhasegateError.is(error) && error.code === 'ANSWERED') return 0;
    throw error;
  }
}
