/**
 * A worker: a process that continues the runs of a store, a bounded number at once.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { hasCode, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunOutcome } from '../../projections/run/run-result.ts';
import { thisHolder } from '../../store/holder.ts';
import type { ClaimedRun, ListedRun, RunStore } from '../../store/port.ts';
import { endOfTurn } from '../records/end-of-turn.ts';
import { patientStore } from '../records/patient-store.ts';
import { giveBack, REPLAY_LEASE_MS } from '../records/release-lease.ts';
import type { ResumeOptions } from '../resume.ts';
import { checkOptions, checkPipelines, type Run } from '../run.ts';
import { continueRun } from './continue-run.ts';
import { findLeftRuns } from './left-runs.ts';
import { repeatLooks } from './looks.ts';
import { PAUSE_MS, PassedRuns } from './passed-runs.ts';
import { PipelineVersions } from './pipeline-versions.ts';
import { checkPools, pooled } from './pooled-work.ts';
import { announceWorker } from './presence.ts';
import { createPlaces, type PoolSizes } from './places.ts';
import { callSafely, cancelOrphan, isBenign, isStoreError, parentState, type FailedResume } from './free-runs.ts';

/** Options of {@link createWorker}. */
export interface WorkerOptions extends Pick<
  ResumeOptions,
  'inspect' | 'holder' | 'redact' | 'allowChanged' | 'allowMasked'
