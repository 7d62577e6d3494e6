/**
 * Processes of `phasegate work`, which are killed and replaced, or stand still.
 *
 * @module
 */
import { join } from 'node:path';
import { expect } from 'vitest';
import { approve, type Decision } from '../../src/index.ts';
import { answerItem } from '../../src/inbox.ts';
import { PhasegateError } from '../../src/model/errors/phasegate-error.ts';
import { readHolder } from '../../src/store/holder.ts';
import type { RunStore } from '../../src/store.ts';
import { says, start, type Going } from '../cli/cli.ts';

/** A worker. */
export interface Hired extends Going {
  /** Resolves when it works. Before that, a signal ends it as any other process. */
  readonly begun: Promise<void>;
}

/** The machine of a worker. */
export interface Machine {
  /** The versions of the pipeline that it has. @default the first one */
  readonly versions?: readonly string[];
  /** Its host name. @default that of this machine */
  readonly name?: string;
  /** Milliseconds by which its clock is ahead. @default 0 */
  readonly clock?: number;
}

/** The workers at work. */
export interface Workers {
  /** Kills the one that is there longest. Another takes its place. */
  readonly kill: () => Promise<void>;
  /** Kills one that has a run now, if one has. Another takes its place. */
  readonly killBusy: () => Promise<void>;
  readonly all: readonly Hired[];
  readonly store: RunStore;
  /** Stops all of them, and expects that none has failed. */
  readonly stop: () => Promise<void>;
}

/** The processes to start. */
export interface Hiring {
  /** An empty folder. Tasks append a line to its file `ran`. */
  readonly cwd: string;
  readonly store: RunStore;
  /** Variables of the workers, with the address of the store. */
  readonly env: Readonly<Record<string, string>>;
  readonly machines: readonly Machine[];
  /** The file of a version of the pipeline. */
  readonly fileOf: (version: string) => string;
}

/** Longer than a lease lasts. */
const BEYOND_LEASE_MS = 35_000;

/** Starts workers, and waits until all of them work. */
export async function hire({ cwd, store, env, machines, fileOf }: Hiring): Promise<Workers> {
  const begin = (machine: Machine): Hired => {
    const worker = start(['work', ...(machine.versions ?? ['1']).map(fileOf), '--concurrency', '4', '--json'], {
      cwd,
      env: { ...env, ...machineOf(machine), RAN: join(cwd, 'ran') },
    });
    return { ...worker, begun: says(worker, 'works on runs of') };
  };
  // They create the tables at once.
  const places = machines.map((machine) => ({ machine, worker: begin(machine) }));
  await Promise.all(places.map(({ worker }) => worker.begun));
  const all = () => places.map(({ worker }) => worker);

  async function killAt(at: number): Promise<void> {
    const [killed] = places.splice(at, 1);
    if (!killed) return;
    await killed.worker.begun;
    killed.worker.child.kill('SIGKILL');
    await killed.worker.ended;
    places.push({ ...killed, worker: begin(killed.machine) });
  }

  return {
    kill: () => killAt(0),
    async killBusy() {
      const leased = await store.runs({ leased: true });
      const pids = new Set(leased.map(({ lease }) => readHolder(lease?.holder ?? '')?.pid));
      await killAt(
        Math.max(
          0,
          places.findIndex(({ worker }) => pids.has(worker.child.pid ?? 0)),
        ),
      );
    },
    get all() {
      return all();
    },
    store,
    async stop() {
      await Promise.all(all().map(async ({ begun }) => begun));
      for (const { child } of all()) child.kill('SIGTERM');
      for (const { ended } of all()) expect(await ended).toMatchObject({ code: 0 });
    },
  };
}

/** Machines of these names. */
export function machinesElsewhere(count: number): readonly Machine[] {
  return Array.from({ length: count }, (_, at) => ({ name: `machine-${at}` }));
}

/** Lets one of `machinesElsewhere` stand still for longer than its leases last. */
export async function standStill({ all, store }: Workers, at: number): Promise<void> {
  const { child } = all[at] ?? {};
  const holds = async () =>
    (await store.runs({ leased: true })).some(({ lease }) => lease?.holder.includes(` machine-${at} `) === true);
  // It stands still while it has a run, which only another one can continue.
  for (child?.kill('SIGSTOP'); !(await holds()); child?.kill('SIGSTOP')) {
    child?.kill('SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  setTimeout(() => child?.kill('SIGCONT'), BEYOND_LEASE_MS);
}

/** Callers that answer each item at once. */
const CALLERS = 5;

/** Answers an item from several places at once. @returns The number of answers that were accepted. */
export async function answerAtOnce(store: RunStore, id: string, decision: Decision = approve()): Promise<number> {
  const answers = await Promise.all(Array.from({ length: CALLERS }, () => answered(store, id, decision)));
  return answers.reduce((sum, one) => sum + one, 0);
}

// --- internal ---

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

/** Answers an item. @returns 1 if this answer was the first. */
async function answered(store: RunStore, id: string, decision: Decision): Promise<number> {
  try {
    await answerItem(store, id, { type: 'decide', decision });
    return 1;
  } catch (error) {
    if (PhasegateError.is(error) && error.code === 'ANSWERED') return 0;
    throw error;
  }
}
