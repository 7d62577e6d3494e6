/**
 * A rehearsal that goes on: its processes, one after the other, and virtual time.
 *
 * @module
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import type { RunOutcome } from '../../projections/run/run-result.ts';
import type { Run, RunOptions } from '../../runtime/run.ts';
import { resumeRun, startRun } from '../../runtime/start.ts';
import { memoryStore } from '../../store/memory-store.ts';
import type { RunStore } from '../../store/port.ts';
import { readRun } from '../../store/read-run.ts';
import { processStore, type Crash } from './crash.ts';
import { People } from './people.ts';
import { Performer } from './performer.ts';
import { castOf, type Script } from './script.ts';
import { scriptedWork } from './scripted-work.ts';
import { StuckError } from './stuck-error.ts';
import { ProcessClock, VirtualClock } from './virtual-clock.ts';

/** A rehearsal that goes on. */
export class Rehearsing<O> {
  readonly performer: Performer;
  readonly #pipeline: Pipeline<O>;
  readonly #script: Script;
  readonly #clock = new VirtualClock();
  readonly #store = memoryStore();
  readonly #people: People;
  readonly #crashes: Crash[];
  readonly #stored = new Map<RunEvent['type'] | undefined, number>();
  #process: LiveProcess<O> | undefined;
  #result: RunOutcome<O> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #hasStirred = false;
  #onStir: () => void = () => undefined;

