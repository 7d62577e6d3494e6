/**
 * `phasegate inbox show`.
 *
 * @module
 */
import type { InboxItem } from '../model/inbox.ts';
import { itemDetail, type ItemDetail } from '../model/item-detail.ts';
import { readRun } from '../store/read.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { findItem } from './find-item.ts';
import { print } from './print.ts';
import { asText, seesColours } from './reporter.ts';
import { itemLines } from './show/item-lines.ts';
import { createPainter } from './show/line.ts';
import { openStore, type OpenStore, type StoreFlags } from './store-option.ts';

/** Prints all about an item of the inbox. */
export async function showItem(
  wanted: string,
  { json = false, ...flags }: StoreFlags & { readonly json?: boolean },
): Promise<ExitCode> {
  const kept = openStore(flags, 'read');
  const detail = await detailOf(kept, await findItem(kept, wanted));
  await kept.store.close();
  const paint = createPainter(seesColours(process.stdout));
  const lines = json ? [JSON.stringify(detail)] : itemLines(detail, Date.now()).map(paint);
  return (await print(asText(lines))) ? exitCode.completed : exitCode.brokenPipe;
}

/** All about an item, as it was when it waited: what its run has done since is left out. */
export async function detailOf({ store }: OpenStore, item: InboxItem): Promise<ItemDetail> {
  const records = await readRun(store, item.runId);
  const { closedAt = Infinity } = item;
  return itemDetail(
    records.filter(({ seq, time }) => seq <= item.seq || time < closedAt),
    item,
  );
}
