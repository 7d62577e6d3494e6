/**
 * Resuming of all unfinished runs whose process has ended.
 *
 * @module
 */
import type { Clock } from '../../machines/phase/clock.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { thisHolder } from '../../store/holder.ts';
import type { RunStore } from '../../store/port.ts';
import type { ResumeOptions } from '../resume.ts';
import { endOfTurn } from '../records/end-of-turn.ts';
import { patientStore } from '../records/patient-store.ts';
import { resumeRun } from '../start.ts';
import { checkOptions, checkPipelines, type Run } from '../run.ts';
import {
  callSafely,
  cancelOrphan,
  heldIn,
  isBenign,
  isStoreError,
  parentState,
  takenBy,
  type FailedResume,
  type Waiting,
} from './free-runs.ts';

/** Options of {@link resumeAll}. */
export interface ResumeAllOptions extends ResumeOptions {
  /**
   * Looks again for free runs and resumes them, until `stop()` is called or `signal` is aborted. The process stays alive for
   * that. A number sets the milliseconds between looks, at least 10; `true` sets 5000. It looks earlier if a lease is about to
   * expire.
   *
   * @default false
   */
  readonly watch?: boolean | number | undefined;
  /** Called with each resumed run, also with those in `runs`. It must not throw. */
  readonly onRun?: ((run: Run<unknown>) => void) | undefined;
  /**
   * Called with each run that cannot be resumed, also with those in `failed`. Such a run is tried again when it has new
   * records, or if its store has failed.
   */
  readonly onFailed?: ((unrecovered: FailedResume) => void) | undefined;
}

/** Result of {@link resumeAll}. */
export interface ResumedRuns {
  readonly runs: readonly Run<unknown>[];
  readonly failed: readonly FailedResume[];
  /** Runs that other processes have. With `watch` they are resumed as soon as they are free. */
  readonly waiting: readonly Waiting[];
  /** Resumes no more runs. Resolves when no resume is in progress. Runs that were resumed continue. */
  readonly stop: () => Promise<void>;
}

/**
 * Resumes every unfinished run that no process works on. Call it at the start of a program.
 *
 * A killed process of the same machine is known to be gone, so its runs resume at once. Other processes hold their runs until
 * their leases expire, 30 seconds after the last renewal; these runs are in `waiting`.
 *
 * @param pipelines Matched to runs by name. Runs of other pipelines are left alone.
 */
export async function resumeAll(
  given: RunStore,
  pipelines: readonly (Pipeline<unknown, never> | Pipeline<unknown>)[],
  options: ResumeAllOptions = {},
): Promise<ResumedRuns> {
  checkOptions(options, 'resume runs', ['watch', 'onRun', 'onFailed']);
  checkPipelines(pipelines, 'resume runs');
  const store = patientStore(given);
  const { watch = false, onRun, onFailed, ...resuming } = options;
  const byName = new Map(pipelines.map((pipeline) => [pipeline.name, pipeline]));
  /** Number of records that a run had when it could not be resumed. */
  const refused = new Map<string, number>();
  const state = { stopped: false };

  async function look(): Promise<Omit<ResumedRuns, 'stop'>> {
    const [runs, failed, waiting]: [Run<unknown>[], FailedResume[], Waiting[]] = [[], [], []];
    for (const listed of (await store.runs({ status: ['running'] })).toReversed()) {
      const { runId, seq } = listed;
      const parent = await parentState(store, runId);
      if (parent === 'ended' && !heldIn(listed) && listed.damage === undefined) {
        await endOfTurn();
        await cancelOrphan(store, runId, resuming);
        continue;
      }
      const pipeline = byName.get(listed.pipeline);
      if (!pipeline || state.stopped || refused.get(runId) === seq) continue;
      // A run that a task has started is resumed by its parent.
      if (parent === 'running') continue;
      const before = heldIn(listed);
      if (before) {
        if (before.holder !== thisHolder()) waiting.push(before);
        continue;
      }
      // Each run has a turn of its own, as its records are replayed. Everything else in this process comes in between.
      await endOfTurn();
      if (state.stopped) continue;
      try {
        // Runs are resumed one after the other. Another process may take one in between.
        const run = await resumeRun(store, runId, pipeline, resuming);
        runs.push(run);
        callSafely('resumeAll', () => onRun?.(run));
      } catch (error) {
        const taken = await takenBy(error, store, runId);
        if (taken) waiting.push(taken);
        if (isBenign(error)) continue;
        if (!isStoreError(error)) refused.set(runId, seq);
        failed.push({ runId, error });
        callSafely('resumeAll', () => onFailed?.({ runId, error }));
      }
    }
    return { runs, failed, waiting };
  }

  const first = await look();
  const stop =
    watch === false
      ? () => Promise.resolve()
      : lookRepeatedly(look, first.waiting, {
          everyMs: watch === true ? EVERY_MS : Math.max(LEAST_MS, watch),
          clock: options.clock,
          signal: options.signal,
          state,
        });
  return { ...first, stop };
}

// --- internal ---

/** Milliseconds between looks for free runs. */
const EVERY_MS = 5000;
const LEAST_MS = 10;

/** Milliseconds after its expiry at which a lease is checked: it is still valid in the instant of its expiry. */
const PAST_MS = 1;

interface Watching {
  readonly everyMs: number;
  readonly clock: (Clock & { now?(): number }) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly state: { stopped: boolean };
}

/** Repeats looks for free runs. @returns A function that ends them, and resolves when no look is in progress. */
function lookRepeatedly(
  look: () => Promise<Pick<ResumedRuns, 'waiting'>>,
  first: readonly Waiting[],
  { everyMs, clock = globalThis, signal, state }: Watching,
): () => Promise<void> {
  let looking: Promise<void> = Promise.resolve();
  let timer: unknown;

  function setNext(waiting: readonly Waiting[]): void {
    if (state.stopped) return;
    const now = ('now' in clock ? clock.now?.() : undefined) ?? Date.now();
    const ends = waiting.map(({ until }) => until - now + PAST_MS).filter((ms) => ms > 0);
    timer = clock.setTimeout(again, Math.min(everyMs, ...ends));
  }

  function again(): void {
    // A store that fails now is read again at the next look.
    looking = look().then(
      ({ waiting }) => setNext(waiting),
      () => setNext([]),
    );
  }

  function stop(): Promise<void> {
    state.stopped = true;
    clock.clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    return looking;
  }

  function onAbort(): void {
    void stop();
  }

  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  setNext(first);
  return stop;
}
