/**
 * `phasegate inbox show`.
 *
 * @module
 */
import { detailOf, withAnswer } from '../../store/pending-answers.ts';
import { findItem } from '../inbox/find-item.ts';
import { takenText, workerOn } from '../inbox/pending-answer.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { itemLines } from '../show/item-lines.ts';
import { createPainter } from '../terminal/line.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

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