> {
  /** Most runs that it works on at once, from 1. A suspended run does not count. @default 10 */
  readonly concurrency?: number | undefined;
  /**
   * The most tries that work at once in each pool, over all workers of the store: `{ openai: 8 }`. Workers should have the same sizes.
   * `'unlimited'` for no limit. Each pool that a pipeline uses needs a size.
   */
  readonly pools?: PoolSizes | undefined;
  /** Stops the worker when it is aborted, as {@link Worker.stop} does. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each run that it begins to work on. */
  readonly onRun?: ((run: Run<unknown>) => void) | undefined;
  /** Called with each run that it has let go: it has ended, or is suspended. */
  readonly onDone?: ((run: Run<unknown>, outcome: RunOutcome<unknown>) => void) | undefined;
  /**
   * Called with each run that cannot be continued. It is tried again when it has new records. Of the runs of a version that none of the
   * pipelines has, only the first is tried.
   */
  readonly onFailed?: ((failed: FailedResume) => void) | undefined;
  /** Called when the store fails. The worker tries again after five seconds. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A worker that works. It keeps its process alive. */
export interface Worker {
  /** Most runs that it works on at once. */
  readonly concurrency: number;
  /** The runs that it works on now. */
  readonly runs: readonly Run<unknown>[];
  /** Takes no more runs. Resolves when it works on none: each has ended, or waits. */
  drain(): Promise<void>;
  /** Takes no more runs, and suspends those that it works on. Resolves when their work has stopped. */
  stop(): Promise<void>;
}

/**
 * Works on the runs of a store until it is stopped.
 *
 * It takes runs that are ready, those with the earliest start first: new ones, interrupted ones, and suspended ones whose time has come or
 * that got a message. It lets go of a run that only waits, as with `whileWaiting: 'suspend'`. Several workers may share a store. It cancels
 * runs of tasks whose parent has ended, if it has the pipeline of either.
 *
 * @param pipelines Matched to runs by name and definition: several of one name are versions of it. Other runs are left alone.
 * @throws PhasegateError `INPUT_INVALID` if `concurrency` is no whole number from 1, there are no pipelines, two pipelines have one name and one
 *   definition, or a pool has no size.
 */
export function createWorker(
  given: RunStore,
  pipelines: readonly (Pipeline<unknown, never> | Pipeline<unknown>)[],
  options: WorkerOptions = {},
): Worker {
  checkOptions(options, 'start a worker', OWN_OPTIONS);
  const store = patientStore(given);
  const { concurrency = 10, pools = {}, signal, onRun, onDone, onFailed, onError, ...resuming } = options;
  checkConcurrency(concurrency);
  checkPipelines(pipelines, 'start a worker');
  checkPools(pipelines, pools);
  const name = options.holder ?? thisHolder();
  const places = createPlaces(store, pools, name);
  const versions = new PipelineVersions([...new Set(pipelines)].map((one) => pooled(one, places)));
  const presence = signal?.aborted ? undefined : announceWorker(store, versions.all, name);
  const active = new Map<string, Run<unknown>>();
  const passed = new PassedRuns();
  const left = findLeftRuns(store, versions, { holder: options.holder, redact: options.redact });
  const looks = repeatLooks(
    store,
    () => left.look().then(takeReady),
    (error) => callSafely('createWorker', () => onError?.(error)),
  );
  let isDraining = false;
  let listedAt = -Infinity;

  const hasRoom = () => !isDraining && active.size < concurrency;

  /** Takes runs that are ready, as long as there is room. */
  async function takeReady(): Promise<void> {
    if (!store.claim) return takeListed();
    await takeClaimed();
    // The others have waited for a run that has ended, which is rare.
    if (performance.now() - listedAt < PAUSE_MS) return;
    listedAt = performance.now();
    await takeListed(isUnclaimed);
  }

  /** Takes runs one by one, each in one step with its lease, so that workers do not meet at a run. */
  async function takeClaimed(): Promise<void> {
    while (hasRoom()) {
      const claimed = await store.claim?.({
        pipelines: versions.names,
        except: versions.unknown,
        passed: passed.current(),
        holder: name,
        ms: REPLAY_LEASE_MS,
      });
      if (!claimed) return;
      if (hasRoom()) await take(claimed.run, claimed);
      else await giveBack(store, claimed.lease);
    }
  }

  /** Takes runs that the store lists, and that another worker may take first. */
  async function takeListed(isWanted: (run: ListedRun) => boolean = () => true): Promise<void> {
    while (hasRoom()) {
      const room = concurrency - active.size;
      const most = room + passed.size;
      const ready = await store.ready(versions.names, most, versions.unknown);
      if (ready.length < most) passed.keep(ready);
      const mayTake = (run: ListedRun) => isWanted(run) && !active.has(run.runId) && passed.mayTry(run);
      const next = ready.filter(mayTake).slice(0, room);
      if (next.length === 0) return;
      for (const run of next) if (hasRoom()) await take(run);
    }
  }

  async function take(listed: ListedRun, claimed?: ClaimedRun): Promise<void> {
    const { runId } = listed;
    const parent = await parentState(store, runId);
    // A run that a task has started is resumed by its parent.
    if (parent === 'running') return passed.pause(listed);
    // Each run has a turn of its own, as its records are replayed. Everything else in this process comes in between.
    await endOfTurn();
    if (parent === 'ended' && listed.damage === undefined) {
      await cancelOrphan(store, runId, resuming);
      return passed.pause(listed);
    }
    try {
      const run = await continueRun(store, listed, claimed, versions.forRun(listed), resuming);
      if (!run) return passed.pause(listed);
      active.set(runId, run);
      callSafely('createWorker', () => onRun?.(run));
      void run.result.then((outcome) => letGo(listed, run, outcome));
    } catch (error) {
      if (hasCode(error, 'RUN_CHANGED')) versions.leave(listed);
      if (isBenign(error) || isStoreError(error)) passed.pause(listed);
      else passed.refuse(listed);
      if (!isBenign(error)) callSafely('createWorker', () => onFailed?.({ runId, error }));
    }
  }

  function letGo(listed: ListedRun, run: Run<unknown>, outcome: RunOutcome<unknown>): void {
    active.delete(run.id);
    // A run that its store has failed is resumable, and would fail again at once.
    if (outcome.status === 'failed') passed.pause(listed);
    callSafely('createWorker', () => onDone?.(run, outcome));
    looks.now();
  }

  async function drain(): Promise<void> {
    isDraining = true;
    looks.stop();
    signal?.removeEventListener('abort', onAbort);
    await looks.idle();
    await presence?.stop();
    await Promise.all([...active.values()].map((run) => run.result));
    places.close();
  }

  function stop(): Promise<void> {
    const drained = drain();
    const suspendAll = () => active.forEach((run) => run.suspend());
    suspendAll();
    // One may have been taken just now.
    return looks
      .idle()
      .then(suspendAll)
      .then(() => drained);
  }

  function onAbort(): void {
    void stop();
  }

  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  else looks.now();
  return {
    concurrency,
    get runs() {
      return [...active.values()];
    },
    drain,
    stop,
  };
}

// --- internal ---

/** True for a run that a claim leaves out. */
function isUnclaimed({ runId }: ListedRun): boolean {
  return runId.includes('/');
}

/** Options that a start of a run does not have. */
const OWN_OPTIONS = ['concurrency', 'pools', 'onRun', 'onDone', 'onFailed', 'onError'];

function checkConcurrency(concurrency: number): void {
  if (Number.isInteger(concurrency) && concurrency >= 1) return;
  throw new PhasegateError('INPUT_INVALID', `Cannot start a worker as its concurrency is ${concurrency}`, {
    hint: 'Give a whole number from 1: the most runs that it works on at once.',
  });
}
