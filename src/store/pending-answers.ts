/**
 * Answers that were given and that no process has taken yet: their items are open as long.
 *
 * @module
 */
import type { RunRecord } from '../model/events/event.ts';
import type { Outputs } from '../model/handlers/task.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import { itemDetail, type ItemDetail } from '../projections/inbox/item-detail.ts';
import type { RunStore } from './port.ts';
import { readRun } from './read-run.ts';

/** An item of the inbox, and whether somebody has answered it. JSON. */
export interface KeptItem extends InboxItem {
  /** The answer that it has and that was not taken yet; absent where there is none, and where the item is closed. */
  readonly answer?: GivenAnswer | undefined;
}

/** Who has answered, and when. */
export interface GivenAnswer {
  /** Empty where it is not known. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** All about an item, and whether somebody has answered it. JSON. */
export interface KeptDetail extends ItemDetail {
  readonly item: KeptItem;
}

/** The items with the answers that wait to be taken. */
export async function withAnswers(store: RunStore, items: readonly InboxItem[]): Promise<readonly KeptItem[]> {
  return together(items, await givenTo(store, items));
}

/** The same for who looks at open items again and again: messages are read anew only where there are new ones. */
export function createAnswerReader(store: RunStore): (open: readonly InboxItem[]) => Promise<readonly KeptItem[]> {
  let known: { readonly last: number; readonly given: Given } | undefined;
  return async (open) => {
    // Asked for first: what comes while messages are read is read the next time.
    const last = await store.lastMessage?.();
    if (last === undefined) return withAnswers(store, open);
    if (known?.last !== last) known = { last, given: await givenTo(store, open) };
    return together(open, known.given);
  };
}

/** One item with the answer that waits to be taken. */
export async function withAnswer(store: RunStore, item: InboxItem): Promise<KeptItem> {
  const [one = item] = await withAnswers(store, [item]);
  return one;
}

/**
 * All about an item, as it was when it waited: what its run has done since is left out, but the outputs that were approved with it.
 *
 * @param isPacked Whether large outputs are left where they are kept, with references in their place; `changes` says nothing of
 *   how such outputs differ then. @default false
 */
export async function detailOf(
  store: RunStore,
  item: KeptItem,
  { isPacked = false }: { readonly isPacked?: boolean } = {},
): Promise<KeptDetail> {
  const records = isPacked ? await store.read(item.runId) : await readRun(store, item.runId);
  const { closedAt = Infinity } = item;
  const before = records.filter(({ seq, time }) => seq <= item.seq || time < closedAt);
  return { ...itemDetail(before, item, { edited: editedAt(records, item) }), item };
}

// --- internal ---

/** The outputs that whoever answered an item has put in the place of those of the attempt. */
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

/** By item. */
type Given = ReadonlyMap<string, GivenAnswer>;

async function givenTo(store: RunStore, items: readonly InboxItem[]): Promise<Given> {
  const given = new Map<string, GivenAnswer>();
  const runs = new Set(items.flatMap(({ runId, closedAt }) => (closedAt === undefined ? runId : [])));
  for (const runId of runs)
    for (const { item, by, time } of await store.messages(runId)) if (item !== undefined) given.set(item, { by, time });
  return given;
}

function together(items: readonly InboxItem[], given: Given): readonly KeptItem[] {
  if (given.size === 0) return items;
  return items.map((item) => {
    const answer = item.closedAt === undefined ? given.get(item.id) : undefined;
    return answer ? { ...item, answer } : item;
  });
}
