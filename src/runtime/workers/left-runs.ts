/**
 * Runs that processes have left behind: killed ones that hold a lease, and runs of tasks whose parent has ended.
 *
 * A process that ends a run keeps its lease until the runs of its tasks have ended. So an ended run with the lease of a process that is gone
 * may have left some.
 *
 * @module
 */
import { holderIsAlive } from '../../store/holder.ts';
import { releaseGone, workOn } from '../../store/lease-holder.ts';
import type { ListedRun, RunStore } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { parentOf } from '../child-ids.ts';
import { cancelLeft } from '../child-run.ts';
import { endOfTurn } from '../records/end-of-turn.ts';
import type { ResumeOptions } from '../resume.ts';
import { starter } from '../start.ts';
import { cancelOrphan, heldIn, isBenign, isStoreError, parentState } from './free-runs.ts';
import { PAUSE_MS } from './passed-runs.ts';
import type { PipelineVersions } from './pipeline-versions.ts';

/** Finds runs that were left behind. */
export interface LeftRuns {
  /**
   * Releases runs of processes of this machine that were killed, and cancels runs of tasks that nobody waits for. Does nothing within five
   * seconds of the last look.
   *
   * @throws PhasegateError if the store fails.
   */
  look(): Promise<void>;
}

/** @param versions The pipelines of a worker. It leaves runs alone if it has neither their pipeline nor that of a run above them. */
export function findLeftRuns(
  store: RunStore,
  versions: Pick<PipelineVersions, 'has'>,
  options: Pick<ResumeOptions, 'holder' | 'redact'>,
): LeftRuns {
  /** Runs that had a lease, and may have left others or be left themselves once it is over. */
  const held = new Set<string>();
  /** True if all unfinished runs were read since the store has failed. */
  let isComplete = false;
  let lookedAt = -Infinity;

  async function look(): Promise<void> {
    if (performance.now() - lookedAt < PAUSE_MS) return;
    lookedAt = performance.now();
    try {
      if (!isComplete) await cancelOrphans();
      isComplete = true;
      await lookAtHeld();
    } catch (error) {
      // Leases may expire unseen while the store fails.
      isComplete = false;
      throw error;
    }
  }

  /** Cancels all runs of tasks whose parent has ended, also before this process has started. */
  async function cancelOrphans(): Promise<void> {
    const running = await store.runs({ status: ['running'] });
    const ids = new Set(running.map(({ runId }) => runId));
    for (const run of running) {
      const parent = parentOf(run.runId);
      if (parent === undefined || ids.has(parent) || run.damage !== undefined || heldIn(run)) continue;
      if (await isOrphan(run)) await cancelNow(run);
    }
  }

  async function lookAtHeld(): Promise<void> {
    const leased = await store.runs({ leased: true });
    const listed = new Map(leased.map((run) => [run.runId, run]));
    for (const run of leased) {
      if (run.status === 'running' && versions.has(run.pipeline)) await releaseGone(store, run, holderIsAlive);
      if (run.status !== 'running' || parentOf(run.runId) !== undefined) held.add(run.runId);
    }
    for (const id of held) {
      const run = listed.get(id) ?? (await store.run(id));
      if (!run || (await isSettled(run))) held.delete(id);
    }
  }

  /** Ends what a run has left, once its process is gone. @returns True if nothing is left. */
  async function isSettled(run: ListedRun): Promise<boolean> {
    if (run.damage !== undefined) return true;
    const { state } = workOn(run, holderIsAlive);
    if (state === 'worked' || state === 'hung') return false;
    if (run.status !== 'running') return endChildrenOf(run);
    if (!(await isOrphan(run))) return true;
    await cancelNow(run);
    return false;
  }

  /** Cancels the runs that an ended run has left, and releases its lease. */
  async function endChildrenOf(run: ListedRun): Promise<boolean> {
    const { runId, lease, lapsed } = run;
    const left = lease ?? lapsed;
    if (!left || !(await isOurs(run))) return true;
    await endOfTurn();
    try {
      const events = (await readRun(store, runId)).map(({ event }) => event);
      await cancelLeft(runId, events, { store, starter, ...options });
      await store.release(left);
      return true;
    } catch (error) {
      if (isStoreError(error)) throw error;
      return !isBenign(error);
    }
  }

  async function cancelNow({ runId }: ListedRun): Promise<void> {
    await endOfTurn();
    await cancelOrphan(store, runId, options);
  }

  async function isOrphan(run: ListedRun): Promise<boolean> {
    return (await parentState(store, run.runId)) === 'ended' && (await isOurs(run));
  }

  async function isOurs({ runId, pipeline }: ListedRun): Promise<boolean> {
    if (versions.has(pipeline)) return true;
    const parent = parentOf(runId);
    const above = parent === undefined ? undefined : await store.run(parent);
    return above !== undefined && isOurs(above);
  }

  return { look };
}
