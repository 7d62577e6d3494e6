/**
 * Persistence of a run while a process works on it: the lease, the journal, and messages from other processes.
 *
 * @module
 */
import type { Recalled, WorkHost } from '../../actors/work/work-host.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { readAnswerBody, type AnswerBody } from '../../projections/inbox/reply.ts';
import type { RunOrigin } from '../../projections/run/run-info.ts';
import { thisHolder } from '../../store/holder.ts';
import type { Lease, RunStore } from '../../store/port.ts';
import { createJournal, type Journal } from './journal.ts';
import { giveBack, suspendLease, type Wait } from './release-lease.ts';
import { leaseLostError, leaseUnsureError } from './lease-lost.ts';
import { pollMessages, type MessagePoll } from './message-poll.ts';
import { patientStore } from './patient-store.ts';
import type { RecordLog } from './record-log.ts';

/** A message from another process to a run. */
export type PeerMessage =
  | { readonly kind: 'cancel'; readonly body: unknown }
  | ({ readonly kind: 'answer'; readonly item: string; readonly by: string } & AnswerBody);

/** Stores a run. */
export interface RunPersistence {
  readonly journal: Journal;
  /** Delays work until the records that start it are stored. */
  readonly host: WorkHost;
  /**
   * Acquires the lease and renews it until {@link RunPersistence.close}.
   *
   * @param onLoss Called once, when nothing can be stored any more.
   * @param onMessage Called with each message of another process.
   * @param before Awaited first. If it rejects, the store is not used.
   * @throws PhasegateError `RUN_LEASED` if another process works on the run, `RUN_EXISTS` if a new run has the id of another.
   */
  open(
    onLoss: (error: PhasegateError) => void,
    onMessage: (message: PeerMessage) => void,
    before?: Promise<unknown>,
  ): Promise<void>;
  /**
   * Claims the only place that the store has for an answer to an item.
   *
   * @param body The reply and the nonce.
   * @throws PhasegateError `ANSWERED` if another answer has it.
   */
  claim(item: string, body: AnswerBody, by: string | undefined): Promise<void>;
  /** Receives the messages that other processes have posted so far. */
  listen(): Promise<void>;
  /** Place of the last message that was received; 0 if none was. */
  heard(): number;
  /** Place of the latest message to any run; `undefined` if the store cannot tell. */
  place(): Promise<number | undefined>;
  /** True once the lease was acquired. */
  isOpen(): boolean;
  /** Sets the function to call after each batch is stored. */
  whenStored(call: () => void): void;
  /**
   * Releases the lease once all records are stored. Before that, calls `last`, unless the store has failed.
   *
   * @param wait If it is omitted, the run can be continued at once.
   * @returns The error if they cannot be stored.
   */
  close(wait?: Wait, last?: () => Promise<void>): Promise<unknown>;
}

/** Options of {@link persistRun}. */
export interface PersistenceOptions {
  readonly store: RunStore;
  readonly log: RecordLog;
  /** Name of the process that works on the run, for people. @default this process: its number, machine and start */
  readonly holder?: string | undefined;
  /** The lease, if the caller has acquired it already. */
  readonly lease?: Lease | undefined;
  readonly origin?: RunOrigin | undefined;
}

/** Milliseconds of the lease, and between its renewals. */
const [LEASE_MS, RENEW_MS] = [30_000, 10_000];

