/**
 * Runs made of fake phases whose outputs and verdicts are lists, on simulated time, told as readable lines.
 *
 * @module
 */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { SimulatedClock } from 'xstate';
import {
  definePipeline,
  phase,
  startRun,
  task,
  type Check,
  type Clock,
  type Inputs,
  type Limits,
  type PhaseOptions,
  type PipelineOptions,
  type Policy,
  type ReviewContext,
  type ReviewOptions,
  type Run,
  type RunOptions,
  type RunRecord,
  type RunResult,
  type Task,
  type TaskContext,
} from '../src/index.ts';
import { lineOf, type Detail } from './line.ts';
import { whatIsToldOtherwise } from './told-again.ts';

/** One scripted answer: a value, an `Error` to be thrown, or a function of the context that the handler is given. */
export type Script = unknown;

/** What `fake` takes: the lists, and any option of the gate. */
export interface FakeOptions extends Omit<ReviewOptions, 'by'> {
  readonly after?: readonly string[];
  /** One entry per execution; after the last, `<name> <number of the execution>`. */
  readonly outputs?: readonly Script[];
  /** One entry per review; after the last, `APPROVE`. Absent means no reviewer. */
  readonly verdicts?: readonly Script[];
  /** Several reviewers with their lists, in place of `verdicts`. */
  readonly reviewers?: Readonly<Record<string, readonly Script[]>>;
  readonly input?: PhaseOptions<[], []>['input'];
  /** Real tasks, in place of the one named `work`. */
  readonly tasks?: readonly Task[];
  readonly mode?: PhaseOptions<[], []>['mode'];
  readonly subscribe?: readonly string[];
}

/** A phase of the rig, with everything its handlers were given. */
export interface Fake {
  readonly definition: ReturnType<typeof phase>;
  readonly calls: readonly TaskContext[];
  readonly prompts: readonly string[];
  readonly reviews: readonly ReviewContext[];
}

/** What a run of the rig takes beside its phases. */
export interface PlayOptions {
  readonly policy?: Policy;
  readonly limits?: Limits;
  readonly concurrency?: number;
  readonly schema?: PipelineOptions<[]>['input'];
  readonly run?: Omit<RunOptions, 'clock'>;
  /** What happens once a line was told, and nothing else is left to do without it. Each time the line appears. */
  readonly when?: Readonly<Record<string, (run: Run) => unknown>>;
  /** Which events are told beside those of phases and of the run. */
  readonly detail?: readonly Detail[];
  /** Puts the simulated milliseconds in front of lines. */
  readonly timed?: boolean;
  /** Time that the work shares. @default a time of its own */
  readonly time?: SimulatedTime;
}

/** A run that has ended. */
export interface Played {
  readonly lines: readonly string[];
  readonly records: readonly RunRecord[];
  readonly result: RunResult;
  readonly run: Run;
  /** Timers that are still set. */
  readonly timers: () => number;
  /** Lets simulated time pass. */
  readonly wait: (ms: number) => Promise<void>;
}

/** A phase with one task, `work`, and the reviewers that it is given. */
export function fake(name: string, options: FakeOptions = {}): Fake {
  const { after = [], outputs = [], verdicts, reviewers, input, tasks, mode, subscribe, checks, ...gate } = options;
  const calls: TaskContext[] = [];
  const prompts: string[] = [];
  const reviews: ReviewContext[] = [];
  const work = task('work', {
    description: `do ${name}`,
    run: (context: TaskContext) => {
      calls.push(context);
      prompts.push(context.prompt);
      return perform(outputs, calls.length, `${name} ${calls.length}`, context);
    },
  });
  const lists = reviewers ?? (verdicts ? { review: verdicts } : {});
  const by = Object.entries(lists).map(([reviewer, list]) => {
    let asked = 0;
    return task(reviewer, {
      run: (context: ReviewContext) => {
        reviews.push(context);
        asked += 1;
        return perform(list, asked, 'APPROVE', context);
      },
    });
  });
  const gated = by.length > 0 || checks !== undefined;
  const definition = phase(name, {
    after,
    tasks: (tasks ?? [work]) as readonly [],
    ...(input && { input }),
    ...(mode && { mode }),
    ...(subscribe && { subscribe }),
    ...(gated && { review: { ...gate, by: by as never, ...(checks && { checks }) } }),
  });
  return { definition, calls, prompts, reviews };
}

/** A pipeline of one phase, `a`, with one task. */
export function oneTask(work: Task<string, unknown, Inputs>, more: { readonly limits?: Limits } = {}) {
  return definePipeline({ name: 'p', phases: [phase('a', { tasks: [work] })], ...more });
}

