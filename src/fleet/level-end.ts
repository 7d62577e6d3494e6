/**
 * The end of a level of which a subtask has failed: the others end first.
 *
 * @module
 */
import { isRetryable } from '../actors/work/run-task.ts';
import type { RetryPolicy, TaskContext } from '../model/handlers/task.ts';
import { countOf } from '../model/plan/policy.ts';

/** Does the work of one try of a subtask. If its last try fails, the error is thrown once the others have ended. */
export type LevelEnd = <T>(context: TaskContext, work: () => Promise<T>) => Promise<T>;

/** Makes a {@link LevelEnd} for the subtasks of one level. @param retry The tries of each subtask. */
export function createLevelEnd(retry: RetryPolicy): LevelEnd {
  const attempts = new Map<string, Workers>();
  return async (context, work) => {
    const key = attemptOf(context);
    const workers = attempts.get(key) ?? { tasks: new Set(), waiting: new Set() };
    attempts.set(key, workers);
    workers.tasks.add(context.task);
    try {
      const result = await work();
      leave(workers, context);
      return result;
    } catch (error) {
      // Between two tries it is still at work.
      if (!context.signal.aborted && hasNext(context, retry, error)) throw error;
      leave(workers, context);
      await othersOf(workers, context.signal);
      throw error;
    } finally {
      if (workers.tasks.size === 0) attempts.delete(key);
    }
  };
}

// --- internal ---

/** The subtasks of one attempt that have not ended. */
interface Workers {
  readonly tasks: Set<string>;
  readonly waiting: Set<() => void>;
}

/** Identifies the attempt, as the key of a task is that of the attempt with the name of the task. */
function attemptOf({ idempotencyKey }: TaskContext): string {
  return idempotencyKey.slice(0, idempotencyKey.lastIndexOf('/'));
}

function hasNext({ try: number }: TaskContext, { attempts = 1, retryable }: RetryPolicy, error: unknown): boolean {
  return number < countOf(attempts) && isRetryable({ retryable }, error);
}

function leave({ tasks, waiting }: Workers, { task }: TaskContext): void {
  tasks.delete(task);
  if (tasks.size === 0) for (const go of waiting) go();
}

/** Waits until no subtask of the attempt is at work, or the attempt is over. */
function othersOf({ tasks, waiting }: Workers, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (tasks.size === 0 || signal.aborted) resolve();
    else {
      waiting.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    }
  });
}
