/**
 * Runs of fake phases with scripted outputs and verdicts, on simulated time, as readable lines.
 *
 * @module
 */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  definePipeline,
  phase,
  startRun,
  task,
  type Check,
  type Inputs,
  type Limits,
  type PhaseOptions,
  type PipelineOptions,
  type Policy,
  type ReviewContext,
  type ReviewOptions,
  type Run,
  type RunOptions,
  type RunResult,
  type Task,
  type TaskContext,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import { VirtualClock } from '../src/testing/rehearsal/virtual-clock.ts';
import { lineOf, type Detail } from './line.ts';
import { replayDifference } from './replay-difference.ts';

/** One scripted answer: a value, an `Error` to throw, or a function of the handler's context. */
export type Script = unknown;

/** The options of `fake`: the scripts, and any option of the gate. */
export interface FakeOptions extends Omit<ReviewOptions, 'by'> {
  readonly after?: readonly string[];
  /** One entry per execution; after the last, `<name> <number of the execution>`. */
  readonly outputs?: readonly Script[];
  /** One entry per review; after the last, `APPROVE`. No reviewer if absent. */
  readonly verdicts?: readonly Script[];
  /** Several reviewers with their scripts, in place of `verdicts`. */
  readonly reviewers?: Readonly<Record<string, readonly Script[]>>;
  readonly input?: PhaseOptions<[], []>['input'];
  /** Real tasks, in place of the one named `work`. */
  readonly tasks?: readonly Task[];
  readonly mode?: PhaseOptions<[], []>['mode'];
  readonly subscribe?: readonly string[];
}

/** A phase of the rig, with the contexts of its handlers. */
export interface Fake {
  readonly definition: ReturnType<typeof phase>;
  readonly calls: readonly TaskContext[];
  readonly prompts: readonly string[];
  readonly reviews: readonly ReviewContext[];
}

/** The options of `play` in addition to the phases. */
export interface PlayOptions {
  readonly policy?: Policy;
  readonly limits?: Limits;
  readonly concurrency?: number;
  readonly schema?: PipelineOptions<[]>['input'];
  readonly run?: Omit<RunOptions, 'clock'>;
  /** Functions to call when a line has appeared and the run is otherwise idle, by line. Each occurrence counts. */
  readonly when?: Readonly<Record<string, (run: Run) => unknown>>;
  /** Events to show in addition to those of phases and of the run. */
  readonly detail?: readonly Detail[];
  /** True to put the simulated milliseconds before each line. @default false */
  readonly timed?: boolean;
  /** The time source of the work. @default a new one */
  readonly time?: SimulatedTime;
}

/** A run that has ended. */
export interface Played {
  readonly lines: readonly string[];
  readonly records: readonly RunRecord[];
  readonly result: RunResult;
  readonly run: Run;
  /** Returns the number of timers that are still set. */
  readonly timers: () => number;
  /** Advances simulated time. */
  readonly wait: (ms: number) => Promise<void>;
}

/** A phase with one task, `work`, and the given reviewers. */
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

/** Runs fake phases to the end. @throws if nothing happens any more and the run has not ended. */
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
  if (!result.error && result.status !== 'suspended') expect(replayDifference(pipeline, records, result)).toBeNull();
  return { lines, records, result, run, timers: () => time.pending(), wait: (ms) => time.pass(ms) };
}

/** Returns the lines of a run of fake phases. */
export async function trace(phases: readonly Fake[], options: PlayOptions = {}): Promise<readonly string[]> {
  return (await play(phases, options)).lines;
}

/** Drives a run on simulated time to its end. Calls the functions in `due` whenever it is idle. */
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

/** Simulated time: the clock for a run, and its controls. */
export interface SimulatedTime {
  readonly clock: VirtualClock;
  /** Returns the number of timers that are set. */
  pending(): number;
  /** Moves to the next timer and fires it. @returns False if none is set. */
  advance(): boolean;
  /** Advances time by a number of milliseconds. */
  pass(ms: number): Promise<void>;
}

/** Creates time that stands still until it is moved: the clock of the testing kit. @param now Its first moment. */
export function simulatedTime(now = 0): SimulatedTime {
  const clock = new VirtualClock();
  clock.set(now);
  return {
    clock,
    pending: () => clock.timers,
    advance: () => clock.step(),
    async pass(ms) {
      const end = clock.now() + ms;
      while (clock.next <= end && clock.step()) await idle();
      clock.set(end);
      await idle();
    },
  };
}

/** Resolves when everything that needs no timer is done. */
export async function idle(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Work that ends when the test says so. */
export interface Held {
  /** An entry for a script of outputs or verdicts. */
  readonly script: (context: TaskContext) => Promise<unknown>;
  readonly release: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
  /** Returns the signal of the handler. */
  readonly signal: () => AbortSignal | undefined;
}

/** Creates work that ends when the test says so, and ignores its signal. */
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

/** A script entry that never ends and ignores its signal. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** A script entry that fails with an error of its own once its signal is aborted. */
export function untilAborted({ signal }: Pick<TaskContext, 'signal'>): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
  });
}

/** A check that answers from a script; after the last entry it passes. */
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

/** The number of idle rounds before a run counts as hung. Real work, such as a store's, may take some. */
const PATIENCE = 20;

function perform(list: readonly Script[], number: number, otherwise: unknown, context: unknown): unknown {
  const script = number <= list.length ? list[number - 1] : otherwise;
  if (script instanceof Error) throw script;
  return typeof script === 'function' ? (script as (context: unknown) => unknown)(context) : script;
}
