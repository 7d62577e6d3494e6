/**
 * Steps of a script: the acts of a worker or a person, one for each call.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';

/** The end of a step. */
export type StepEnd =
  | { readonly type: 'value'; readonly value: unknown }
  /** A function of the context, or of the item of the inbox, returns the value. */
  | { readonly type: 'call'; readonly call: (about: never) => unknown }
  /** The worker throws. */
  | { readonly type: 'error'; readonly error: unknown }
  /** Nobody ever answers. */
  | { readonly type: 'silence' }
  /** The function of the pipeline does the work. */
  | { readonly type: 'defined' }
  /** A person skips the phase, or ends the run. */
  | { readonly type: 'skip' | 'abort'; readonly reason?: string | undefined };

/** One act of a worker or a person. Made by `takes`, `fails`, `answers` and the other functions of this module. */
export class Step {
  readonly end: StepEnd;
  /** Virtual milliseconds before the end. */
  readonly afterMs: number;
  /** Reports before the end, as `context.report` takes them. */
  readonly reports: readonly Report[];
  /** The person who answers, for the records. */
  readonly by: string | undefined;
  /** True if it is also the step of every later call. */
  readonly isRepeated: boolean;
  /** True if the process died during it, in a trace. */
  readonly isInterrupted: boolean;

  constructor(end: StepEnd, more: StepMore = {}) {
    this.end = end;
    this.afterMs = more.afterMs ?? 0;
    this.reports = more.reports ?? [];
    this.by = more.by;
    this.isRepeated = more.isRepeated ?? false;
    this.isInterrupted = more.isInterrupted ?? false;
  }
}

/** Parts of a step besides its end. */
type StepMore = { readonly [K in keyof Omit<Step, 'end'>]?: Step[K] | undefined };

/** Returns the step that a value of a script stands for: a value or a function is one that ends at once. */
export function stepOf(given: unknown): Step {
  if (given instanceof Step) return given;
  return new Step(isFunction(given) ? { type: 'call', call: given } : { type: 'value', value: given });
}

/**
 * A step that takes virtual time.
 *
 * @param ms Milliseconds, from 0, in addition to those of the step.
 * @param step A value, a function of the context, or a step.
 */
export function takes(ms: number, step: unknown): Step {
  if (typeof ms !== 'number' || !(ms >= 0 && ms < Infinity))
    throw new RangeError(`Cannot script a step that takes ${String(ms)} milliseconds: pass a number from 0`);
  const { end, ...more } = stepOf(step);
  return new Step(end, { ...more, afterMs: more.afterMs + ms });
}

/** A step that throws. @param error An error, such as that of `needsRework()`, or its message. */
export function fails(error: unknown): Step {
  return new Step({ type: 'error', error: typeof error === 'string' ? new Error(error) : error });
}

/** A step that never ends: a worker waits until its signal is aborted, and a person does not answer. */
export function silent(): Step {
  return new Step({ type: 'silence' });
}

/** A step that reports before it ends, such as its usage: `reports({ costUsd: 0.2 }, 'draft')`. */
export function reports(report: Report, step: unknown): Step {
  const { end, ...more } = stepOf(step);
  return new Step(end, { ...more, reports: [report, ...more.reports] });
}

/** A step for this call and all later ones. For the end of a list. */
export function repeats(step: unknown): Step {
  const { end, ...more } = stepOf(step);
  return new Step(end, { ...more, isRepeated: true });
}

/** The work of the pipeline itself, for this call and all later ones. The rehearsal waits for it in real time. */
export function asDefined(): Step {
  return new Step({ type: 'defined' }, { isRepeated: true });
}

/** The answer of a person whose name is recorded. @param answer A decision, its text, or the output of a task. */
export function answers(answer: unknown, { by }: { readonly by?: string } = {}): Step {
  const { end, ...more } = stepOf(answer);
  return new Step(end, { ...more, by });
}

/** A person skips the phase, with all that need it. */
export function skips(reason?: string): Step {
  return new Step({ type: 'skip', reason });
}

/** A person ends the run. */
export function aborts(reason?: string): Step {
  return new Step({ type: 'abort', reason });
}

/** Calls the function of a step. A user who writes it knows its argument. */
export function calledWith(call: (about: never) => unknown, about: unknown): unknown {
  return Reflect.apply(call, undefined, [about]);
}

// --- internal ---

function isFunction(value: unknown): value is (about: never) => unknown {
  return typeof value === 'function';
}
