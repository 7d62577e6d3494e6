/**
 * The quick way to see that a phase has the right shape, for pipelines of thousands of phases.
 *
 * @module
 */
import { unstartable } from '../handlers/child-pipeline.ts';
import { isFields } from '../values/json.ts';

/**
 * True if a phase only has the most common options, with values that `phaseShape` accepts as well. `phaseShape` decides about all
 * other phases: it makes a copy of each, which takes ten times as long.
 */
export function isPlainPhase(value: unknown): boolean {
  if (!isMade(value, 'phase') || !isFields(value.options)) return false;
  // Inherited options count, as they do in `phaseShape`.
  for (const name in value.options) if (name !== 'tasks' && name !== 'after' && name !== 'review') return false;
  const { tasks, after, review } = value.options;
  if (review !== undefined && typeof review !== 'function') return false;
  return isListOf(tasks, isPlainTask) && (after === undefined || isListOf(after, isName));
}

/** True if a value is a list of right items. Unlike `every`, it sees empty places as `undefined`. */
export function isListOf(value: unknown, isRight: (item: unknown) => boolean): boolean {
  if (!Array.isArray(value)) return false;
  for (let at = 0; at < value.length; at++) if (!isRight(value[at])) return false;
  return true;
}

// --- internal ---

interface Made {
  readonly kind?: unknown;
  readonly name?: unknown;
  readonly options?: unknown;
}

function isMade(value: unknown, kind: string): value is Made {
  return isFields(value) && value['kind'] === kind && typeof value['name'] === 'string';
}

function isPlainTask(value: unknown): boolean {
  if (!isMade(value, 'task') || !isFields(value.options)) return false;
  for (const name in value.options) if (name !== 'run' && name !== 'description' && name !== 'after') return false;
  const { run, description, after } = value.options;
  if (typeof run !== 'function' || run === unstartable) return false;
  if (description !== undefined && typeof description !== 'string') return false;
  return after === undefined || isListOf(after, isName);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' || isMade(value, 'phase');
}
