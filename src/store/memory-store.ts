/**
 * Runs in memory: the reference for every other store.
 *
 * @module
 */
import { runsAbove } from '../model/handlers/work-key.ts';
import type { RunInfo } from '../projections/run/run-info.ts';
import { matches, span } from './filters.ts';
import { checkHeld, leaseOf, liveLease, prolong, refusal, leaseFields, takeRun, type Claim } from './lease-rules.ts';
import { matchesMemory, remember } from './memory-rules.ts';
import type { Batch, InboxFilter, KeptMessage, ListedRun, RunStore } from './port.ts';
import * as refuse from './refusals.ts';
import { infoOf, itemOf, memoryOf, messageOf, recordOf, textOf } from './serialize.ts';

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** Returns the time in milliseconds since 1970, for leases. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/**
 * A store that lasts as long as the process: for tests, and for runs that need not survive it.
 *
 * It stores and returns copies, so later changes of a value do not affect the store.
 */
export function memoryStore({ now = Date.now }: MemoryStoreOptions = {}): RunStore {
  let shelf: Shelf | undefined = {
    runs: new Map(),
    claims: new Map(),
    items: new Map(),
    artifacts: new Map(),
    memories: [],
  };
  let posted = 0;

  function open(): Shelf {
    if (!shelf) throw refuse.storeClosed('the store in memory');
    return shelf;
  }

  return {
    append(batch, lease) {
      const { runs, claims, items, artifacts, memories } = open();
      refuse.checkBatch(batch);
      const { runId } = batch;
      const kept = runs.get(runId);
      refuse.checkAppend(batch, lease, { seq: kept?.records.length ?? 0, lease: claims.get(runId) }, now());
      // All checks precede the first write, as a batch must be stored whole or not at all.
      const rows = rowsOf(batch);
      const run = kept ?? {
        records: [],
        info: rows.info,
        messages: [],
        answered: new Set(),
        artifacts: new Set(),
        readyAt: 0,
        lastMessage: 0,
      };
      run.info = rows.info;
      for (const record of rows.records) run.records.push(record);
      for (const [id, item] of rows.items) items.set(id, item);
      for (const { hash, content } of batch.artifacts) {
        run.artifacts.add(hash);
        if (!artifacts.has(hash)) artifacts.set(hash, content);
      }
      for (const memory of rows.memories) remember(memories, memory);
      runs.set(runId, run);
    },
    read(runId, from, limit) {
      const { first, count } = span(from, limit);
      const records = open().runs.get(runId)?.records ?? [];
      return records
        .slice(first - 1, first - 1 + count)
        .map((text, index) => recordOf(text, { runId, seq: first + index }));
    },
    run(runId) {
      const { runs, claims } = open();
      const run = runs.get(runId);
      return run && listed(infoOf(run.info), claims.get(runId), now());
    },
    runs(filter = {}) {
      const { runs, claims } = open();
      const time = now();
      const all = [...runs.values()].map(({ info }) => infoOf(info));
      return all
        .toReversed()
        .map((info) => listed(info, claims.get(info.runId), time))
        .filter((run) => matches(run, filter))
        .toSorted((a, b) => b.startedAt - a.startedAt)
        .slice(0, span(1, filter.limit).count);
    },
    remove(runId) {
      const { runs, claims, items, artifacts } = open();
      const lease = liveLease(claims.get(runId), now());
      if (lease) throw refuse.runLeased('remove', lease);
      const run = runs.get(runId);
      claims.delete(runId);
      runs.delete(runId);
      for (const [id, item] of items) if (itemOf(item).runId === runId) items.delete(id);
      const others = [...runs.values()];
      for (const hash of run?.artifacts ?? [])
        if (!others.some((other) => other.artifacts.has(hash))) artifacts.delete(hash);
      return run !== undefined;
    },

    acquire(runId, holder, ms) {
      const { runs, claims } = open();
      refuse.checkRunId(runId);
      const { type, claim } = takeRun(claims.get(runId), { runId, holder, ms }, now());
      claims.set(runId, claim);
      if (type === 'refused') throw refusal(claim);
      const run = runs.get(runId);
      if (run) run.readyAt = 0;
      return leaseOf(claim);
    },
    renew(lease, ms) {
      const { claims } = open();
      const claim = prolong(claims.get(lease.runId), lease, ms, now());
      claims.set(lease.runId, claim);
      return leaseOf(claim);
    },
    release({ runId, token }) {
      const { claims } = open();
      if (claims.get(runId)?.token === token) claims.delete(runId);
    },
    suspend(lease, until, heard) {
      const { runs, claims } = open();
      checkHeld('suspend', claims.get(lease.runId), lease);
      claims.delete(lease.runId);
      const run = runs.get(lease.runId);
      if (run && run.lastMessage <= heard) run.readyAt = until;
    },
    ready(pipelines, limit, except = []) {
      const { runs, claims } = open();
      const time = now();
      return [...runs.values()]
        .filter(({ readyAt }) => readyAt <= time)
        .map(({ info }) => infoOf(info))
        .filter(({ status, pipeline }) => status === 'running' && pipelines.includes(pipeline))
        .filter(({ fingerprint }) => !except.includes(fingerprint))
        .map((info) => listed(info, claims.get(info.runId), time))
        .filter(({ lease }) => lease === undefined)
        .toSorted((a, b) => a.startedAt - b.startedAt)
        .slice(0, limit);
    },

    inbox({ runId, open: isOpen }: InboxFilter = {}) {
      return [...open().items.values()]
        .map(itemOf)
        .filter((item) => runId === undefined || item.runId === runId)
        .filter((item) => isOpen === undefined || (item.closedAt === undefined) === isOpen)
        .toSorted((a, b) => a.openedAt - b.openedAt);
    },
    item(id) {
      const item = open().items.get(id);
      return item === undefined ? undefined : itemOf(item);
    },
    post(message) {
      const { runs, items } = open();
      refuse.checkMessage(message);
      const { runId, kind, item: id } = message;
      const run = runs.get(runId);
      if (!run) throw refuse.runUnknown('post to', runId);
      if (kind === 'answer' && id !== undefined) {
        const text = items.get(id);
        const item = text === undefined ? undefined : itemOf(text);
        if (item?.runId !== runId) throw refuse.itemUnknown('answer', runId, id);
        if (item.closedAt !== undefined) throw refuse.answered(id, item.outcome ?? 'no outcome');
        if (run.answered.has(id)) throw refuse.answered(id, undefined);
        run.answered.add(id);
      }
      posted += 1;
      for (const one of [runId, ...runsAbove(runId)]) {
        const waiting = runs.get(one);
        if (waiting) Object.assign(waiting, { readyAt: 0, lastMessage: posted });
      }
      run.messages.push({ id: posted, text: textOf(message) });
    },
    messages(runId, after = 0): readonly KeptMessage[] {
      const messages = open().runs.get(runId)?.messages ?? [];
      return messages.filter(({ id }) => id > after).map(({ id, text }) => ({ ...messageOf(text), id }));
    },
    lastMessage() {
      open();
      return posted;
    },

    memories(filter = {}) {
      return open()
        .memories.map(memoryOf)
        .filter((memory) => matchesMemory(memory, filter));
    },
    forget(filter = {}) {
      const { memories } = open();
      const others = memories.filter((text) => !matchesMemory(memoryOf(text), filter));
      const forgotten = memories.length - others.length;
      memories.splice(0, memories.length, ...others);
      return forgotten;
    },

    artifact(hash) {
      return open().artifacts.get(hash);
    },
    close() {
      shelf = undefined;
    },
  };
}

// --- internal ---

/** Contents of the store. All values are JSON text. */
interface Shelf {
  readonly runs: Map<string, KeptRun>;
  readonly claims: Map<string, Claim>;
  /** By id. */
  readonly items: Map<string, string>;
  /** By hash. */
  readonly artifacts: Map<string, string>;
  /** Oldest first. */
  readonly memories: string[];
}

interface KeptRun {
  info: string;
  readonly records: string[];
  readonly messages: { readonly id: number; readonly text: string }[];
  /** Ids of the items that have an answer. */
  readonly answered: Set<string>;
  /** Hashes of the artifacts that it refers to. */
  readonly artifacts: Set<string>;
  /** Time from which on a process may continue it, in milliseconds since 1970. */
  readyAt: number;
  /** Place of the latest message to it, or to a run that its tasks have started; 0 if there was none. */
  lastMessage: number;
}

function rowsOf({ info, records, items, memories = [] }: Batch) {
  return {
    info: textOf(info),
    records: records.map(textOf),
    items: items.map((item) => [item.id, textOf(item)] as const),
    memories: memories.map(textOf),
  };
}

function listed(info: RunInfo, claim: Claim | undefined, now: number): ListedRun {
  return { ...info, ...leaseFields(claim, now) };
}
