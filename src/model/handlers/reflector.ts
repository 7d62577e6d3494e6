/**
 * Types of reflect calls, by which a phase learns from a rejected attempt.
 *
 * @module
 */
import type { AnyTask, Inputs, Outputs, TaskContext, TaskRevision } from './task.ts';

/** The context of a reflect call: that of a task, and the rejected attempt. */
export interface ReflectContext<O = Outputs, I = Inputs, In = unknown> extends TaskContext<I, O, In> {
  /** The descriptions of the phase's tasks, without any revision. */
  readonly prompt: string;
  /** Outputs of the rejected attempt, by task; empty if there are none. The same as `context`. */
  readonly outputs: O;
  /** The feedback that rejected it. */
  readonly feedback: string;
  /** The feedback with the required change, the issues, and every earlier correction. */
  readonly revision: TaskRevision;
  /** The number of the rejected attempt, 0-based; `attempt` is the one that is about to run. */
  readonly rejected: number;
  /** Earlier reflections, oldest first: of this run, and from memory of earlier runs. At most 3. */
  readonly reflections: readonly string[];
}

interface ReflectFunctions<O, I, In> {
  reflect(context: ReflectContext<O, I, In>): string | Promise<string>;
}

/** A reflect function. It returns advice for the next attempt, and the reason for it, or a promise of that. */
export type ReflectFunction<O = Outputs, I = Inputs, In = unknown> = ReflectFunctions<O, I, In>['reflect'];

/** A reflect call: a function, or a task whose output is text. */
export type Reflector<O = Outputs, I = Inputs, In = unknown> = ReflectFunction<O, I, In> | AnyTask;
