/**
 * `phasegate ls`.
 *
 * @module
 */
import { hasTag } from '../../model/events/tag-search.ts';
import { orderRuns } from '../../projections/run/run-order.ts';
import { withWaitsBelow } from '../../runtime/inbox/waits-below.ts';
import { readStandings } from '../../store/run-status.ts';
import { readOrder } from '../options/read-order.ts';
import { withLiveness } from '../options/run-owner.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { runTable, withStanding, type ShownRun } from '../show/run-table.ts';
import { createPainter } from '../terminal/line.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Flags of `phasegate ls`. */
export interface ListFlags extends StoreFlags {
  /** Statuses with commas between them. */
  readonly status?: string | undefined;
  readonly pipeline?: string | undefined;
  /** Tags, or keys of tags, all of which a run must have. */
  readonly tag?: readonly string[] | undefined;
  /** The column to sort by. @default 'started' */
  readonly sort?: string | undefined;
  readonly limit?: number | undefined;
  readonly json?: boolean | undefined;
}

/** Prints runs, the latest started first, or by another column. */
export async function listRuns(
  { status, pipeline, tag = [], sort = 'started', limit, json = false, ...flags }: ListFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const wanted = status === undefined ? undefined : readStandings(status);
  const order = readOrder(sort);
  const { store } = openStore(flags, 'read', io);
  const isAll = wanted !== undefined || tag.length > 0 || order !== 'started';
  const all = await store.runs({ pipeline, limit: isAll ? undefined : limit });
  const now = Date.now();
  const found = (await withWaitsBelow(store, all))
    .map(withLiveness)
    .map(withStanding)
    .filter((run) => (wanted?.has(run.standing) ?? true) && tag.every((one) => hasTag(run, one)));
  const runs = orderRuns(found, order, now).slice(0, limit);
  await store.close();
  const paint = createPainter(seesColours(io.stdout, io));
  io.stdout.write(asText(json ? runs.map(asJson) : runTable(runs, now).map(paint)));
  return exitCode.completed;
}

// --- internal ---

function asJson({ lease, lapsed: _lapsed, standing, ...info }: ShownRun): string {
  return JSON.stringify({ ...info, standing, holder: lease?.holder ?? null });
}
