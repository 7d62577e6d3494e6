/**
 * `phasegate inbox ls` and `phasegate inbox show`.
 *
 * @module
 */
import { detailOf, withAnswer, withAnswers } from '../../store/pending-answers.ts';
import { findItem } from '../inbox/find-item.ts';
import { deadlineOf } from '../inbox/run-deadline.ts';
import { takenText, workerOn } from '../inbox/pending-answer.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { itemLines, itemTable } from '../show/item-lines.ts';
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

/** Prints all details of an inbox item. */
export async function showItem(
  wanted: string,
  { json = false, ...flags }: StoreFlags & { readonly json?: boolean },
  io: ProgramIo,
): Promise<ExitCode> {
  const opened = openStore(flags, 'read', io);
  const kept = await detailOf(opened.store, await withAnswer(opened.store, await findItem(opened, wanted)));
  const { answer, runId, closedAt } = kept.item;
  const deadline = closedAt === undefined ? await deadlineOf(opened.store, runId) : undefined;
  const detail = { ...kept, runEndsAt: deadline?.at };
  const waits = answer && (await takenText(opened, runId, await workerOn(opened, runId)));
  await opened.store.close();
  const paint = createPainter(seesColours(io.stdout, io));
  const lines = json ? [JSON.stringify(detail)] : itemLines(detail, Date.now(), waits).map(paint);
  return (await print(asText(lines), io)) ? exitCode.completed : exitCode.brokenPipe;
}
