/**
 * Warnings that would say the same at each answer.
 *
 * @module
 */
import type { TaskContext } from '../../model/handlers/task.ts';

/** Warns on behalf of a task. */
export type WarnOnce = (context: Pick<TaskContext, 'run' | 'report'>, code: string, message: string) => void;

/** A function that gives each warning once in a run. */
export function createWarnOnce(): WarnOnce {
  let given = new Set<string>();
  return ({ run, report }, code, message) => {
    const key = `${run} ${code} ${message}`;
    if (given.has(key)) return;
    // A process may see any number of runs.
    if (given.size >= MOST) given = new Set();
    given.add(key);
    report({ warning: { code, message } });
  };
}

// --- internal ---

const MOST = 1000;
