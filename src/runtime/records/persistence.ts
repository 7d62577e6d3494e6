/**
 * What a run in a store needs as long as a process works on it: the right to append, a journal, and an ear for what other
 * processes say to it.
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
import { leaseLostError } from './lease-lost.ts';
import type { RecordLog } from './record-log.ts';

/** What was said to a run by another process. */
export type PeerMessage =
  | { readonly kind: 'cancel'; readonly body: unknown }
  | ({ readonly kind: 'answer'; readonly item: string; readonly by: string } & AnswerBody);

/** Keeps a run. */
export interface RunPersistence {
  readonly journal: Journal;
  /** Holds work back until what led to it is kept. */
  readonly host: WorkHost;
  /**
   * Takes the right to append, and keeps it.
   *
   * @param lose Called once when nothing can be kept any more.
   * @param hear Called with what other processes say.
   * @param before Waited for first: where it rejects the store is not asked for anything.
   * @throws PhasegateError `RUN_LEASED` where another process works on the run, `RUN_EXISTS` where a new run is to have the
   *   id of another.
   */
  open(
    lose: (error: PhasegateError) => void,
    hear: (heard: PeerMessage) => void,
    before?: Promise<unknown>,
  ): Promise<void>;
  /**
   * Has an answer take the only place that the store has for it.
   *
   * @param body The reply and the nonce.
   * @throws PhasegateError `ANSWERED` where another has it.
   */
  claim(item: string, body: AnswerBody, by: string | undefined): Promise<void>;
  /** Takes what other processes have said by now. */
  listen(): Promise<void>;
  /** Whether the right to append was had. */
  isOpen(): boolean;
  /** Gives it back once everything is kept. @returns What was thrown where not everything is. */
  close(): Promise<unknown>;
}

/** Options of {@link persistRun}. */
export interface PersistenceOptions {
  readonly store: RunStore;
  readonly log: RecordLog;
  /** Who works on the run, for people. @default this process: its number, machine and start */
  readonly holder?: string | undefined;
  /** The right to append, where it was taken already. */
  readonly lease?: Lease | undefined;
  readonly origin?: RunOrigin | undefined;
}

/** Milliseconds for which the right to append is taken, and after which it is renewed. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** Milliseconds between looks at what other processes say. */
const LISTEN_MS = 250;

