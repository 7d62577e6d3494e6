/**
 * Outputs of a phase that record which tasks a reader has read.
 *
 * @module
 */

import type { Outputs } from '../handlers/task.ts';
import { byName } from '../values/by-name.ts';

/** The key of the method that Node calls to inspect an object. */
export const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Wraps outputs with a getter for each task. JSON, copies, clones and loops call the getters. Listing the names of tasks is not a read, as
 * the names are those of the definition.
 *
 * @param note Called with a task each time its output is read.
 */
export function notedOutputs(outputs: Outputs, note: (task: string) => void): Outputs {
  const shown = byName<unknown>();
  const tasks = Object.keys(outputs);
  for (const task of tasks) {
    const get = () => {
      note(task);
      return outputs[task];
    };
    Object.defineProperty(shown, task, { get, enumerable: true });
  }
  const show = () => {
    for (const task of tasks) note(task);
    return outputs;
  };
  return Object.freeze(Object.defineProperty(shown, INSPECT, { value: show }));
}
