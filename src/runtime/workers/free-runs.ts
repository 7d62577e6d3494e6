/**
 * Unfinished runs that no process works on: which of them may be continued.
 *
 * @module
 */
import { hasCode, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { holderIsAlive } from '../../store/holder.ts';
import { workOn } from '../../store/lease-holder.ts';
import type { ListedRun, RunStore } from '../../store/port.ts';
import { cancelRun } from '../cancel.ts';
import { parentOf } from '../child-ids.ts';
import type { ResumeOptions } from '../resume.ts';

/** A run that could not be recovered. */
export interface FailedResume {
  readonly runId: string;
  readonly error: unknown;
}

/** A run that another process has. That process is alive, or its lease has not expired yet. */
export interface Waiting {
  readonly runId: string;
  /** Expiry of its lease if it is not renewed, in milliseconds since 1970. */
  readonly until: number;
  /** Name of the process that has it. */
  readonly holder: string;
}

/** The process that has a run, if the run must wait for it. A live process holds its run even after its lease has expired. */
export function heldIn(run: ListedRun): Waiting | undefined {
  const work = workOn(run, holderIsAlive);
  if (work.state === 'free' || work.state === 'gone') return undefined;
  const { holder, expiresAt: until } = work.lease;
  return { runId: run.runId, until, holder };
}

/** The process that has taken a run in the meantime. */
export async function takenBy(error: unknown, store: RunStore, runId: string): Promise<Waiting | undefined> {
  if (!hasCode(error, 'RUN_LEASED')) return undefined;
  const run = await store.run(runId);
  return run && heldIn(run);
}

/** The state of the run that has started a run; `undefined` for a run that no task has started. */
export async function parentState(store: RunStore, runId: string): Promise<'running' | 'ended' | undefined> {
  const parent = parentOf(runId);
  const listed = parent === undefined ? undefined : await store.run(parent);
  if (!listed) return undefined;
  // The status of a damaged run is not known, so nothing is cancelled because of it.
  return listed.status === 'running' || listed.damage !== undefined ? 'running' : 'ended';
}

/** True if another process was first: it has resumed the run, or has ended it. */
export function isBenign(error: unknown): boolean {
  return hasCode(error, 'RUN_LEASED') || hasCode(error, 'RUN_ENDED');
}

/** True if the store has failed. It may work again, and the error tells nothing about the run, unless that is damaged. */
export function isStoreError(error: unknown): boolean {
  return PhasegateError.is(error) && error.code.startsWith('STORE_') && error.code !== 'STORE_UNREADABLE';
}

/** Calls a listener. Its error must not prevent the recovery of other runs. @param owner The function that it was given to. */
export function callSafely(owner: string, call: () => void): void {
  try {
    call();
  } catch (thrown) {
    console.error(`phasegate: a listener of ${owner}() has thrown:`, thrown);
  }
}

/** Cancels a run that a task of an ended run has started: nobody waits for it any more. */
export async function cancelOrphan(store: RunStore, runId: string, options: ResumeOptions): Promise<void> {
  await cancelRun(store, runId, 'the run that started it has ended', options).catch(() => undefined);
}
