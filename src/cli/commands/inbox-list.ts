/**
 * `phasegate inbox`.
 *
 * @module
 */
import { withAnswers } from '../../store/pending-answers.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { itemTable } from '../show/item-lines.ts';
import { createPainter } from '../terminal/line.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Flags of `phasegate inbox ls`. */
export interface InboxFlags extends StoreFlags {
  /** True to list closed items as well. @default false */
  readonly all?: boolean | undefined;
  readonly queue?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Prints inbox items, the oldest first. */
export async function listInbox(
  { all = false, queue, json = false, ...flags }: InboxFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const { store } = openStore(flags, 'read', io);
  const found = await withAnswers(store, await store.inbox(all ? {} : { open: true }));
  await store.close();
  const items = found.filter((item) => queue === undefined || item.queue === queue);
  const paint = createPainter(seesColours(io.stdout, io));
  const lines = json ? items.map((item) => JSON.stringify(item)) : itemTable(items, Date.now()).map(paint);
  return (await print(asText(lines), io)) ? exitCode.completed : exitCode.brokenPipe;
}