/** Runs fake phases to the end; throws where nothing happens any more and the run has not ended. */
export async function play(phases: readonly Fake[], options: PlayOptions = {}): Promise<Played> {
  const { policy, limits, concurrency, schema, when = {}, detail = [], timed = false } = options;
  const pipeline = definePipeline({
    name: 'rig',
    phases: phases.map((one) => one.definition),
    ...(policy && { policy }),
    ...(limits && { limits }),
    ...(concurrency !== undefined && { concurrency }),
    ...(schema && { input: schema }),
  });
  const { time = simulatedTime() } = options;
  const run = startRun(pipeline, { ...options.run, clock: time.clock });
  const records: RunRecord[] = [];
  const lines: string[] = [];
  const due: (() => unknown)[] = [];
  run.events$.subscribe((record) => {
    records.push(record);
    const line = lineOf(record.event, detail);
    if (line === undefined) return;
    lines.push(timed ? `${record.time} ${line}` : line);
    const react = when[line];
    if (react) due.push(() => react(run));
  });
  const result = await drive(run, time, due, lines);
  if (!result.error && result.status !== 'suspended') expect(whatIsToldOtherwise(pipeline, records, result)).toBeNull();
  return { lines, records, result, run, timers: () => time.pending(), wait: (ms) => time.pass(ms) };
}

/** The lines of a run of fake phases. */
export async function trace(phases: readonly Fake[], options: PlayOptions = {}): Promise<readonly string[]> {
  return (await play(phases, options)).lines;
}

/** Drives a run on simulated time to its end, and does what is due whenever nothing else happens. */
export async function drive(
  run: Pick<Run, 'result' | 'cancel'>,
  time: SimulatedTime,
  due: (() => unknown)[] = [],
  lines: readonly string[] = [],
): Promise<RunResult> {
  let result: RunResult | undefined;
  void run.result.then((value) => (result = value));
  for (let patience = PATIENCE; ; patience -= 1) {
    await idle();
    if (result) return result;
    const next = due.shift();
    if (next) await next();
    if (next || time.advance()) patience = PATIENCE;
    else if (patience === 0) {
      run.cancel('the rig gave up');
      throw new Error(`The run hangs after:\n${lines.join('\n')}`);
    }
  }
}

/** Simulated time: the clock for a run, and the ways to move it. */
export interface SimulatedTime {
  readonly clock: Clock & { now(): number };
  /** Timers that are set. */
  pending(): number;
  /** Moves to the next timer and fires it; false where none is set. */
  advance(): boolean;
  /** Lets so many milliseconds pass. */
  pass(ms: number): Promise<void>;
}

/** Time that stands still until it is moved, by XState's own simulated clock. */
export function simulatedTime(): SimulatedTime {
  const inner = new SimulatedClock();
  const set = new Map<unknown, number>();
  const clock = {
    now: () => inner.now(),
    setTimeout(run: () => void, ms: number) {
      const timer = inner.setTimeout(() => {
        set.delete(timer);
        run();
      }, ms);
      set.set(timer, inner.now() + ms);
      return timer;
    },
    clearTimeout(timer: unknown) {
      set.delete(timer);
      inner.clearTimeout(timer as number);
    },
  };
  function advance(): boolean {
    if (set.size === 0) return false;
    inner.set(Math.min(...set.values()));
    return true;
  }
  return {
    clock,
    pending: () => set.size,
    advance,
    async pass(ms) {
      const end = inner.now() + ms;
      while (Math.min(...set.values()) <= end && advance()) await idle();
      inner.set(end);
      await idle();
    },
  };
}

/** Resolves when everything that can go on without a timer has gone on. */
export async function idle(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Work that ends when the test says so. */
export interface Held {
  /** An entry for a list of outputs or verdicts. */
  readonly script: (context: TaskContext) => Promise<unknown>;
  readonly release: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
  /** The signal that the handler was given. */
  readonly signal: () => AbortSignal | undefined;
}

/** Work that ends when the test says so, and does not heed its signal. */
export function held(): Held {
  let release: (value: unknown) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const end = new Promise<unknown>((resolve, reject) => {
    release = resolve;
    fail = reject;
  });
  let signal: AbortSignal | undefined;
  return {
    script: (context) => {
      ({ signal } = context);
      return end;
    },
    release: (value) => release(value),
    fail: (error) => fail(error),
    signal: () => signal,
  };
}

/** An entry that never ends and does not heed its signal. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** An entry that ends with an error of its own once its signal is aborted. */
export function untilAborted({ signal }: Pick<TaskContext, 'signal'>): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
  });
}

/** A check that answers from a list; after the last it passes. */
export function fakeCheck(name: string, answers: readonly Script[]): Check {
  let asked = 0;
  return {
    name,
    run: (context) => {
      asked += 1;
      return perform(answers, asked, true, context) as ReturnType<Check['run']>;
    },
  };
}

// --- internal ---

/** Rounds in which nothing happens, before a run is said to hang: real work, such as a store's, may take some. */
const PATIENCE = 20;

function perform(list: readonly Script[], number: number, otherwise: unknown, context: unknown): unknown {
  const script = number <= list.length ? list[number - 1] : otherwise;
  if (script instanceof Error) throw script;
  return typeof script === 'function' ? (script as (context: unknown) => unknown)(context) : script;
}
