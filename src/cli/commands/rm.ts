/**
 * `phasegate rm` and `phasegate gc`.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { counted } from '../../projections/wording/amount-words.ts';
import type { Compaction, ListedRun } from '../../store/port.ts';
import { findRun } from '../options/find-run.ts';
import { releaseDeadLease } from '../options/run-owner.ts';
import { openStore, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { runTable } from '../show/run-table.ts';
import { createPainter } from '../terminal/line.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** What `phasegate gc` takes. */
export interface CollectFlags extends StoreFlags {
  /** Milliseconds for which runs are kept after their last record. */
  readonly keep: number;
  readonly dryRun?: boolean | undefined;
}

/** Removes runs. None is removed where one of them is not known. */
export async function removeKept(wanted: readonly string[], flags: StoreFlags, io: ProgramIo): Promise<ExitCode> {
  const kept = openStore(flags, 'write', io);
  const runs = new Map<string, ListedRun>();
  for (const one of wanted) {
    const run = await findRun(kept, one);
    runs.set(run.runId, run);
  }
  for (const run of runs.values()) await remove(kept, run, io);
  await kept.store.compact?.();
  await kept.store.close();
  return exitCode.completed;
}

/** Removes runs that have ended long ago, and gives their room back. Others are left, however old. */
export async function collectKept({ keep, dryRun = false, ...flags }: CollectFlags, io: ProgramIo): Promise<ExitCode> {
  const kept = openStore(flags, dryRun ? 'read' : 'write', io);
  const { store } = kept;
  const old = await store.runs({ status: ENDED, updatedBefore: Date.now() - keep });
  if (dryRun) io.stdout.write(asText(runTable(old, Date.now()).map(createPainter(seesColours(io.stdout, io)))));
  else for (const run of old) await remove(kept, run, io);
  // A store is not rewritten while somebody works with it: who is gone does not.
  if (!dryRun) for (const run of await store.runs({ leased: true })) await releaseDeadLease(kept, run);
  const compaction = dryRun ? undefined : await store.compact?.();
  await store.close();
  io.stdout.write(`${counted(old.length, 'run')} ${dryRun ? 'would be ' : ''}removed${freedText(compaction)}\n`);
  return exitCode.completed;
}

// --- internal ---

const ENDED = ['completed', 'rejected', 'failed', 'cancelled', 'exhausted'] as const;

async function remove(kept: OpenStore, run: ListedRun, io: ProgramIo): Promise<void> {
  await releaseDeadLease(kept, run);
  const { runId, pipeline } = run;
  if (await kept.store.remove(runId)) io.stdout.write(`removed run ${oneLine(runId)} of "${oneLine(pipeline)}"\n`);
  else throw new PhasegateError('RUN_UNKNOWN', `Cannot remove run ${runId} as it was removed meanwhile`);
}

/** What the disk has again, and what it does not and why. */
function freedText({ freed, unused, obstacle }: Compaction = { freed: 0, unused: 0 }): string {
  const given = freed > 0 ? `, ${sizeText(freed)} freed on the disk` : '';
  return obstacle
    ? `${given}\n${sizeText(unused)} of the store are unused and were not freed: ${WHY[obstacle]}`
    : given;
}

const WHY: Readonly<Record<NonNullable<Compaction['obstacle']>, string>> = {
  'at-work': 'an earlier version made it, so collect once more while nobody works on a run',
  busy: 'another process keeps writing to it, so collect once more later',
  full: 'the disk, or that of temporary files, has no room for the work on it, so free some and collect once more',
};

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
