/**
 * Answers that were given and that no process has taken yet: their items are open as long.
 *
 * @module
 */
import { PhasegateError } from '../model/errors.ts';
import type { InboxItem } from '../model/inbox.ts';
import type { Lease, RunStore } from '../store/port.ts';
import { withoutTheDead } from './holder.ts';
import { oneLine } from './show/text.ts';
import { storeArgument, type OpenStore } from './store-option.ts';

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

/** That there is an answer, in words. */
export function givenText({ by }: GivenAnswer): string {
  return `answered${by === '' ? '' : ` by ${oneLine(by)}`}, not yet taken`;
}

/** Who can take an answer to a run now; `undefined` where nobody works on it. */
export async function workerOn({ store }: Pick<OpenStore, 'store'>, runId: string): Promise<Lease | undefined> {
  const run = await store.run(runId);
  return run && withoutTheDead(run).lease;
}

/** What an answer waits for. @param worker Who works on the run. */
export function takenText(kept: OpenStore, runId: string, worker: Lease | undefined): string {
  return worker
    ? `${oneLine(worker.holder)} works on the run and has not taken it yet`
    : `it is taken when the run goes on: phasegate resume ${oneLine(runId)}${storeArgument(kept)}`;
}

/** The error for who wanted to answer an item that has an answer. */
export async function hasAnswer(
  kept: OpenStore,
  { id, runId }: InboxItem,
  { by }: GivenAnswer,
): Promise<PhasegateError> {
  const who = by === '' ? '' : `, by ${oneLine(by)}`;
  const waits = takenText(kept, runId, await workerOn(kept, runId));
  return new PhasegateError('ANSWERED', `Cannot answer item ${id} as it has an answer already${who}`, {
    hint: `An item takes one answer; ${waits}`,
  });
}
