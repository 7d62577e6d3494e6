/**
 * The quick way to see that a phase has the right shape, for pipelines of thousands of phases.
 *
 * @module
 */
import { unstartable } from '../handlers/child-pipeline.ts';
import { isFields, type Fields } from '../values/json.ts';

/**
 * True if a phase only has the most common options, with values that `phaseShape` accepts as well. `phaseShape` decides about all
 * other phases: it makes a copy of each, which takes ten times as long.
 */
export function isPlainPhase(value: unknown): boolean {
  return isMade(value, 'phase') && isFields(value.options) && hasOnly(value.options, isPhaseOption, 'tasks');
}

/** True if a value is a list of right items. Unlike `every`, it sees empty places as `undefined`. */
export function isListOf(value: unknown, isRight: (item: unknown) => boolean): boolean {
  if (!Array.isArray(value)) return false;
  for (const item of value) if (!isRight(item)) return false;
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

/** True if an option is there, and each option is right. Inherited options count, as they do in `phaseShape`. */
function hasOnly(options: Fields, isRight: (name: string, value: unknown) => boolean, needed: string): boolean {
  if (options[needed] === undefined) return false;
  for (const name in options) if (!isRight(name, options[name])) return false;
  return true;
}

function isPhaseOption(name: string, value: unknown): boolean {
  if (name === 'tasks') return isListOf(value, isPlainTask);
  if (name === 'after') return isListOf(value, isName);
  return name === 'review' && typeof value === 'function';
}

function isPlainTask(value: unknown): boolean {
  return isMade(value, 'task') && isFields(value.options) && hasOnly(value.options, isTaskOption, 'run');
}

function isTaskOption(name: string, value: unknown): boolean {
  if (name === 'run') return typeof value === 'function' && value !== unstartable;
  if (name === 'description') return typeof value === 'string';
  return name === 'after' && isListOf(value, isName);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' || isMade(value, 'phase');
}
