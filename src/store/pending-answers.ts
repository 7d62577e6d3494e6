/**
 * Pending answers: they were posted, and no process has applied them yet. Their items are still open.
 *
 * @module
 */
import { hasCode } from '../model/errors/phasegate-error.ts';
import type { RunRecord } from '../model/events/event.ts';
import type { Outputs } from '../model/handlers/task.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import { itemDetail, type ItemDetail } from '../projections/inbox/item-detail.ts';
import { itemSequel, type ItemSequel } from '../projections/inbox/item-sequel.ts';
import type { KeptMessage, RunStore } from './port.ts';
import { readPlans, readRun } from './read-run.ts';

/** An item of the inbox, with its pending answer. JSON. */
export interface KeptItem extends InboxItem {
  /** The pending answer; absent if there is none, or if the item is closed. */
  readonly answer?: GivenAnswer | undefined;
}

/** A pending answer. */
export interface GivenAnswer {
  /** Name of the person who answered; empty if unknown. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** Details of an item, with its pending answer. JSON. */
export interface KeptDetail extends ItemDetail {
  readonly item: KeptItem;
  /** The effect of its answer on the run, as of now; absent while it is open. */
  readonly sequel?: ItemSequel | undefined;
}

/** Adds pending answers to items. */
export async function withAnswers(store: RunStore, items: readonly InboxItem[]): Promise<readonly KeptItem[]> {
  return together(items, await givenTo(store, items));
}

/** Adds pending answers to open items for a caller who polls them. Messages are read again only if there are new ones. */
export function createAnswerReader(store: RunStore): (open: readonly InboxItem[]) => Promise<readonly KeptItem[]> {
  let known: { readonly last: number; readonly given: Given } | undefined;
  return async (open) => {
    // Read before the messages, so that a message that arrives meanwhile is read the next time.
    const last = await store.lastMessage?.();
    if (last === undefined) return withAnswers(store, open);
    if (known?.last !== last) known = { last, given: await givenTo(store, open) };
    return together(open, known.given);
  };
}

/** Adds the pending answer to one item. */
export async function withAnswer(store: RunStore, item: InboxItem): Promise<KeptItem> {
  const [one = item] = await withAnswers(store, [item]);
  return one;
}

/**
 * Details of an item at the time it was open, with the sequel of a closed one. Otherwise, later events of its run are left out, but
 * outputs approved with it are included.
 *
 * @param isPacked True to keep references in place of large outputs; `changes` then does not show how such outputs differ.
 * @default false
 */
export async function detailOf(
  store: RunStore,
  item: KeptItem,
  { isPacked = false }: { readonly isPacked?: boolean } = {},
): Promise<KeptDetail> {
  const records = await (isPacked ? readPlans : readRun)(store, item.runId);
  const { closedAt = Infinity } = item;
  const before = records.filter(({ seq, time }) => seq <= item.seq || time < closedAt);
  const sequel = itemSequel(records, item);
  return { ...itemDetail(before, item, { edited: editedAt(records, item) }), item, ...(sequel && { sequel }) };
}

// --- internal ---

/** The outputs with which the answer to an item has replaced those of the attempt. */
function editedAt(
  records: readonly RunRecord[],
  { kind, seq: opened, about, closedAt }: KeptItem,
): Outputs | undefined {
  if (closedAt === undefined || (kind !== 'escalation' && kind !== 'review')) return undefined;
  for (const { seq, event } of records) {
    if (seq <= opened || !('phase' in event) || event.phase !== about) continue;
    if (event.type === 'review.decided') return event.edited;
    if (event.type === 'phase.started') return undefined;
  }
  return undefined;
}

// --- internal ---

/** By id of the item. */
type Given = ReadonlyMap<string, GivenAnswer>;

async function givenTo(store: RunStore, items: readonly InboxItem[]): Promise<Given> {
  const given = new Map<string, GivenAnswer>();
  const runs = new Set(items.flatMap(({ runId, closedAt }) => (closedAt === undefined ? runId : [])));
  for (const runId of runs)
    for (const { item, by, time } of await messagesTo(store, runId))
      if (item !== undefined) given.set(item, { by, time });
  return given;
}

/** Messages to a run. Damaged ones of one run must not hide the items of others, and that run does not go on. */
async function messagesTo(store: RunStore, runId: string): Promise<readonly KeptMessage[]> {
  try {
    return await store.messages(runId);
  } catch (error) {
    if (hasCode(error, 'STORE_UNREADABLE')) return [];
    throw error;
  }
}

function together(items: readonly InboxItem[], given: Given): readonly KeptItem[] {
  if (given.size === 0) return items;
  return items.map((item) => {
    const answer = item.closedAt === undefined ? given.get(item.id) : undefined;
    return answer ? { ...item, answer } : item;
  });
}
