/**
 * `phasegate ls`.
 *
 * @module
 */
import type { ListedRun } from '../../store/port.ts';
import { readStandings, standingOf } from '../../store/run-status.ts';
import { withLiveness } from '../options/run-owner.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { runTable } from '../show/run-table.ts';
import { createPainter } from '../terminal/line.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Flags of `phasegate ls`. */
export interface ListFlags extends StoreFlags {
  /** Statuses with commas between them. */
  readonly status?: string | undefined;
  readonly pipeline?: string | undefined;
  readonly limit?: number | undefined;
  readonly json?: boolean | undefined;
}

/** Prints runs, the latest started first. */
export async function listRuns(
  { status, pipeline, limit, json = false, ...flags }: ListFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const wanted = status === undefined ? undefined : readStandings(status);
  const { store } = openStore(flags, 'read', io);
  const all = await store.runs({ pipeline, limit: wanted ? undefined : limit });
  const runs = all
    .map(withLiveness)
    .filter((run) => wanted?.has(standingOf(run)) ?? true)
    .slice(0, limit);
  await store.close();
  const paint = createPainter(seesColours(io.stdout, io));
  io.stdout.write(asText(json ? runs.map(asJson) : runTable(runs, Date.now()).map(paint)));
  return exitCode.completed;
}

// --- internal ---

function asJson(run: ListedRun): string {
  const { lease, lapsed: _, ...info } = run;
  return JSON.stringify({ ...info, standing: standingOf({ ...info, lease }), holder: lease?.holder ?? null });
}
