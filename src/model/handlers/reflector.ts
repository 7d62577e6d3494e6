/**
 * Types of reflect calls: what a phase learns from an attempt that was rejected.
 *
 * @module
 */
import type { AnyTask, Inputs, Outputs, TaskContext, TaskRevision } from './task.ts';

/** What a reflect call is given: what a task is given, and what was rejected. */
export interface ReflectContext<O = Outputs, I = Inputs, In = unknown> extends TaskContext<I, O, In> {
  /** What the tasks of the phase were asked to do: their descriptions, without any revision. */
  readonly prompt: string;
  /** What the rejected attempt has put out, by task; empty where it put out nothing. The same as `context`. */
  readonly outputs: O;
  /** What was said against it. */
  readonly feedback: string;
  /** What was said against it, with the required change, the issues, and every earlier correction. */
  readonly revision: TaskRevision;
  /** The number of the rejected attempt, 0-based; `attempt` is the one that is about to run. */
  readonly rejected: number;
  /** What was learned before, oldest first: in this run, and from memory in earlier ones. At most 3. */
  readonly reflections: readonly string[];
}

interface ReflectFunctions<O, I, In> {
  reflect(context: ReflectContext<O, I, In>): string | Promise<string>;
}

/** A reflect function. It returns what is to be done otherwise, and why, or a promise of that. */
export type ReflectFunction<O = Outputs, I = Inputs, In = unknown> = ReflectFunctions<O, I, In>['reflect'];

/** A reflect call: a function, or a task whose output is a text. */
export type Reflector<O = Outputs, I = Inputs, In = unknown> = ReflectFunction<O, I, In> | AnyTask;
