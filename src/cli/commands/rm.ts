/**
 * `phasegate rm` and `phasegate gc`.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { counted } from '../../model/values/counts.ts';
import type { Compaction } from '../../store/maintenance.ts';
import type { ListedRun } from '../../store/port.ts';
import { gitWorkspace } from '../../workspaces/operations/git-workspace.ts';
import { remainingRefs } from '../../workspaces/operations/remaining-refs.ts';
import { attempt } from '../options/attempt.ts';
import { removeDefinitions } from '../options/fleet-definition.ts';
import { findRun } from '../options/find-run.ts';
import { releaseDeadLease } from '../options/run-owner.ts';
import { openStore, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { asText, seesColours } from '../run/reporter.ts';
import { runTable, withStanding } from '../show/run-table.ts';
import { pageOf } from '../terminal/doc-pages.ts';
import { createPainter } from '../terminal/line.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { oneLine } from '../terminal/text.ts';

/** Flags of `phasegate gc`. */
export interface CollectFlags extends StoreFlags {
  /** The milliseconds to keep runs after their last record. */
  readonly keep: number;
  readonly dryRun?: boolean | undefined;
}

/** Removes runs. Removes none of them if one is not known. */
export async function removeStored(wanted: readonly string[], flags: StoreFlags, io: ProgramIo): Promise<ExitCode> {
  const opened = openStore(flags, 'write', io);
  const runs = new Map<string, ListedRun>();
  for (const one of wanted) {
    const run = await findRun(opened, one);
    runs.set(run.runId, run);
  }
  for (const run of runs.values()) await remove(opened, run, io);
  await removeDefinitions([...runs.values()], opened.store, io);
  const compaction = await opened.store.compact?.();
  await opened.store.close();
  if (compaction?.pending) io.stdout.write(`${pendingText(compaction.pending)}\n`);
  for (const run of runs.values()) await tellOfRefs(run.runId, io);
  return exitCode.completed;
}

/** Removes runs that ended long ago, and frees their disk space. Unfinished runs stay, however old they are. */
export async function collectStored(
  { keep, dryRun = false, ...flags }: CollectFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const opened = openStore(flags, dryRun ? 'read' : 'write', io);
  const { store } = opened;
  // Nobody knows when a damaged run has ended, or if it has.
  const old = (await store.runs({ status: ENDED, updatedBefore: Date.now() - keep })).filter(
    ({ damage }) => damage === undefined,
  );
  if (dryRun)
    io.stdout.write(asText(runTable(old.map(withStanding), Date.now()).map(createPainter(seesColours(io.stdout, io)))));
  else {
    for (const run of old) await remove(opened, run, io);
    await removeDefinitions(old, store, io);
  }
  // Leases of dead processes are released, as a store is not compacted while a process works on a run.
  if (!dryRun) for (const run of await store.runs({ leased: true })) await releaseDeadLease(opened, run);
  const compaction = dryRun ? undefined : await store.compact?.();
  await store.close();
  io.stdout.write(`${counted(old.length, 'run')} ${dryRun ? 'would be ' : ''}removed${freedText(compaction)}\n`);
  return exitCode.completed;
}

/** Returns a number of bytes for people. */
export function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

// --- internal ---

const ENDED = ['completed', 'rejected', 'failed', 'cancelled', 'exhausted'] as const;

/** Says that the work of a run stays in the repository, as it is the user's. Names the processes that still work for it. */
async function tellOfRefs(runId: string, io: ProgramIo): Promise<void> {
  const refs = await remainingRefs(io.cwd, runId);
  if (!refs) return;
  const { branch, root } = refs;
  io.stdout.write(`its work stays in the repository, as ${branch} and ${root}/…: ${pageOf('fleet.md#refs')}\n`);
  const { signal } = new AbortController();
  const listed = await gitWorkspace({ repository: io.cwd })
    .list(signal)
    .catch(() => []);
  for (const { place, path, orphan } of listed)
    if (place.run === runId && orphan !== undefined)
      io.stdout.write(`process ${orphan} still works in ${oneLine(path)}: end it, as the run cannot be resumed\n`);
}

async function remove(opened: OpenStore, run: ListedRun, io: ProgramIo): Promise<void> {
  const { runId, pipeline } = run;
  await attempt(`remove run ${runId}`, () => releaseDeadLease(opened, run));
  if (await opened.store.remove(runId)) io.stdout.write(`removed run ${oneLine(runId)} of "${oneLine(pipeline)}"\n`);
  else throw new PhasegateError('RUN_UNKNOWN', `Cannot remove run ${runId} as it was removed meanwhile`);
}

/** Describes the freed disk space, and the space that could not be freed with the reason. */
function freedText({ freed, unused, obstacle, pending }: Compaction = { freed: 0, unused: 0 }): string {
  const given = freed > 0 ? `, ${sizeText(freed)} freed on the disk` : '';
  const left = obstacle && `\n${sizeText(unused)} of the store are unused but were not freed: ${WHY[obstacle]}`;
  // Both have the same advice.
  return `${given}${left ?? (pending ? `\n${pendingText(pending)}` : '')}`;
}

function pendingText(pending: NonNullable<Compaction['pending']>): string {
  return `Files of the store may still have text of removed runs: ${STILL[pending]}`;
}

const STILL: Readonly<Record<NonNullable<Compaction['pending']>, string>> = {
  'at-work': 'run gc again while no process works on a run',
  busy: 'another process keeps writing, so run gc again later',
  full: 'the disk has no room to rewrite them, so free some space and run gc again',
  read: 'another process reads it, so run gc again after that',
};

const WHY: Readonly<Record<NonNullable<Compaction['obstacle']>, string>> = {
  'at-work': 'an earlier version created the store, so run gc again while no process works on a run',
  busy: 'another process keeps writing to the store, so run gc again later',
  full: 'the disk, or the disk of temporary files, has no room to compact the store, so free some space and run gc again',
};