/** Prepares to keep a run; nothing is done before it is opened. */
export function persistRun({
  store,
  log,
  origin,
  lease: taken,
  holder = thisHolder(),
}: PersistenceOptions): RunPersistence {
  let lease = taken;
  let opened = false;
  let opening: Promise<void> | undefined;
  let lose: (error: PhasegateError) => void = () => undefined;
  let timers: ReturnType<typeof setInterval>[] = [];
  let ear: ReturnType<typeof setInterval> | undefined;
  let heard = 0;
  let listenNow: () => Promise<void> = () => Promise.resolve();
  let failed = false;
  /** When the right to append was last sure to be ours, in milliseconds since 1970. */
  let sureAt = Date.now();
  let renewing: Promise<void> | undefined;
  const journal = createJournal({
    store,
    log,
    origin,
    lease: () => lease,
    onKept: keepProcessAlive,
    onFailure(error) {
      failed = true;
      lose(error);
    },
  });

  function renew(): Promise<void> {
    renewing ??= renewOnce().finally(() => (renewing = undefined));
    return renewing;
  }

  async function renewOnce(): Promise<void> {
    if (!lease || failed) return;
    try {
      lease = await store.renew(lease, LEASE_MS);
      sureAt = Date.now();
    } catch (error) {
      if (failed || !PhasegateError.is(error) || error.code !== 'LEASE_LOST') return;
      failed = true;
      journal.abandon();
      lose(await leaseLostError(store, lease, error));
    }
  }

  /**
   * Begins work, where the run is still ours: a process that was stopped for longer than its right lasts may have lost it, and
   * what it kept before is no reason any more to begin anything.
   */
  function whenLeaseHeld(go: () => void): void {
    const age = Date.now() - sureAt;
    if (age >= 0 && age < LEASE_MS) go();
    else void renew().then(() => !failed && go());
  }

  /** What others have learned; it is asked for before this run has learned anything itself. */
  async function recall(phase: string): Promise<readonly Recalled[]> {
    const [first] = log.events;
    if (first?.type !== 'run.started' || first.memory === undefined) return [];
    const known = (await store.memories?.({ scope: first.memory, pipeline: first.plan.name, phase })) ?? [];
    return known.map(({ runId, text }) => ({ run: runId, reflection: text }));
  }

  async function listen(hear: (heard: PeerMessage) => void): Promise<void> {
    const messages = await store.messages(log.runId, heard);
    for (const { id, kind, item, body, by, time } of messages) {
      heard = id;
      if (kind === 'cancel' && time <= lastReopened(log)) continue;
      if (kind === 'cancel') hear({ kind, body });
      else if (item !== undefined) hear({ kind, item, by, ...readAnswerBody(body) });
    }
  }

  /** Only where an answer is waited for has the process to live for what others say. */
  function keepProcessAlive(): void {
    if (typeof ear !== 'object') return;
    if (journal.open().length > 0) ear.ref();
    else ear.unref();
  }

  function repeat(job: () => Promise<void>, ms: number): ReturnType<typeof setInterval> {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      // A store that cannot be asked now is asked again; one that cannot keep anything is found out by the journal.
      job()
        .catch(() => undefined)
        .finally(() => (busy = false));
    }, ms);
    if (typeof timer === 'object') timer.unref();
    timers.push(timer);
    return timer;
  }

  async function take(hear: (heard: PeerMessage) => void, before: Promise<unknown> | undefined): Promise<void> {
    await before;
    lease ??= await store.acquire(log.runId, holder, LEASE_MS);
    sureAt = Date.now();
    if (!taken && (await store.run(log.runId))) throw runExists(log.runId);
    opened = true;
    repeat(renew, RENEW_MS);
    ear = repeat(() => listen(hear), LISTEN_MS);
    keepProcessAlive();
    journal.write();
  }

  return {
    // What is said before the right to append was had waits for it.
    journal: { ...journal, write: () => opened && journal.write() },
    host: {
      whenDurable: (go) => journal.whenDurable(() => whenLeaseHeld(go)),
      ...(store.memories && { recall }),
    },
    isOpen: () => opened,
    listen: () => listenNow(),
    async claim(item, body, by = '') {
      // Others can answer an item once it is kept, and so can this process.
      const failure = await journal.flush();
      if (failure) throw failure;
      await store.post({ runId: log.runId, kind: 'answer', item, body, by, time: log.now() });
    },
    open(onLoss, hear, before) {
      lose = onLoss;
      listenNow = () => listen(hear);
      opening = take(hear, before);
      return opening;
    },
    async close() {
      const failure = await opening?.then(
        () => journal.flush(),
        (thrown: unknown) => thrown,
      );
      // Whoever has just found out that the run is lost tells why first.
      await renewing;
      for (const timer of timers) clearInterval(timer);
      timers = [];
      if (lease) await giveBack(store, lease);
      return failure;
    },
  };
}

/** Gives the right to append back. Where the store cannot do that now, the right expires. */
export async function giveBack(store: Pick<RunStore, 'release'>, lease: Lease): Promise<void> {
  try {
    await store.release(lease);
  } catch {
    // Whoever gives it back has something better to tell.
  }
}

// --- internal ---

/** When the run was last tried again, in milliseconds since 1970: it heeds no wish to stop from before that. */
function lastReopened({ events, times }: RecordLog): number {
  return times[events.findLastIndex(({ type }) => type === 'run.reopened')] ?? -Infinity;
}

function runExists(runId: string): PhasegateError {
  return new PhasegateError('RUN_EXISTS', `Cannot start run ${runId} as the store has a run of that id`, {
    hint: 'Resume it with resumeRun(), or start another with an id of its own.',
  });
}
