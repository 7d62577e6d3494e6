/**
 * One simulated run: processes that start and resume it until it has ended, people who answer, and faults.
 *
 * @module
 */
import { memoryStore, PhasegateError, readRun, resumeRun, startRun, verifyRun, type Run } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import { createFaultPlan, type Fault } from './faults.ts';
import { faultyStore, type StoreWorld } from './faulty-store.ts';
import { letPeopleAnswer } from './people.ts';
import { build, type Perform } from './pipeline.ts';
import type { Scenario } from './scenario.ts';
import { inVirtualTime, type VirtualTime } from './virtual-time.ts';
import { clientOf, createWatch, type Client } from './watch.ts';

/** The outcome of a simulation. JSON but for the map. */
export interface Simulated {
  /** Records of the run and of those that its tasks have started, by id. */
  readonly records: ReadonlyMap<string, readonly RunRecord[]>;
  /** Broken rules, as sentences. */
  readonly problems: readonly string[];
  /** Everything that happened, in order: faults, processes, answers and calls of workers. */
  readonly log: readonly string[];
  /** Types of the faults that happened. */
  readonly happened: readonly Fault['type'][];
  /** The number of processes. */
  readonly processes: number;
}

/** Simulates a scenario with faults. The same arguments lead to the same outcome. */
export async function simulate(scenario: Scenario, faults: readonly Fault[] = []): Promise<Simulated> {
  const killed: { at: number; readonly client: Client }[] = [];
  const { stackTraceLimit } = Error;
  // Stacks are in the records of errors, and say on which way a process came to one.
  Error.stackTraceLimit = 0;
  try {
    return await inVirtualTime((time) => new Simulation(scenario, faults, time, killed).toEnd(), {
      most: MOST_TIMERS,
      onFired(fired) {
        for (const { at, client } of killed) if (fired >= at) client.isDead = true;
      },
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

// --- internal ---

const RUN_ID = 'run';
const MOST_TIMERS = 200_000;
const MOST_PROCESSES = 60;
/** Milliseconds after which a process that has stored nothing is killed, as a person would do. */
const HUNG_MS = 150_000;
/** Milliseconds between the end of a process and the start of the next. */
const PAUSE_MS = 9000;

interface LiveProcess {
  readonly client: Client;
  run: Pick<Run, 'answer'> | undefined;
}

class Simulation {
  readonly #scenario: Scenario;
  readonly #time: VirtualTime;
  readonly #watch = createWatch();
  readonly #log: string[] = [];
  readonly #happened: Fault['type'][] = [];
  readonly #base: RunStore;
  readonly #world: StoreWorld;
  readonly #live = new Set<LiveProcess>();
  readonly #working = new Set<Promise<void>>();
  #skew = 0;
  #processes = 0;
  #isOver = false;

  constructor(
    scenario: Scenario,
    faults: readonly Fault[],
    time: VirtualTime,
    killed: { at: number; readonly client: Client }[],
  ) {
    this.#scenario = scenario;
    this.#time = time;
    this.#base = memoryStore({ now: () => Date.now() + this.#skew });
    this.#world = {
      time,
      watch: this.#watch,
      plan: createFaultPlan(faults),
      isSync: scenario.isSync,
      isGrouped: scenario.isGrouped,
      until: { busy: 0, busyWrites: 0, full: 0 },
      happened: (fault, client, call) => {
        this.#happened.push(fault.type);
        this.#say(`${JSON.stringify(fault)} at ${call} of ${client.name}`);
      },
      as: (client, act) => {
        this.#skew = client.skew;
        try {
          return act();
        } finally {
          this.#skew = 0;
        }
      },
      die: (client, frees) => this.#die(client, frees),
      dieLater: (client, timers) => void killed.push({ at: time.fired() + timers, client }),
      rival: (skew) => void this.#work(skew),
    };
  }

  async toEnd(): Promise<Simulated> {
    void letPeopleAnswer({
      scenario: this.#scenario,
      base: this.#base,
      world: this.#world,
      run: () => [...this.#live].at(-1)?.run,
      isOver: () => this.#isOver,
      say: (line) => this.#say(line),
    });
    while (!(await this.#hasEnded())) {
      if (this.#processes >= MOST_PROCESSES) {
        this.#watch.note(`It has not ended after ${MOST_PROCESSES} processes`);
        break;
      }
      await this.#work(0);
      await this.#time.wait(PAUSE_MS);
      if (await this.#isSuspendedFor(DAY_MS)) {
        this.#watch.note('Its store never says that it is ready again');
        break;
      }
    }
    // Other processes find out that the run has ended.
    while (this.#working.size > 0) await Promise.all(this.#working);
    this.#isOver = true;
    const records = await this.#records();
    // A run that nothing has happened to is verified in other tests.
    for (const runId of this.#happened.length > 0 ? records.keys() : []) {
      const { problems } = await verifyRun(this.#base, runId);
      for (const problem of problems) this.#watch.note(`${runId}: ${problem}`);
    }
    this.#watch.atEnd(records);
    return {
      records,
      problems: this.#watch.problems,
      log: [...this.#log, ...this.#watch.calls],
      happened: this.#happened,
      processes: this.#processes,
    };
  }

  async #hasEnded(): Promise<boolean> {
    const listed = await this.#base.run(RUN_ID);
    return listed !== undefined && listed.status !== 'running';
  }

  /** Waits while the run is suspended. @returns True if it still is after that time. */
  async #isSuspendedFor(ms: number): Promise<boolean> {
    for (let waited = 0; waited < ms; waited += PAUSE_MS) {
      const listed = await this.#base.run(RUN_ID);
      if (!listed || listed.status !== 'running' || listed.lease || listed.lapsed) return false;
      if ((await this.#base.ready([listed.pipeline], 1)).length > 0) return false;
      await this.#time.wait(PAUSE_MS);
    }
    return true;
  }

  async #records(): Promise<ReadonlyMap<string, readonly RunRecord[]>> {
    const runs = await this.#base.runs();
    const ids = runs.map(({ runId }) => runId).toSorted();
    return new Map(await Promise.all(ids.map(async (runId) => [runId, await readRun(this.#base, runId)] as const)));
  }

  #say(line: string): void {
    this.#log.push(`${this.#time.now()} ${line}`);
  }

  // --- processes ---

  /** Lets a process work on the run, until it has a result, is refused, or is dead. */
  #work(skew: number): Promise<void> {
    const done = this.#process(skew).finally(() => this.#working.delete(done));
    this.#working.add(done);
    return done;
  }

  async #process(skew: number): Promise<void> {
    this.#processes += 1;
    const client = clientOf(`process-${this.#processes}`, skew);
    const live: LiveProcess = { client, run: undefined };
    this.#live.add(live);
    try {
      await Promise.race([this.#runIn(live), this.#watchOver(client)]);
    } finally {
      // A process that has a result exits.
      this.#say(`${client.name} is over${client.isDead ? ', dead' : ''}`);
      client.isDead = true;
      this.#live.delete(live);
    }
  }

  async #runIn(live: LiveProcess): Promise<void> {
    const { client } = live;
    const store = faultyStore(this.#base, client, this.#world);
    const pipeline = build(this.#scenario, this.#performer(client));
    const options = { store, holder: client.name } as const;
    const { whileWaiting } = this.#scenario;
    const isNew = (await this.#base.run(RUN_ID)) === undefined;
    this.#say(`${client.name} ${isNew ? 'starts' : 'resumes'} the run`);
    try {
      const run: Run<unknown> = isNew
        ? startRun(pipeline, { ...options, runId: RUN_ID, attended: true, whileWaiting })
        : await resumeRun(store, RUN_ID, pipeline, { holder: client.name, whileWaiting });
      live.run = run;
      run.events$.subscribe((record) => {
        if (!client.isDead) this.#watch.published(client, record);
      });
      const { status, error } = await run.result;
      if (client.isDead) return;
      const code = error?.code ?? '';
      this.#say(`${client.name} has the result ${status} ${code}`);
      if (status === 'suspended' || (status === 'failed' && INTERRUPTIONS.has(code))) return;
      this.#watch.ended(client, RUN_ID, status);
    } catch (error) {
      if (client.isDead) return;
      const code = PhasegateError.is(error) ? error.code : String(error);
      this.#say(`${client.name} is refused: ${code}`);
      if (!REFUSALS.has(code)) this.#watch.note(`${client.name} cannot continue the run: ${String(error)}`);
    }
  }

  /** Resolves once a process is dead. Kills one that stores nothing for a long time, as its store has never answered. */
  async #watchOver(client: Client): Promise<void> {
    for (let stored = -1, since = 0; !client.isDead; await this.#time.wait(1000)) {
      if (this.#watch.stored() !== stored) {
        stored = this.#watch.stored();
        since = this.#time.now();
      } else if (this.#time.now() - since > HUNG_MS) this.#die(client, false);
    }
  }

  #die(client: Client, frees: boolean): void {
    client.isDead = true;
    if (!frees) return;
    // Another process of the same machine finds that its holder is gone.
    void this.#release(client);
  }

  async #release(client: Client): Promise<void> {
    for (const { lease } of await this.#base.runs({ leased: true }))
      if (lease?.holder === client.name) {
        await this.#base.release(lease);
        this.#watch.released(lease);
      }
  }

  #performer(client: Client): Perform {
    return async (call, wait, act) => {
      if (client.isDead) return never();
      this.#watch.began(client, call);
      await wait();
      return client.isDead ? never() : act();
    };
  }
}

/** Far above the time in which people answer. */
const DAY_MS = 86_400_000;

const STORE_ERRORS = ['STORE_FAILED', 'STORE_BUSY', 'STORE_FULL'];
/** Ends of a process that are no ends of its run. */
const INTERRUPTIONS: ReadonlySet<string> = new Set([...STORE_ERRORS, 'LEASE_LOST', 'RUN_LEASED', 'RUN_EXISTS']);
/** Reasons for which a process may not begin. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...STORE_ERRORS,
  'RUN_LEASED',
  'RUN_ENDED',
  'LEASE_LOST',
  'RUN_UNKNOWN',
]);

function never(): Promise<never> {
  return new Promise(() => undefined);
}
