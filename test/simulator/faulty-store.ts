/**
 * A store as one process sees it: it fails as real ones do.
 *
 * Behind it is a store in memory, which keeps the contract of the port. Faults break it only as far as real stores do: an error tells
 * nothing about what was stored, and an acknowledgement may be lost.
 *
 * @module
 */
import { PhasegateError } from '../../src/index.ts';
import type { Append, Awaitable, Batch, Lease, RunStore } from '../../src/store.ts';
import type { Fault, FaultPlan } from './faults.ts';
import { tornBatch } from './torn-batch.ts';
import type { VirtualTime } from './virtual-time.ts';
import type { Client, Watch } from './watch.ts';

/** The world of a store. */
export interface StoreWorld {
  readonly time: VirtualTime;
  readonly plan: FaultPlan;
  readonly watch: Watch;
  /** True if results are returned at once, and not as promises. */
  readonly isSync: boolean;
  /** True if the store takes batches of several runs at once. */
  readonly isGrouped: boolean;
  /** Times until which the store refuses calls. */
  readonly until: { busy: number; busyWrites: number; full: number };
  /** Notes a fault that happens. */
  happened(fault: Fault, client: Client, call: string): void;
  /** Calls the store in memory with the clock of a client. */
  as<T>(client: Client, act: () => T): T;
  /** Lets a process die now. @param frees True if its leases are free at once. */
  die(client: Client, frees: boolean): void;
  /** Lets a process die after some timers. */
  dieLater(client: Client, timers: number): void;
  /** Starts another process that resumes the run. */
  rival(skew: number): void;
}

