/**
 * Warnings that would otherwise repeat with each answer.
 *
 * @module
 */
import type { TaskContext } from '../../model/handlers/task.ts';

/** Reports a warning for a task. */
export type WarnOnce = (context: Pick<TaskContext, 'run' | 'report'>, code: string, message: string) => void;

/** Creates a function that reports each warning once in a run. */
export function createWarnOnce(): WarnOnce {
  let given = new Set<string>();
  return ({ run, report }, code, message) => {
    const key = `${run} ${code} ${message}`;
    if (given.has(key)) return;
    // Forgets old warnings, as a process may have any number of runs.
    if (given.size >= MOST) given = new Set();
    given.add(key);
    report({ warning: { code, message } });
  };
}

// --- internal ---

const MOST = 1000;
