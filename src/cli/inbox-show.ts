/**
 * `phasegate inbox show`.
 *
 * @module
 */
import { detailOf, withAnswer } from '../store/given-answer.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { findItem } from './find-item.ts';
import { takenText, workerOn } from './given-answer.ts';
import { print } from './print.ts';
import type { ProgramIo } from './program-io.ts';
import { asText, seesColours } from './reporter.ts';
import { itemLines } from './show/item-lines.ts';
import { createPainter } from './show/line.ts';
import { openStore, type StoreFlags } from './store-option.ts';

/** Prints all about an item of the inbox. */
export async function showItem(
  wanted: string,
  { json = false, ...flags }: StoreFlags & { readonly json?: boolean },
  io: ProgramIo,
): Promise<ExitCode> {
  const kept = openStore(flags, 'read', io);
  const detail = await detailOf(kept.store, await withAnswer(kept.store, await findItem(kept, wanted)));
  const { answer, runId } = detail.item;
  const waits = answer && takenText(kept, runId, await workerOn(kept, runId));
  await kept.store.close();
  const paint = createPainter(seesColours(io.stdout, io));
  const lines = json ? [JSON.stringify(detail)] : itemLines(detail, Date.now(), waits).map(paint);
  return (await print(asText(lines), io)) ? exitCode.completed : exitCode.brokenPipe;
}
