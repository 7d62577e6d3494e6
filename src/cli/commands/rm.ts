/**
 * `phasegate rm` and `phasegate gc`.
 *
 * @module
 */
import { runsAbove } from '../../model/handlers/work-key.ts';
import { counted } from '../../model/values/counts.ts';
import { checkUnneeded } from '../../runtime/child-ids.ts';
import type { Compaction } from '../../store/maintenance.ts';
import type { ListedRun } from '../../store/port.ts';
import { runLeased } from '../../store/refusals.ts';
import { gitWorkspace } from '../../workspaces/operations/git-workspace.ts';
import { remainingRefs } from '../../workspaces/operations/remaining-refs.ts';
import { attempt } from '../options/attempt.ts';
import { familiesIn, upTo } from '../options/child-runs.ts';
import { removeDefinition } from '../options/fleet-definition.ts';
import { findRun } from '../options/find-run.ts';
import { releaseDeadLease, workHere } from '../options/run-owner.ts';
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

/**
 * Removes runs, with those that their tasks have started. Removes none if one is not known, is worked on, or is needed by a run that
 * has not ended.
 */
export async function removeStored(wanted: readonly string[], flags: StoreFlags, io: ProgramIo): Promise<ExitCode> {
  const opened = openStore(flags, 'write', io);
  const { store } = opened;
  const named = new Map<string, ListedRun>();
  for (const one of wanted) {
    const run = await findRun(opened, one);
    named.set(run.runId, run);
  }
  // A run below another one is removed with it.
  const tops = [...named.values()].filter(({ runId }) => !runsAbove(runId).some((id) => named.has(id)));
  for (const { runId } of tops) await checkUnneeded(store, runId);
  const removed = await remove(opened, tops.flatMap(upTo(await store.runs())), io);
  const compaction = await store.compact?.();
  await store.close();
  if (compaction?.pending) io.stdout.write(`${pendingText(compaction.pending)}\n`);
  for (const { runId } of removed) await tellOfRefs(runId, io);
  return exitCode.completed;
}

/**
 * Removes runs that ended long ago, with those that their tasks have started, and frees their disk space. A run that has not ended
 * stays with all of them, however old they are.
 */
export async function collectStored(
  { keep, dryRun = false, ...flags }: CollectFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const opened = openStore(flags, dryRun ? 'read' : 'write', io);
  const { store } = opened;
  const runs = await store.runs();
  const before = Date.now() - keep;
  // Nobody knows when a damaged run has ended, or if it has.
  const isOld = (run: ListedRun) =>
    run.damage === undefined && run.updatedAt <= before && ['free', 'gone'].includes(workHere(run).state);
  const old = familiesIn(runs).flatMap((family) =>
    family.at(-1)?.status !== 'running' && family.every(isOld) ? family : [],
  );
  if (dryRun)
    io.stdout.write(asText(runTable(old.map(withStanding), Date.now()).map(createPainter(seesColours(io.stdout, io)))));
  const { length } = dryRun ? old : await remove(opened, old, io);
  // Leases of dead processes are released, as a store is not compacted while a process works on a run.
  if (!dryRun) for (const run of await store.runs({ leased: true })) await releaseDeadLease(opened, run);
  const compaction = dryRun ? undefined : await store.compact?.();
  await store.close();
  io.stdout.write(`${counted(length, 'run')} ${dryRun ? 'would be ' : ''}removed${freedText(compaction)}\n`);
  return exitCode.completed;
}

/** Returns a number of bytes for people. */
export function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

// --- internal ---

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

/**
 * Removes runs in the given order, with their definitions. Removes none while a process works on one.
 *
 * @returns Those that no other process has removed meanwhile.
 */
async function remove(opened: OpenStore, runs: readonly ListedRun[], io: ProgramIo): Promise<readonly ListedRun[]> {
  for (const run of runs) {
    await attempt(`remove run ${run.runId}`, () => releaseDeadLease(opened, run));
    const work = workHere(run);
    if (work.state === 'worked') throw runLeased('remove', work.lease);
  }
  const ids = new Set(runs.map(({ runId }) => runId));
  const others = (await opened.store.runs()).filter(({ runId }) => !ids.has(runId));
  const removed: ListedRun[] = [];
  for (const run of runs) {
    const id = oneLine(run.runId);
    // Removed before the run, so that the same command finds both if it is cut off.
    await removeDefinition(run, others, io);
    if (await opened.store.remove(run.runId)) {
      removed.push(run);
      io.stdout.write(`removed run ${id} of "${oneLine(run.pipeline)}"\n`);
    } else io.stdout.write(`run ${id} was removed meanwhile\n`);
  }
  return removed;
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
