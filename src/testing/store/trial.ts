/**
 * Tools for the tests of a store: a store, a clock, and sample data.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { errorInfo, PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { RunInfo } from '../../projections/run/run-info.ts';
import type { Awaitable, Batch, RunMessage, RunStore } from '../../store/port.ts';

/** Environment of one test. */
export interface Trial {
  readonly store: RunStore;
  /** Opens another store of the same place. */
  readonly open: () => Promise<RunStore>;
  readonly now: () => number;
  /** Moves the clock forward, or back. */
  readonly pass: (ms: number) => void;
  /** Keeps the place busy for writers. @returns A function that ends that. */
  readonly hold: () => Promise<() => Awaitable<void>>;
  /** True if some file of the place has a text. */
  readonly holds: (text: string) => Promise<boolean>;
  /** Replaces a text wherever the place has it, as a faulty disk does. */
  readonly damage: (text: string, other: string) => Promise<void>;
}

/** Rejects if its claim does not hold. */
export type CaseBody = (trial: Trial) => Promise<void>;

/** Options of {@link batchOf}. */
export interface BatchOptions {
  readonly count?: number;
  readonly info?: Partial<RunInfo>;
  readonly items?: readonly InboxItem[];
  readonly artifacts?: Batch['artifacts'];
  readonly memories?: Batch['memories'];
}

/** A batch of records from number `first` on. */
export function batchOf(runId: string, first: number, options: BatchOptions = {}): Batch {
  const { count = 1, info, items = [], artifacts = [], memories } = options;
  const records = Array.from({ length: count }, (_, index) => recordOf(runId, first + index));
  return {
    runId,
    records,
    info: infoOf(runId, first + count - 1, info),
    items,
    artifacts,
    ...(memories && { memories }),
  };
}

/** A record with a given reason. */
export function recordOf(runId: string, seq: number, because = `reason ${seq}`): RunRecord {
  return { runId, seq, time: 1000 + seq, event: { type: 'phase.skipped', phase: 'a', because } };
}

/** The summary of a run after such a record. */
export function infoOf(runId: string, seq: number, more: Partial<RunInfo> = {}): RunInfo {
  return {
    runId,
    pipeline: 'article',
    fingerprint: 'f00d',
    status: 'running',
    startedAt: 1001,
    updatedAt: 1000 + seq,
    seq,
    approved: 0,
    phases: 3,
    costUsd: 0.25,
    tokens: 12,
    waiting: [],
    ...more,
  };
}

/** An open item of a run. */
export function openItem(runId: string, seq: number, more: Partial<InboxItem> = {}): InboxItem {
  return {
    id: `${runId}:${seq}`,
    runId,
    seq,
    pipeline: 'article',
    kind: 'escalation',
    about: 'draft',
    generation: 0,
    attempt: 1,
    because: 'requested',
    reason: 'Is this true?',
    nonce: 'abc',
    queue: 'default',
    severity: 'normal',
    openedAt: 1000 + seq,
    ...more,
  };
}

/** An answer to an item. */
export function answerTo(runId: string, item: string, more: Partial<RunMessage> = {}): RunMessage {
  return { runId, kind: 'answer', item, body: { type: 'approve' }, by: 'ada', time: 5000, ...more };
}

/** Asserts that a call throws, or rejects, with this code. */
export async function refuses(code: ErrorCode, call: () => unknown): Promise<void> {
  let thrown: unknown;
  try {
    await call();
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown !== undefined, `Expected ${code}, but nothing was thrown`);
  assert.ok(PhasegateError.is(thrown), `Expected ${code}, but got another error: ${errorInfo(thrown).message}`);
  assert.equal(thrown.code, code);
}

/** Counts the successes of concurrent calls. All others must fail with the code. */
export async function successes(code: ErrorCode, calls: readonly (() => unknown)[]): Promise<number> {
  const outcomes = await Promise.allSettled(calls.map(async (call) => call()));
  const failed = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  for (const reason of failed) {
    assert.ok(PhasegateError.is(reason), `Expected ${code}, but got another error: ${errorInfo(reason).message}`);
    assert.equal(reason.code, code);
  }
  return outcomes.length - failed.length;
}

/** Asserts that two values are the same as JSON. */
export function same(actual: unknown, expected: unknown): void {
  assert.deepEqual(plain(actual), plain(expected));
}

/** The state of a run in a store. */
export async function pictureOf(store: RunStore, runId: string): Promise<unknown> {
  return plain({
    run: await store.run(runId),
    records: await store.read(runId),
    items: await store.inbox({ runId }),
    messages: await store.messages(runId),
  });
}

/** Changes every part of a value that can be changed. */
export function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const inner: unknown = Reflect.get(value, key);
    spoil(inner);
    if (typeof inner !== 'object' || inner === null) Reflect.set(value, key, 'spoiled');
  }
  if (Array.isArray(value)) Reflect.set(value, 'length', 0);
}

// --- internal ---

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
