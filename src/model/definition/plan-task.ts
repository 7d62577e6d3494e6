/**
 * Tasks and reviewers as data.
 *
 * @module
 */
import { questionOf } from '../handlers/human.ts';
import type { AnyTask } from '../handlers/task.ts';
import type { TaskPlan } from '../plan/plan.ts';
import { namesOf } from './shorthand.ts';

/** Milliseconds per try of a task without a `timeout`: one hour. */
export const DEFAULT_TIMEOUT = 3_600_000;

/** Returns a valid task without its functions, frozen. @param previous The task before it, if tasks run one after the other. */
export function planTask({ name, options }: AnyTask, previous?: AnyTask): TaskPlan {
  const after = namesOf(options.after);
  const plan = {
    after: listOf(previous ? [...new Set([...after, previous.name])] : after),
    attempts: options.retry?.attempts ?? 1,
    backoff: options.retry?.backoff ? Object.freeze({ ...options.retry.backoff }) : NOTHING,
    description: options.description ?? '',
    estimate: options.estimate ? Object.freeze({ ...options.estimate }) : NOTHING,
    name,
    timeout: timeoutOf(options),
  };
  return Object.freeze(options.version === undefined ? plan : { ...plan, version: options.version });
}

/** Freezes names. All empty lists are one, as most lists of most plans are empty. */
export function listOf(names: readonly string[]): readonly string[] {
  return names.length === 0 ? NONE : Object.freeze(names);
}

// --- internal ---

const NONE: readonly never[] = Object.freeze([]);
const NOTHING = Object.freeze({});

/** People have the time that their question gives, and a run has that of its own tasks. */
function timeoutOf(options: AnyTask['options']): number {
  if (questionOf(options)) return 0;
  return options.timeout ?? (options.pipeline ? 0 : DEFAULT_TIMEOUT);
}
