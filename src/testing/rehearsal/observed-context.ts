/**
 * The context of a handler, observed.
 *
 * @module
 */
import type { TaskContext } from '../../model/handlers/task.ts';

/** Functions that take the place of those of a context, and values that are noted when a handler reads them. */
export interface Observer {
  readonly report: TaskContext['report'];
  readonly wait: TaskContext['wait'];
  readonly onPrompt: (prompt: string) => void;
}

/** Returns a context that behaves like the given one. It is a proxy, as contexts compute their parts on demand. */
export function observedContext(context: TaskContext, { report, wait, onPrompt }: Observer): TaskContext {
  let isNoted = false;
  return new Proxy(context, {
    get(target, key) {
      if (key === 'report') return report;
      if (key === 'wait') return wait;
      // Accessors of a context need the context itself.
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'prompt' && !isNoted) {
        isNoted = true;
        onPrompt(String(value));
      }
      return value;
    },
  });
}
