/**
 * The object that copies a run to a store, so that everything that reads stores shows it, and answers that are posted there reach the run.
 *
 * @module
 */
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { RunRecord } from '../model/events/event.ts';
import { readAnswerBody } from '../projections/inbox/reply.ts';
import { createJournal } from '../runtime/records/journal.ts';
import { createRecordLog, publishUpTo } from '../runtime/records/record-log.ts';
import type { KeptMessage, Lease, RunStore } from '../store/port.ts';
import { readRun } from '../store/read-run.ts';
import { createCalls } from './calls.ts';
import type { Answered, PostedRequest } from './messages.ts';
import type { ServiceOptions } from './run-object.ts';

/** Defines the object. @param pollMs Milliseconds between two looks for messages; 0 for none. */
export function storeObject({ sdk, names }: ServiceOptions, store: RunStore, pollMs: number) {
  const { send, call } = createCalls(sdk);

  /** Copies the records that the store lacks. @param looks True if this call looks for messages, as one does at a time. */
  async function copy(ctx: ObjectContext, { looks = false }: { readonly looks?: boolean }): Promise<void> {
    const stored = await ctx.run('seq', async () => (await store.run(ctx.key))?.seq ?? 0);
    const answered = await call<Answered<readonly RunRecord[]>>(ctx, {
      service: names.run,
      method: 'records',
      key: ctx.key,
      parameter: { from: stored + 1 },
    });
    const records = answered.ok ? answered.value : [];
    const isOver = await ctx.run('copy', () => copyTo(store, ctx.key, records));
    const isLooking = (await ctx.get<boolean>('looking')) ?? false;
    if (isOver || pollMs === 0 || (isLooking && !looks)) return;
    if (looks) await pass(ctx);
    ctx.set('looking', true);
    const parameter = { looks: true };
    send(ctx, { service: names.store, method: 'copy', key: ctx.key, parameter, delay: pollMs });
  }

  /** Passes messages on to the run. */
  async function pass(ctx: ObjectContext): Promise<void> {
    const heard = (await ctx.get<number>('heard')) ?? 0;
    const messages = await ctx.run('messages', () => store.messages(ctx.key, heard));
    for (const message of messages) {
      const parameter = postedOf(message);
      if (parameter) send(ctx, { service: names.run, method: 'posted', key: ctx.key, parameter });
      ctx.set('heard', message.id);
    }
  }

  return sdk.object({ name: names.store, handlers: { copy }, options: { ingressPrivate: true } });
}

// --- internal ---

/** The holder of the lease of such runs. It never expires, so no other process resumes one of them. */
const HOLDER = 'Restate';
const LEASE_MS = 10 * 365 * 24 * 3_600_000;

function postedOf({ kind, item, body, by }: KeptMessage): PostedRequest | undefined {
  if (kind === 'cancel') return { kind, reason: String(body) };
  return item === undefined ? undefined : { kind, item, by, ...readAnswerBody(body) };
}

/** Appends records that the store lacks. A call that is repeated appends none twice. @returns True if the run has ended. */
async function copyTo(store: RunStore, runId: string, records: readonly RunRecord[]): Promise<boolean> {
  const listed = await store.run(runId);
  const known = listed ? await readRun(store, runId) : [];
  const made = records.filter(({ seq }) => seq > known.length);
  const last = made.at(-1) ?? known.at(-1);
  const isOver = last?.event.type === 'run.ended';
  if (made.length === 0) {
    // An earlier call may have stored the end, and then its process was killed.
    if (isOver && listed?.lease?.holder === HOLDER) await store.release(listed.lease);
    return isOver;
  }
  const lease = await leaseOf(store, runId, listed?.lease);
  const log = createRecordLog(runId, () => Date.now(), true);
  for (const { event, time } of known) {
    log.events.push(event);
    log.times.push(time);
  }
  publishUpTo(log, known.length);
  let isStored = true;
  const journal = createJournal({
    store,
    log,
    lease: () => lease,
    onStored: () => undefined,
    onFailure: () => (isStored = false),
  });
  for (const { event, time } of made) {
    log.events.push(event);
    log.times.push(time);
  }
  journal.write();
  const failure = await journal.flush();
  if (failure || !isStored) throw failure ?? new Error('The store has refused records.');
  if (isOver) await store.release(lease);
  return isOver;
}

/** The lease of an earlier copy, or a new one. @throws PhasegateError `RUN_LEASED` if another process has the run. */
async function leaseOf(store: RunStore, runId: string, known: Lease | undefined): Promise<Lease> {
  return known?.holder === HOLDER ? known : store.acquire(runId, HOLDER, LEASE_MS);
}
