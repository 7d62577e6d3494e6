/**
 * Inputs of work that is done away from the run: they note which ancestors a handler reads.
 *
 * @module
 */
import type { Inputs } from '../../model/handlers/task.ts';
import { byName } from '../../model/values/by-name.ts';

/** Returns inputs that call back at the first read of each ancestor. */
export function notedInputs(inputs: Inputs, onRead: (source: string) => void): Inputs {
  const read = new Set<string>();
  const noted: Record<string, Inputs[string]> = byName();
  for (const [name, outputs] of Object.entries(inputs)) {
    Object.defineProperty(noted, name, {
      enumerable: true,
      configurable: true,
      get() {
        if (!read.has(name)) onRead(name);
        read.add(name);
        return outputs;
      },
    });
  }
  return noted;
}
