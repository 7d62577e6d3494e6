/**
 * Outputs of a phase as its readers see them, so that it is known which tasks were read.
 *
 * @module
 */

import type { Outputs } from '../handlers/task.ts';
import { byName } from '../values/by-name.ts';

/** The name of the function that Node asks for what it shows of an object. */
export const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * The same outputs with a getter for each. JSON, copies, clones and loops call those; the names of tasks alone say nothing, as they are those of
 * the definition.
 *
 * @param note Told of a task each time its output is read.
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
