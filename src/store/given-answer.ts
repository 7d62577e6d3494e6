/**
 * Answers that were given and that no process has taken yet: their items are open as long.
 *
 * @module
 */
import type { InboxItem } from '../model/inbox.ts';
import { itemDetail, type ItemDetail } from '../model/item-detail.ts';
import type { RunStore } from './port.ts';
import { readRun } from './read.ts';

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
  const given = new Map<string, GivenAnswer>();
  const runs = new Set(items.flatMap(({ runId, closedAt }) => (closedAt === undefined ? runId : [])));
  for (const runId of runs)
    for (const { item, by, time } of await store.messages(runId)) if (item !== undefined) given.set(item, { by, time });
  return items.map((item) => {
    const answer = item.closedAt === undefined ? given.get(item.id) : undefined;
    return answer ? { ...item, answer } : item;
  });
}

/** One item with the answer that waits to be taken. */
export async function withAnswer(store: RunStore, item: InboxItem): Promise<KeptItem> {
  const [one = item] = await withAnswers(store, [item]);
  return one;
}

/**
 * All about an item, as it was when it waited: what its run has done since is left out.
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
  return { ...itemDetail(before, item), item };
}
