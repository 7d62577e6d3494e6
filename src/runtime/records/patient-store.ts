/**
 * A store whose calls wait while it is busy, instead of failing. Every use of a store by the runtime, the server and the command
 * line goes through it.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Compaction } from '../../store/maintenance.ts';
import type { AppendFunction, Awaitable, Lease, RunStore } from '../../store/port.ts';
import { checkStore } from '../../store/refusals.ts';
import { createBusyGate } from './busy-gate.ts';

/** A store that waits while another program keeps it busy. */
export interface PatientStore extends RunStore {
  /** True if no other process can have taken the run since: its lease was acquired or renewed here, and has not expired. */
  isOurs(lease: Lease): boolean;
}

/**
 * Returns the patient form of a store, always the same one.
 *
 * A call with a lease waits for as long as the lease is certain to be valid. Other calls wait for {@link PATIENCE_MS} at most. Then
 * they fail with `STORE_BUSY`.
 *
 * @throws PhasegateError `STORE_MISUSED` for a value that is no store
 */
export function patientStore(store: RunStore): PatientStore {
  const known = patients.get(store) ?? patient(store);
  patients.set(store, known);
  patients.set(known, known);
  return known;
}

// --- internal ---

/** Longest wait of a call without a lease, in milliseconds: as long as the lease of a run lasts. */
const PATIENCE_MS = 30_000;

const patients = new WeakMap<RunStore, PatientStore>();

/** The time at which a lease was last confirmed, in milliseconds since 1970, and its duration from then on. */
interface Confirmed {
  readonly at: number;
  readonly ms: number;
}

function patient(store: RunStore): PatientStore {
  checkStore(store);
  // A reader does not wait for writers: many stores serve it although they take no records now.
  const [reads, writes, maintenance] = [createBusyGate(), createBusyGate(), createBusyGate()];
  const confirmed = new Map<string, Confirmed>();

  function isOurs({ token }: Lease): boolean {
    const { at, ms } = confirmed.get(token) ?? { at: 0, ms: 0 };
    const age = Date.now() - at;
    return age >= 0 && age < ms;
  }

  function confirm<T>(take: () => Awaitable<T>, ms: number, leaseIn: (taken: T) => Lease | undefined): Awaitable<T> {
    const at = Date.now();
    const note = (taken: T) => {
      const lease = leaseIn(taken);
      if (lease) confirmed.set(lease.token, { at, ms });
      return taken;
    };
    const taken = take();
    return taken instanceof Promise ? taken.then(note) : note(taken);
  }

  const read = <T>(call: () => Awaitable<T>) => reads.pass(call, forSomeTime());
  const write = <T>(call: () => Awaitable<T>) => writes.pass(call, forSomeTime());
  /** @param leases One of them that may have expired ends the wait of all. */
  const whileOurs = <T>(leases: readonly (Lease | undefined)[], call: () => Awaitable<T>) => {
    const mayWait = forSomeTime();
    return writes.pass(call, () => leases.every((lease) => (lease ? isOurs(lease) : mayWait())));
  };
  const compact = store.compact?.bind(store);
  const backup = store.backup?.bind(store);
  const check = store.check?.bind(store);
  const claim = store.claim?.bind(store);
  const lastMessage = store.lastMessage?.bind(store);
  const watch = store.watch?.bind(store);
  const memories = store.memories?.bind(store);
  const forget = store.forget?.bind(store);

  return {
    isOurs,
    get append(): AppendFunction {
      const { all } = store.append;
      return Object.assign(
        (...[batch, lease]: Parameters<AppendFunction>) => whileOurs([lease], () => store.append(batch, lease)),
        all && {
          all: (...[appends]: Parameters<typeof all>) =>
            whileOurs(
              appends.map(({ lease }) => lease),
              () => all(appends),
            ),
        },
      );
    },
    read: (...given) => read(() => store.read(...given)),
    run: (...given) => read(() => store.run(...given)),
    runs: (...given) => read(() => store.runs(...given)),
    remove: (...given) => write(() => store.remove(...given)),
    ...(compact && { compact: () => compactAll(compact) }),
    ...(backup && { backup: (...given) => maintenance.pass(() => backup(...given), forSomeTime()) }),
    ...(check && { check: () => read(check) }),
    acquire: (runId, holder, ms) => write(() => confirm(() => store.acquire(runId, holder, ms), ms, itself)),
    ...(claim && {
      claim: (wish) =>
        write(() =>
          confirm(
            () => claim(wish),
            wish.ms,
            (taken) => taken?.lease,
          ),
        ),
    }),
    renew: (lease, ms) => whileOurs([lease], () => confirm(() => store.renew(lease, ms), ms, itself)),
    async release(lease) {
      try {
        await whileOurs([lease], () => store.release(lease));
      } finally {
        confirmed.delete(lease.token);
      }
    },
    async suspend(lease, ...given) {
      try {
        await whileOurs([lease], () => store.suspend(lease, ...given));
      } finally {
        confirmed.delete(lease.token);
      }
    },
    ready: (...given) => read(() => store.ready(...given)),
    inbox: (...given) => read(() => store.inbox(...given)),
    item: (...given) => read(() => store.item(...given)),
    post: (...given) => write(() => store.post(...given)),
    messages: (...given) => read(() => store.messages(...given)),
    ...(lastMessage && { lastMessage: () => read(() => lastMessage()) }),
    ...(watch && { watch }),
    ...(memories && { memories: (...given) => read(() => memories(...given)) }),
    ...(forget && { forget: (...given) => write(() => forget(...given)) }),
    artifact: (...given) => read(() => store.artifact(...given)),
    close: () => store.close(),
  };

  /** Compacts until nothing is in the way, or another program has been for too long. */
  async function compactAll(attempt: () => Awaitable<Compaction>): Promise<Compaction> {
    let freed = 0;
    const mayWait = forSomeTime();
    return maintenance.pass(async () => {
      const done = await attempt();
      freed += done.freed;
      if (done.pending === 'busy' && mayWait())
        throw new PhasegateError('STORE_BUSY', 'Cannot compact the store as another process writes');
      return { ...done, freed };
    }, mayWait);
  }
}

function itself(lease: Lease): Lease {
  return lease;
}

function forSomeTime(): () => boolean {
  const until = performance.now() + PATIENCE_MS;
  return () => performance.now() < until;
}
