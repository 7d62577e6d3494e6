/**
 * `phasegate inbox show`.
 *
 * @module
 */
import { itemDetail } from '../model/item-detail.ts';
import { readRun } from '../store/read.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { findItem } from './find-item.ts';
import { takenText, withAnswer, workerOn, type KeptItem } from './given-answer.ts';
import { print } from './print.ts';
import { asText, seesColours } from './reporter.ts';
import { itemLines, type KeptDetail } from './show/item-lines.ts';
import { createPainter } from './show/line.ts';
import { openStore, type OpenStore, type StoreFlags } from './store-option.ts';

/** Prints all about an item of the inbox. */
export async function showItem(
  wanted: string,
  { json = false, ...flags }: StoreFlags & { readonly json?: boolean },
): Promise<ExitCode> {
  const kept = openStore(flags, 'read');
  const detail = await detailOf(kept, await withAnswer(kept.store, await findItem(kept, wanted)));
  const { answer, runId } = detail.item;
  const waits = answer && takenText(kept, runId, await workerOn(kept, runId));
  await kept.store.close();
  const paint = createPainter(seesColours(process.stdout));
  const lines = json ? [JSON.stringify(detail)] : itemLines(detail, Date.now(), waits).map(paint);
  return (await print(asText(lines))) ? exitCode.completed : exitCode.brokenPipe;
}

/** All about an item, as it was when it waited: what its run has done since is left out. */
export async function detailOf({ store }: OpenStore, item: KeptItem): Promise<KeptDetail> {
  const records = await readRun(store, item.runId);
  const { closedAt = Infinity } = item;
  const before = records.filter(({ seq, time }) => seq <= item.seq || time < closedAt);
  return { ...itemDetail(before, item), item };
}
