/**
 * Persistence of a run while a process works on it: the lease, the journal, and messages from other processes.
 *
 * @module
 */
import type { WorkHost } from '../../actors/work/work-host.ts';
import { hasCode, type PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { AnswerBody } from '../../projections/inbox/reply.ts';
import type { RunOrigin } from '../../projections/run/run-info.ts';
import { thisHolder } from '../../store/holder.ts';
import type { Lease, RunStore } from '../../store/port.ts';
import { runExists } from '../../store/refusals.ts';
import { createJournal, type Journal, type JournalOptions } from './journal.ts';
import { giveBack, suspendLease, type Wait } from './release-lease.ts';
import { leaseLostError, leaseUnsureError } from './lease-lost.ts';
import { pollMessages, type MessagePoll } from './message-poll.ts';
import { durableHost } from './durable-host.ts';
import { receiveMessages, type PeerMessage } from './peer-messages.ts';
import { patientStore, type PatientStore } from './patient-store.ts';
import type { RecordLog } from './record-log.ts';

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
export function persistRun(options: PersistenceOptions): RunPersistence {
  return new StoredRun(options);
}

// --- internal ---

/** The persistence of one run. A class, as functions of its own would take 2 KB of each stored run. */
class StoredRun implements RunPersistence, JournalOptions {
  readonly store: PatientStore;
  readonly log: RecordLog;
  readonly origin: RunOrigin | undefined;
  readonly journal: Journal;
  readonly host: WorkHost;
  readonly #holder: string;
  readonly #isTaken: boolean;
  #lease: Lease | undefined;
  #isOpen = false;
  #opening: Promise<void> | undefined = undefined;
  #onLoss: ((error: PhasegateError) => void) | undefined = undefined;
  #onMessage: ((message: PeerMessage) => void) | undefined = undefined;
  #onStored: (() => void) | undefined = undefined;
  #renewal: ReturnType<typeof setInterval> | undefined = undefined;
  #poll: MessagePoll | undefined = undefined;
  #lastMessageId = 0;
  #hasFailed = false;
  #renewing: Promise<unknown> | undefined = undefined;

  constructor({ store, log, origin, lease, holder = thisHolder() }: PersistenceOptions) {
    this.store = patientStore(store);
    this.log = log;
    this.origin = origin;
    this.#lease = lease;
    this.#isTaken = lease !== undefined;
    this.#holder = holder;
    this.journal = createJournal(this);
    this.host = durableHost(this.store, log, this);
  }

  whenDurable(go: () => void): void {
    this.journal.whenDurable(() => this.#whenLeaseHeld(go));
  }

  lease(): Lease | undefined {
    return this.#lease;
  }

  isOpen(): boolean {
    return this.#isOpen;
  }

  onStored(): void {
    this.#keepProcessAlive();
    this.#onStored?.();
  }

  onFailure(error: PhasegateError): void {
    this.#hasFailed = true;
    this.#onLoss?.(error);
  }

  whenStored(call: () => void): void {
    this.#onStored = call;
  }

  /** Listens, and stops the run if a message is damaged: it may be an answer, which must neither be applied nor be passed over. */
  async listen(): Promise<void> {
    if (!this.#onMessage) return;
    try {
      const onPlace = (id: number) => (this.#lastMessageId = id);
      await receiveMessages(this.store, this.log, this.#lastMessageId, this.#onMessage, onPlace);
    } catch (error) {
      if (this.#hasFailed || !hasCode(error, 'STORE_UNREADABLE')) throw error;
      this.#stop();
      this.#onLoss?.(error);
    }
  }

  async claim(item: string, body: AnswerBody, by = ''): Promise<void> {
    // Other processes can answer an item only once it is stored, so this process waits for that as well.
    const failure = await this.journal.flush();
    if (failure) throw failure;
    const { runId, now } = this.log;
    await this.store.post({ runId, kind: 'answer', item, body, by, time: now() });
  }

  open(...[onLoss, onMessage, before]: Parameters<RunPersistence['open']>): Promise<void> {
    this.#onLoss = onLoss;
    this.#onMessage = onMessage;
    return (this.#opening = this.#take(before));
  }

  heard(): number {
    return this.#lastMessageId;
  }

  async place(): Promise<number | undefined> {
    return this.store.lastMessage?.();
  }

  async close(wait?: Wait, last?: () => Promise<void>): Promise<unknown> {
    const failure = await this.#opening?.then(
      () => this.journal.flush(),
      (thrown: unknown) => thrown,
    );
    this.#poll?.stop();
    if (last && this.#isOpen && failure === undefined && !this.#hasFailed) await last().catch(() => undefined);
    // A renewal that has just failed reports its reason first.
    await this.#renewing;
    clearInterval(this.#renewal);
    if (this.#lease && wait && !this.#hasFailed) await suspendLease(this.store, this.#lease, wait);
    else if (this.#lease) await giveBack(this.store, this.#lease);
    return failure;
  }

  async #take(before: Promise<unknown> | undefined): Promise<void> {
    await before;
    this.#lease ??= await this.store.acquire(this.log.runId, this.#holder, LEASE_MS);
    if (!this.#isTaken && (await this.store.run(this.log.runId))) throw runExists(this.log.runId);
    this.#isOpen = true;
    this.#renewal = setInterval(() => void this.#renew().catch(() => undefined), RENEW_MS);
    if (typeof this.#renewal === 'object') this.#renewal.unref();
    this.#poll = pollMessages(this.store, () => this.listen());
    this.#keepProcessAlive();
    this.journal.write();
  }

  /** @returns The error of the store, if it could not tell that the lease is still ours. */
  #renew(): Promise<unknown> {
    this.#renewing ??= this.#renewOnce().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renewOnce(): Promise<unknown> {
    const lease = this.#lease;
    if (!lease || this.#hasFailed) return undefined;
    try {
      this.#lease = await this.store.renew(lease, LEASE_MS);
    } catch (error) {
      if (this.#hasFailed || !hasCode(error, 'LEASE_LOST')) return error;
      this.#stop();
      this.#onLoss?.(await leaseLostError(this.store, lease, error));
    }
    return undefined;
  }

  #stop(): void {
    this.#hasFailed = true;
    this.journal.abandon();
  }

  /**
   * Begins work if this process still has the lease. A process that was suspended for longer than the lease may have lost it. Then
   * its earlier records no longer justify new work. The same holds for one whose renewal was answered after it had expired again.
   */
  #whenLeaseHeld(go: () => void): void {
    if (this.#lease && this.store.isOurs(this.#lease)) return go();
    void this.#renew().then((error) => {
      if (this.#hasFailed) return;
      if (error === undefined) return this.#lease ? this.#whenLeaseHeld(go) : go();
      this.#stop();
      this.#onLoss?.(leaseUnsureError(this.log.runId, error));
    });
  }

  /** Keeps the process alive for messages only while an item waits for an answer. */
  #keepProcessAlive(): void {
    this.#poll?.keepAlive(this.journal.open().length > 0);
  }
}
