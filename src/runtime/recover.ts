/**
 * Runs that were left when a program ended.
 *
 * @module
 */
import type { Clock } from '../machines/phase/clock.ts';
import type { Pipeline } from '../model/definition/define.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { holderIsAlive, thisHolder } from '../store/holder.ts';
import { workOn } from '../store/lease-holder.ts';
import type { ListedRun, RunStore } from '../store/port.ts';
import { resumeRun, type ResumeOptions } from './resume.ts';
import type { Run } from './run.ts';

/** A run that could not be recovered. */
export interface Unrecovered {
  readonly runId: string;
  readonly error: unknown;
}

/** A run that another process has: it lives, or nobody can tell yet that it does not. */
export interface Waiting {
  readonly runId: string;
  /** Milliseconds since 1970: when the right of that process ends, if it does not renew it. */
  readonly until: number;
  /** Who has it. */
  readonly holder: string;
}

/** Options of {@link recoverAll}. */
export interface RecoverOptions extends ResumeOptions {
  /**
   * Goes on to look for runs that have become free, and takes them up, until `stop()` is called or `signal` is aborted. The process
   * lives for that. Milliseconds between looks, 10 at least, or `true` for 5000; it looks earlier if a lease is about to expire.
   *
   * @default false
   */
  readonly watch?: boolean | number | undefined;
  /** Called with each run that goes on, also with those in `runs`. It must not throw. */
  readonly onRun?: ((run: Run<unknown>) => void) | undefined;
  /** Called with each run that cannot go on, also with those in `failed`. It is tried again when it has changed, or if its store has failed. */
  readonly onFailed?: ((unrecovered: Unrecovered) => void) | undefined;
}

/** What has become of the runs that were left. */
export interface Recovery {
  readonly runs: readonly Run<unknown>[];
  readonly failed: readonly Unrecovered[];
  /** Runs that others have. With `watch` they are taken up as soon as they are free. */
  readonly waiting: readonly Waiting[];
  /** Takes up no more runs. Resolves when none is being taken up any more. Runs that go on are left alone. */
  readonly stop: () => Promise<void>;
}

/**
 * Goes on with every run that has not ended and that no process works on: for the start of a program.
 *
 * A process of the same machine that was killed is known to be gone, and its runs go on at once. Others keep their runs until their
 * leases expire, 30 seconds after the last sign of life; these runs are in `waiting`.
 *
 * @param pipelines Found by their names. Runs of others are left alone.
 */
export async function recoverAll(
  store: RunStore,
  pipelines: readonly (Pipeline<unknown, never> | Pipeline<unknown>)[],
  options: RecoverOptions = {},
): Promise<Recovery> {
  const { watch = false, onRun, onFailed, ...resuming } = options;
  const byName = new Map(pipelines.map((pipeline) => [pipeline.name, pipeline]));
  /** How many records a run had when it could not go on. */
  const refused = new Map<string, number>();
  const state = { stopped: false };

  async function look(): Promise<Omit<Recovery, 'stop'>> {
    const [runs, failed, waiting]: [Run<unknown>[], Unrecovered[], Waiting[]] = [[], [], []];
    for (const listed of (await store.runs({ status: ['running'] })).toReversed()) {
      const { runId, seq } = listed;
      const pipeline = byName.get(listed.pipeline);
      if (!pipeline || state.stopped || refused.get(runId) === seq) continue;
      const before = heldIn(listed);
      if (before) {
        if (before.holder !== thisHolder()) waiting.push(before);
        continue;
      }
      try {
        // One after the other: a run that another process takes meanwhile is not ours.
        const run = await resumeRun(store, runId, pipeline, resuming);
        runs.push(run);
        tellSafely(() => onRun?.(run));
      } catch (error) {
        const taken = await takenBy(error, store, runId);
        if (taken) waiting.push(taken);
        if (isBenign(error)) continue;
        if (!isOfStore(error)) refused.set(runId, seq);
        failed.push({ runId, error });
        tellSafely(() => onFailed?.({ runId, error }));
      }
    }
    return { runs, failed, waiting };
  }

  const first = await look();
  const stop =
    watch === false
      ? () => Promise.resolve()
      : lookAgain(look, first.waiting, {
          everyMs: watch === true ? EVERY_MS : Math.max(LEAST_MS, watch),
          clock: options.clock,
          signal: options.signal,
          state,
        });
  return { ...first, stop };
}

// --- internal ---

/** Milliseconds between looks for runs that have become free. */
const EVERY_MS = 5000;
const LEAST_MS = 10;

/** Milliseconds that a lease is past its end when it is looked at again: it holds in the instant of its end. */
const PAST_MS = 1;

interface Watching {
  readonly everyMs: number;
  readonly clock: (Clock & { now?(): number }) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly state: { stopped: boolean };
}

/** @returns Ends it, and resolves when nothing of it goes on. */
function lookAgain(
  look: () => Promise<Pick<Recovery, 'waiting'>>,
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
    // A store that cannot be asked now is asked again.
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

/** Who has a run, if somebody must be waited for: a process that lives keeps its run even when its lease has expired. */
function heldIn(run: ListedRun): Waiting | undefined {
  const work = workOn(run, holderIsAlive);
  if (work.state === 'free' || work.state === 'gone') return undefined;
  const { holder, expiresAt: until } = work.lease;
  return { runId: run.runId, until, holder };
}

/** Who has taken a run in the meantime. */
async function takenBy(error: unknown, store: RunStore, runId: string): Promise<Waiting | undefined> {
  if (!PhasegateError.is(error) || error.code !== 'RUN_LEASED') return undefined;
  const run = await store.run(runId);
  return run && heldIn(run);
}

/** Others were first: they go on with the run, or have brought it to its end. */
function isBenign(error: unknown): boolean {
  return PhasegateError.is(error) && (error.code === 'RUN_LEASED' || error.code === 'RUN_ENDED');
}

/** The store has failed, and may be repaired: nothing is known of the run. */
function isOfStore(error: unknown): boolean {
  return PhasegateError.is(error) && error.code.startsWith('STORE_');
}

/** What the program does with a run must not keep others from going on. */
function tellSafely(tell: () => void): void {
  try {
    tell();
  } catch (thrown) {
    console.error('phasegate: a listener of recoverAll() has thrown:', thrown);
  }
}
