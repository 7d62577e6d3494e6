/**
 * The performer of a script: takes the next step of each worker, does it, and notes it for the trace.
 *
 * @module
 */
import { hasCode, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import type { Report, TaskContext } from '../../model/handlers/task.ts';
import { counted } from '../../model/values/counts.ts';
import { observedContext } from './observed-context.ts';
import { RealTime } from './real-time.ts';
import { fullName, type Cast, type StepSource } from './script.ts';
import type { Call } from './scripted-work.ts';
import { calledWith, Step } from './step.ts';
import { tracedEnd, type Done, type StepResult, type TraceStep } from './trace.ts';

/** The process that calls workers. */
export interface Process {
  readonly now: () => number;
  /** Records that earlier processes have stored. */
  readonly recorded: readonly RunRecord[];
  readonly isDead: () => boolean;
}

/** Performs the calls of workers. */
export class Performer {
  readonly done: Done = {
    tasks: new Map(),
    reviews: new Map(),
    checks: new Map(),
    reflections: new Map(),
    people: new Map(),
  };
  /** Prompts by kind and full name, one for each call that has one. */
  readonly prompts = new Map<string, string[]>();
  readonly #cast: Cast;
  readonly #stir: () => void;
  readonly #fail: (error: unknown) => void;
  /** Steps by call, so that an interrupted call takes the same step again. */
  readonly #taken = new Map<string, Step>();
  /** Places in the trace of calls that have ended. A call whose result was lost keeps its place. */
  readonly #ended = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  readonly #working = new Map<object, string>();

  /**
   * @param stir Called when a call begins, waits or ends.
   * @param fail Takes errors of the script.
   */
  constructor(cast: Cast, stir: () => void, fail: (error: unknown) => void) {
    this.#cast = cast;
    this.#stir = stir;
    this.#fail = fail;
  }

  /** The names of the workers whose functions work in real time now. */
  get working(): readonly string[] {
    return [...this.#working.values()];
  }

  /** Counts real time that is spent outside of workers, such as in a schema. @param name The name of it, for errors. */
  count<T>(name: string, work: Promise<T>): Promise<T> {
    const key = {};
    this.#working.set(key, name);
    return work.finally(() => {
      this.#working.delete(key);
      this.#stir();
    });
  }

  /** Returns a function that performs the calls of one process. */
  in(process: Process): (call: Call) => Promise<unknown> {
    const tries = new Map<string, number>();
    return async (call) => {
      if (process.isDead()) return never();
      this.#stir();
      const work = `${call.kind}/${call.context.idempotencyKey}`;
      const nth = tries.get(work) ?? triesBefore(process.recorded, call);
      tries.set(work, nth + 1);
      const key = `${work}#${nth}`;
      try {
        const value = await this.#perform(this.#stepOf(call, key), call, process, key);
        return process.isDead() ? await never() : value;
      } catch (error) {
        if (process.isDead()) return await never();
        if (!hasCode(error, 'SCRIPT_INVALID')) throw error;
        this.#fail(error);
        return await never();
      } finally {
        this.#stir();
      }
    };
  }

  /** Takes the next step of a person. @returns The step, and the list to note it in; `undefined` if the script has no such person. */
  person(about: string, task: string | undefined): { readonly step: Step; readonly done: TraceStep[] } | undefined {
    const source = this.#cast.person(about, task);
    if (!source) return undefined;
    const name = fullName(about, task);
    return { step: this.#next(`people/${source.name}`, source, name), done: listIn(this.done.people, name) };
  }

  #stepOf({ kind, phase, worker }: Call, key: string): Step {
    const known = this.#taken.get(key);
    if (known) return known;
    const source = this.#cast.worker(kind, phase, worker);
    const step = this.#next(`${kind}/${source.name}`, source, source.name);
    // A step that was interrupted is over: the next process has a step of its own.
    if (!step.isInterrupted) this.#taken.set(key, step);
    return step;
  }

  #next(counter: string, { steps }: StepSource, name: string): Step {
    const nth = this.#counts.get(counter) ?? 0;
    this.#counts.set(counter, nth + 1);
    const last = steps.at(-1);
    const step = steps[nth] ?? (last?.isRepeated ? last : undefined);
    if (step) return step;
    throw new PhasegateError(
      'SCRIPT_INVALID',
      `Cannot continue the rehearsal as "${name}" is needed once more, and its script ends after ${counted(steps.length, 'step')}`,
      { hint: 'Add a step, or let the last one be repeats(step).' },
    );
  }

  async #perform(step: Step, call: Call, process: Process, key: string): Promise<unknown> {
    const { kind, phase, worker, context } = call;
    const begun = process.now();
    const reported: Report[] = [];
    // The place is taken at the begin, so that the trace has the order of the calls. A call that is stopped stays silent.
    const list = listIn(this.done[kind], fullName(phase, worker));
    const place = this.#ended.get(key) ?? list.push({ silent: true, interrupted: true }) - 1;
    const note = (end: StepResult): void => {
      if (process.isDead()) return;
      list[place] = tracedEnd(end, process.now() - begun, reported);
      this.#ended.set(key, place);
    };
    const time = new RealTime(() => this.#stir(), this.#working, fullName(phase, worker));
    const own = observedContext(context, {
      report: (report) => {
        reported.push(report);
        // If the process dies now, only this is known of the call.
        if (!process.isDead()) list[place] = tracedEnd({ silent: true, interrupted: true }, 0, reported);
        context.report(report);
      },
      wait: (ms) => time.pause(context.wait(ms)),
      onPrompt: (prompt) => listIn(this.prompts, `${kind}/${fullName(phase, worker)}`).push(prompt),
    });
    // A scripted worker counts as one that reads its prompt.
    if (step.end.type !== 'defined' && kind !== 'checks') void own.prompt;
    try {
      const value = await this.#do(step, call, own, time);
      note(context.signal.aborted ? SILENT : { value });
      return value;
    } catch (error) {
      note(context.signal.aborted ? SILENT : { error });
      throw error;
    } finally {
      time.end();
    }
  }

  /** Does a step. A function may return another step, which is done then. */
  async #do(step: Step, call: Call, own: TaskContext, time: RealTime): Promise<unknown> {
    const { context } = call;
    for (const report of step.reports) own.report(report);
    if (step.afterMs > 0) await context.wait(step.afterMs);
    // The wait ends early if the call is stopped.
    if (context.signal.aborted) throw stopped();
    const value = await this.#endOf(step, call, own, time);
    return value instanceof Step ? this.#do(value, call, own, time) : value;
  }

  #endOf(step: Step, { defined, isChild, phase, worker }: Call, own: TaskContext, time: RealTime): unknown {
    const { end } = step;
    switch (end.type) {
      case 'value':
        return end.value;
      case 'call':
        return time.spend(() => calledWith(end.call, own));
      case 'error':
        throw end.error;
      case 'defined':
        if (isChild) throw childRefused(phase, worker);
        return time.spend(() => calledWith(defined, own));
      case 'silence':
      case 'skip':
      case 'abort':
        return untilAborted(own.signal);
    }
  }
}

// --- internal ---

const SILENT: StepResult = { silent: true };

/** The number of tries that earlier processes have ended in the attempt of a call. */
function triesBefore(records: readonly RunRecord[], { kind, phase, worker }: Call): number {
  const begun = records.findLastIndex(({ event }) => event.type === 'phase.started' && event.phase === phase);
  return records
    .slice(Math.max(0, begun))
    .filter(
      ({ event }) =>
        event.type === 'task.retrying' &&
        event.phase === phase &&
        event.task === worker &&
        event.reviewer === (kind === 'reviews' || kind === 'checks'),
    ).length;
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(stopped());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function stopped(): Error {
  return new Error('The scripted worker was stopped.');
}

function childRefused(phase: string, task: string): PhasegateError {
  return new PhasegateError(
    'SCRIPT_INVALID',
    `Cannot rehearse task "${fullName(phase, task)}" as it is defined, as it runs a pipeline of its own`,
    { hint: 'Script its output here, and rehearse that pipeline by itself.' },
  );
}