/** Wraps a synchronous store for one client. @param mayDie False for people. */
export function faultyStore(base: RunStore, client: Client, world: StoreWorld, mayDie = true): RunStore {
  const { time, plan, watch, until } = world;

  /** Makes a call. @param act Calls the store, which notes it. @param heard Called once the client has the result. */
  function call<T>(
    { name, isWrite = false, torn }: Called,
    act: () => T,
    heard: (value: T) => void = noop,
  ): Awaitable<T> {
    if (client.isDead) {
      // A timer of a dead process would fire for ever.
      time.stopCurrent();
      return never();
    }
    const isAppend = name === 'append';
    const make = (): T => {
      if (time.now() < until.busy || (isWrite && time.now() < until.busyWrites)) throw failure('STORE_BUSY', name);
      if (isAppend && time.now() < until.full) throw failure('STORE_FULL', name);
      return world.as(client, act);
    };
    const done = (): T => {
      const value = make();
      heard(value);
      return value;
    };
    const fault = name === 'lastMessage' ? undefined : plan.next();
    if (!fault && world.isSync) return done();
    const disturbed = async (): Promise<T> => {
      const value = await (fault ? disturb(fault, { name, torn, make }) : make());
      if (client.isDead) return never();
      heard(value);
      return value;
    };
    return disturbed();
  }

  async function disturb<T>(fault: Fault, { name, torn, make }: Made<T>): Promise<T> {
    world.happened(fault, client, name);
    switch (fault.type) {
      case 'busy':
        if (fault.writes) until.busyWrites = time.now() + fault.ms;
        else until.busy = time.now() + fault.ms;
        return make();
      case 'full':
        until.full = time.now() + fault.ms;
        return make();
      case 'slow': {
        if (!fault.isDone) await time.wait(fault.ms);
        if (client.isDead) return never();
        const value = make();
        if (fault.isDone) await time.wait(fault.ms);
        return value;
      }
      case 'fail':
        if (fault.isDone) make();
        throw failure('STORE_FAILED', name);
      case 'lost':
        make();
        throw failure('STORE_BUSY', name);
      case 'hang':
        if (fault.isDone) make();
        return never();
      case 'torn':
        await torn?.(fault.keep);
        if (mayDie && fault.dies) return die(false);
        throw failure('STORE_FAILED', name);
      case 'die':
        if (!mayDie) throw failure('STORE_FAILED', name);
        if (fault.isDone) make();
        return die(fault.frees);
      case 'kill':
        if (mayDie) world.dieLater(client, fault.timers);
        return make();
      case 'rival':
        world.rival(fault.skew);
        return make();
      case 'suspend': {
        const made = fault.isDone ? { value: make() } : undefined;
        time.jump(fault.ms);
        world.rival(0);
        await time.wait(SUSPENDED_MS);
        if (client.isDead) return never();
        return made ? made.value : make();
      }
      case 'jump':
        time.jump(fault.ms);
        return make();
    }
  }

  function die(frees: boolean): Promise<never> {
    world.die(client, frees);
    return never();
  }

  const wall = (): number => Date.now() + client.skew;
  const lasting = (runId: string, ms: number) => {
    const at = Date.now();
    return () => void client.beliefs.set(runId, { at, ms });
  };
  const knows = (runId: string, seq: number): void =>
    void client.known.set(runId, Math.max(seq, client.known.get(runId) ?? 0));

  function store(batch: Batch, lease: Lease | undefined): void {
    void base.append(batch, lease);
    watch.appended(client, batch, lease);
  }

  function append(batch: Batch, lease?: Lease): Awaitable<void> {
    const torn = async (keep: number): Promise<void> => {
      const { length } = batch.records;
      if (length < 2) return;
      const part = await tornBatch(base, batch, 1 + (keep % (length - 1)));
      world.as(client, () => store(part, lease));
    };
    return call(
      { name: 'append', isWrite: true, torn },
      () => store(batch, lease),
      () => knows(batch.runId, batch.info.seq),
    );
  }

  function storeEach(appends: readonly Append[]): readonly (PhasegateError | undefined)[] {
    return appends.map(({ batch, lease }) => {
      try {
        store(batch, lease);
        return undefined;
      } catch (error) {
        if (PhasegateError.is(error)) return error;
        throw error;
      }
    });
  }

  /** Several batches. If they are torn, the first ones are stored. */
  function appendAll(appends: readonly Append[]): Awaitable<readonly (PhasegateError | undefined)[]> {
    const torn = async (keep: number): Promise<void> => {
      const first = appends.slice(0, 1 + (keep % (appends.length - 1)));
      world.as(client, () => storeEach(first));
    };
    return call(
      { name: 'append', isWrite: true, torn },
      () => storeEach(appends),
      (errors) => appends.forEach(({ batch }, at) => errors[at] ?? knows(batch.runId, batch.info.seq)),
    );
  }

  return {
    append: Object.assign(append, world.isGrouped && { all: appendAll }),
    read: (runId, from, limit) =>
      call(
        { name: 'read' },
        () => now(base.read(runId, from, limit)),
        (records) => knows(runId, records.at(-1)?.seq ?? 0),
      ),
    run: (runId) => call({ name: 'run' }, () => now(base.run(runId))),
    runs: (filter) => call({ name: 'runs' }, () => now(base.runs(filter))),
    remove: (runId) => call({ name: 'remove', isWrite: true }, () => now(base.remove(runId))),
    acquire: (runId, holder, ms) =>
      call(
        { name: 'acquire', isWrite: true },
        () => {
          try {
            const lease = now(base.acquire(runId, holder, ms));
            watch.acquired(client, lease, ms, wall());
            return lease;
          } catch (error) {
            watch.refused(runId, wall());
            throw error;
          }
        },
        lasting(runId, ms),
      ),
    renew: (lease, ms) =>
      call(
        { name: 'renew', isWrite: true },
        () => {
          const renewed = now(base.renew(lease, ms));
          watch.renewed(client, lease, ms, wall());
          return renewed;
        },
        lasting(lease.runId, ms),
      ),
    release: (lease) =>
      call({ name: 'release', isWrite: true }, () => {
        void base.release(lease);
        watch.released(lease);
      }),
    suspend: (lease, ...given) =>
      call({ name: 'suspend', isWrite: true }, () => {
        void base.suspend(lease, ...given);
        watch.released(lease);
      }),
    ready: (...given) => call({ name: 'ready' }, () => now(base.ready(...given))),
    inbox: (filter) => call({ name: 'inbox' }, () => now(base.inbox(filter))),
    item: (id) => call({ name: 'item' }, () => now(base.item(id))),
    post: (message) => call({ name: 'post', isWrite: true }, () => now(base.post(message))),
    messages: (runId, after) => call({ name: 'messages' }, () => now(base.messages(runId, after))),
    lastMessage: () => call({ name: 'lastMessage' }, () => now(base.lastMessage?.() ?? 0)),
    artifact: (hash) => call({ name: 'artifact' }, () => now(base.artifact(hash))),
    close: () => undefined,
  };
}

// --- internal ---

/** Milliseconds for which a suspended process does nothing, by its timers. Its clock says more. */
const SUSPENDED_MS = 3000;

interface Called {
  readonly name: string;
  readonly isWrite?: boolean;
  /** Stores the first records of a batch. */
  readonly torn?: ((keep: number) => Promise<void>) | undefined;
}

interface Made<T> extends Pick<Called, 'name' | 'torn'> {
  readonly make: () => T;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function noop(): void {
  // Nothing to note.
}

/** The result of a synchronous store. */
function now<T>(value: Awaitable<T>): T {
  if (value instanceof Promise) throw new TypeError('The store in memory returns no promises.');
  return value;
}

function failure(code: 'STORE_BUSY' | 'STORE_FULL' | 'STORE_FAILED', name: string): PhasegateError {
  return new PhasegateError(code, `Cannot ${name} as the simulated store refuses it`);
}