  constructor(pipeline: Pipeline<O>, script: Script) {
    this.#pipeline = pipeline;
    this.#script = script;
    this.#clock.set(START);
    const fail = (error: unknown): void => this.#fail(error);
    this.performer = new Performer(castOf(pipeline, script), () => this.#stir(), fail);
    this.#crashes = [...(script.crashes ?? [])];
    this.#people = new People(this.performer, this.#clock, fail);
  }

  /** Runs to the end. @throws PhasegateError as `rehearse` does. */
  async toEnd(): Promise<RunOutcome<O>> {
    this.#start();
    try {
      for (let timers = 0; timers <= MOST_TIMERS; timers += 1) {
        await this.#settle();
        if (this.#failure) throw this.#failure.error;
        if (this.#result) return this.#ended(this.#result);
        if (this.#process?.isDead()) await this.#resume();
        else if (!this.#people.answer(() => this.#process?.run) && !this.#clock.step())
          throw this.#stuck('nothing is left that could happen');
      }
      throw this.#stuck(`it has not ended after ${MOST_TIMERS} timers`);
    } finally {
      this.#process?.kill();
    }
  }

  #start(): void {
    const { input, limits, people, attended = people !== undefined } = this.#script;
    this.#open([], (pipeline, options) =>
      Promise.resolve(startRun(pipeline, { ...options, input, limits, attended, runId: RUN_ID })),
    );
  }

  /** All records of the run. */
  records(): Promise<readonly RunRecord[]> {
    return readRun(this.#store, RUN_ID);
  }

  /** Opens the run in a new process. */
  #open(recorded: readonly RunRecord[], begin: Begin<O>): void {
    const clock = new ProcessClock(this.#clock);
    const { store, isDead, die } = processStore(
      this.#store,
      () => this.#stir(),
      (types, isStored) => (isStored ? this.#isCrashAfter(types) : this.#isCrashBefore(types)),
    );
    const perform = this.performer.in({ now: () => this.#clock.now(), recorded, isDead });
    const live: LiveProcess<O> = {
      run: undefined,
      isDead,
      kill() {
        die();
        clock.clear();
        // The run finds its store dead, and lets go of all that it holds.
        live.run?.cancel('the process was killed');
      },
    };
    this.#process = live;
    const { performer } = this;
    const work = scriptedWork(this.#pipeline.work, perform, (name, checking) => performer.count(name, checking));
    const pipeline = { ...this.#pipeline, work };
    void this.#follow(live, begin(pipeline, { store, clock }));
  }

  async #follow(live: LiveProcess<O>, opening: Promise<Run<O>>): Promise<void> {
    try {
      live.run = await opening;
      this.#stir();
      const result = await live.run.result;
      if (!live.isDead()) this.#result = result;
    } catch (error) {
      if (!live.isDead()) this.#fail(error);
    }
    this.#stir();
  }

  /** Resumes the run in another process. A run without a record is started again. */
  async #resume(): Promise<void> {
    this.#process?.kill();
    if (!this.#stored.has(undefined)) return this.#start();
    const recorded = await this.records();
    this.#open(recorded, (pipeline, { store, ...options }) => resumeRun(store, RUN_ID, pipeline, options));
  }

  /** True if the process dies before it stores records. */
  #isCrashBefore(types: readonly RunEvent['type'][]): boolean {
    const counted = (of: Crash['type']): number =>
      (this.#stored.get(of) ?? 0) + types.filter((type) => of === undefined || type === of).length;
    return this.#take(({ isBefore, type, nth }) => isBefore === true && counted(type) >= nth);
  }

  /** Counts records that were stored. True if the process dies now. */
  #isCrashAfter(types: readonly RunEvent['type'][]): boolean {
    for (const type of types)
      for (const counted of [type, undefined]) this.#stored.set(counted, (this.#stored.get(counted) ?? 0) + 1);
    if ((this.#stored.get(undefined) ?? 0) > MOST_RECORDS)
      this.#fail(this.#stuck(`it has not ended after ${MOST_RECORDS} records`));
    const isDue = this.#take(({ isBefore, type, nth }) => !isBefore && (this.#stored.get(type) ?? 0) >= nth);
    // A run that has ended is not resumed.
    return isDue && !types.includes('run.ended');
  }

  /** Takes away the crashes that are due. @returns True if there are any. */
  #take(isDue: (crash: Crash) => boolean): boolean {
    const due = this.#crashes.filter(isDue);
    for (const crash of due) this.#crashes.splice(this.#crashes.indexOf(crash), 1);
    return due.length > 0;
  }

  /** @throws PhasegateError `SCRIPT_INVALID` if the run has ended before a crash: the rehearsal would show nothing about it. */
  #ended(result: RunOutcome<O>): RunOutcome<O> {
    const left = this.#crashes.find(({ mayMiss }) => !mayMiss);
    if (!left) return result;
    const { type = 'record', nth, isBefore } = left;
    throw new PhasegateError(
      'SCRIPT_INVALID',
      `Cannot crash ${isBefore ? 'before' : 'after'} ${type} number ${nth} as the run has ended (${result.status}) with ${this.#stored.get(left.type) ?? 0} of them`,
      { hint: 'Choose an earlier record.' },
    );
  }

  /** Resolves when the run waits for time, for a person, or for nothing. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS && !this.#failure; quiet += 1) {
      this.#hasStirred = false;
      await setImmediate();
      if (this.#hasStirred) quiet = 0;
      else if (quiet === QUIET_TURNS - 1 && this.performer.working.length > 0) {
        await this.#realTime();
        quiet = 0;
      }
    }
  }

  /** Waits until work in real time ends, or begins to wait for virtual time. */
  async #realTime(): Promise<void> {
    const { realTimeMs = REAL_TIME_MS } = this.#script;
    const late = new AbortController();
    const timer = setTimeout(realTimeMs, undefined, { signal: late.signal }).then(
      () =>
        this.#fail(
          this.#stuck(`${this.performer.working.join(', ')} works for more than ${realTimeMs} ms of real time`),
        ),
      () => undefined,
    );
    await Promise.race([timer, new Promise<void>((resolve) => (this.#onStir = resolve))]);
    late.abort();
  }

  #stir(): void {
    this.#hasStirred = true;
    this.#onStir();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stir();
  }

  #stuck(why: string): PhasegateError {
    return new StuckError(this.#pipeline.name, why, this.#process?.run);
  }
}

// --- internal ---

type Begin<O> = (
  pipeline: Pipeline<O>,
  options: Pick<RunOptions, 'clock'> & { readonly store: RunStore },
) => Promise<Run<O>>;

/** A process that works on the run. */
interface LiveProcess<O> {
  /** The run; `undefined` until it is open. */
  run: Run<O> | undefined;
  readonly isDead: () => boolean;
  /** Kills it: it stores nothing more, and none of its timers fires. */
  readonly kill: () => void;
}

/** Turns of the event loop without any call after which a run waits. */
const QUIET_TURNS = 5;

/** Most timers that fire in one rehearsal. */
const MOST_TIMERS = 100_000;

/** Most records of one rehearsal. A run that goes round without time passing would otherwise never return. */
const MOST_RECORDS = 20_000;

/** Milliseconds of real time that functions may work at a stretch. */
const REAL_TIME_MS = 10_000;

/** Virtual time of the start: 1 January 2026, so that dates of records are plausible. */
const START = Date.UTC(2026, 0, 1);

const RUN_ID = 'rehearsal';