/** Prepares to store a run. It does nothing before `open`. */
export function persistRun({
  store: given,
  log,
  origin,
  lease: taken,
  holder = thisHolder(),
}: PersistenceOptions): RunPersistence {
  const store = patientStore(given);
  let lease = taken;
  let opened = false;
  let opening: Promise<void> | undefined;
  let onLoss: (error: PhasegateError) => void = () => undefined;
  let onStored: () => void = () => undefined;
  let renewal: ReturnType<typeof setInterval> | undefined;
  let poll: MessagePoll | undefined;
  let lastMessageId = 0;
  let listenNow: () => Promise<void> = () => Promise.resolve();
  let failed = false;
  let renewing: Promise<unknown> | undefined;
  const journal = createJournal({
    store,
    log,
    origin,
    lease: () => lease,
    onStored: () => (keepProcessAlive(), onStored()),
    onFailure(error) {
      failed = true;
      onLoss(error);
    },
  });

  /** @returns The error of the store, if it could not tell that the lease is still ours. */
  function renew(): Promise<unknown> {
    renewing ??= renewOnce().finally(() => (renewing = undefined));
    return renewing;
  }

  async function renewOnce(): Promise<unknown> {
    if (!lease || failed) return undefined;
    try {
      lease = await store.renew(lease, LEASE_MS);
    } catch (error) {
      if (failed || !PhasegateError.is(error) || error.code !== 'LEASE_LOST') return error;
      failed = true;
      journal.abandon();
      onLoss(await leaseLostError(store, lease, error));
    }
    return undefined;
  }

  /**
   * Begins work if this process still has the lease. A process that was suspended for longer than the lease may have lost it. Then
   * its earlier records no longer justify new work. The same holds for one whose renewal was answered after it had expired again.
   */
  function whenLeaseHeld(go: () => void): void {
    if (lease && store.isOurs(lease)) return go();
    void renew().then((error) => {
      if (failed) return;
      if (error === undefined) return lease ? whenLeaseHeld(go) : go();
      failed = true;
      journal.abandon();
      onLoss(leaseUnsureError(log.runId, error));
    });
  }

  /** Memories of other runs. The machine asks for them before this run has learned anything itself. */
  async function recall(phase: string): Promise<readonly Recalled[]> {
    const [first] = log.events;
    if (first?.type !== 'run.started' || first.memory === undefined) return [];
    const known = (await store.memories?.({ scope: first.memory, pipeline: first.plan.name, phase })) ?? [];
    return known.map(({ runId, text }) => ({ run: runId, reflection: text }));
  }

  async function listen(onMessage: (message: PeerMessage) => void): Promise<void> {
    const messages = await store.messages(log.runId, lastMessageId);
    for (const { id, kind, item, body, by, time } of messages) {
      lastMessageId = id;
      if (kind === 'cancel' && time <= lastReopened(log)) continue;
      if (kind === 'cancel') onMessage({ kind, body });
      else if (item !== undefined) onMessage({ kind, item, by, ...readAnswerBody(body) });
    }
  }

  /** Listens, and stops the run if a message is damaged: it may be an answer, which must neither be applied nor be passed over. */
  async function listenSafely(onMessage: (message: PeerMessage) => void): Promise<void> {
    try {
      await listen(onMessage);
    } catch (error) {
      if (failed || !PhasegateError.is(error) || error.code !== 'STORE_UNREADABLE') throw error;
      failed = true;
      journal.abandon();
      onLoss(error);
    }
  }

  /** Keeps the process alive for messages only while an item waits for an answer. */
  function keepProcessAlive(): void {
    poll?.keepAlive(journal.open().length > 0);
  }

  async function take(onMessage: (message: PeerMessage) => void, before: Promise<unknown> | undefined): Promise<void> {
    await before;
    lease ??= await store.acquire(log.runId, holder, LEASE_MS);
    if (!taken && (await store.run(log.runId))) throw runExists(log.runId);
    opened = true;
    renewal = setInterval(() => void renew().catch(() => undefined), RENEW_MS);
    if (typeof renewal === 'object') renewal.unref();
    poll = pollMessages(store, () => listenSafely(onMessage));
    keepProcessAlive();
    journal.write();
  }

  return {
    // Records that precede the lease are written once it is acquired.
    journal: { ...journal, write: () => opened && journal.write() },
    host: {
      whenDurable: (go) => journal.whenDurable(() => whenLeaseHeld(go)),
      ...(store.memories && { recall }),
    },
    isOpen: () => opened,
    whenStored(call) {
      onStored = call;
    },
    listen: () => listenNow(),
    async claim(item, body, by = '') {
      // Other processes can answer an item only once it is stored, so this process waits for that as well.
      const failure = await journal.flush();
      if (failure) throw failure;
      await store.post({ runId: log.runId, kind: 'answer', item, body, by, time: log.now() });
    },
    open(reportLoss, onMessage, before) {
      onLoss = reportLoss;
      listenNow = () => listenSafely(onMessage);
      opening = take(onMessage, before);
      return opening;
    },
    heard: () => lastMessageId,
    place: async () => store.lastMessage?.(),
    async close(wait, last) {
      const failure = await opening?.then(
        () => journal.flush(),
        (thrown: unknown) => thrown,
      );
      poll?.stop();
      if (last && opened && failure === undefined && !failed) await last().catch(() => undefined);
      // A renewal that has just failed reports its reason first.
      await renewing;
      clearInterval(renewal);
      if (lease && wait && !failed) await suspendLease(store, lease, wait);
      else if (lease) await giveBack(store, lease);
      return failure;
    },
  };
}

// --- internal ---

/** Time of the last retry, in milliseconds since 1970. Earlier messages to cancel are ignored. */
function lastReopened({ events, times }: RecordLog): number {
  return times[events.findLastIndex(({ type }) => type === 'run.reopened')] ?? -Infinity;
}

function runExists(runId: string): PhasegateError {
  return new PhasegateError('RUN_EXISTS', `Cannot start run ${runId} as the store has a run with that id`, {
    hint: 'Resume it with resumeRun(), or start another run with another id.',
  });
}
