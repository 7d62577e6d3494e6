/**
 * The number of all paths, and all of them if they are few.
 *
 * @module
 */
import { actsOf, nextToDecide } from '../decisions/acts.ts';
import type { Setting } from '../decisions/setting.ts';
import { stateKeys, type PathState } from '../decisions/state.ts';
import { begin, step } from '../decisions/step.ts';
import type { Move } from './timeline.ts';

/** The number of paths of a pipeline. */
export interface PathCount {
  readonly paths: bigint;
  /** False if there are more: the states are too many to count, or decisions of people repeat without end. */
  readonly isExact: boolean;
  /** True if a state can be reached again from itself. */
  readonly isEndless: boolean;
  /** Number of states. */
  readonly states: number;
}

/** Counts the paths of a pipeline from state to state. */
export function countPaths(setting: Setting, maxStates = MOST_STATES): PathCount {
  const counts = new Map<number, bigint>();
  const open = new Set<number>();
  let isExact = true;
  let isEndless = false;
  let sum = 0n;
  const keyOf = stateKeys();
  const first = begin(setting).state;
  const stack = [frameOf(setting, first, keyOf(first))];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    open.add(frame.key);
    const next = frame.next.pop();
    if (!next) {
      counts.set(frame.key, frame.sum);
      open.delete(frame.key);
      stack.pop();
      const parent = stack.at(-1);
      if (parent) parent.sum += frame.sum;
      else sum = frame.sum;
      continue;
    }
    const key = keyOf(next);
    const known = next.ended === null ? counts.get(key) : 1n;
    if (known !== undefined) frame.sum += known;
    else if (open.has(key)) isEndless = true;
    else if (counts.size + stack.length >= maxStates) {
      // Each state has a path to the end.
      isExact = false;
      frame.sum += 1n;
    } else stack.push(frameOf(setting, next, key));
    if (isEndless) break;
  }
  return { paths: isEndless ? 0n : sum, isExact: isExact && !isEndless, isEndless, states: counts.size };
}

/** Lists all paths. @throws RangeError if one is longer than `maxSteps`. */
export function allPaths(setting: Setting, maxSteps: number): readonly (readonly Move[])[] {
  const found: (readonly Move[])[] = [];
  const walk = (state: PathState, moves: readonly Move[]): void => {
    const about = nextToDecide(setting, state);
    if (about === undefined) {
      found.push(moves);
      return;
    }
    for (const act of moves.length < maxSteps ? actsOf(setting, state, about) : []) {
      const made = step(setting, state, act);
      walk(made.state, [...moves, { act, step: made }]);
    }
  };
  walk(begin(setting).state, []);
  return found;
}

// --- internal ---

/** Most states that are counted. */
const MOST_STATES = 10_000;

/** A state during counting. */
interface Frame {
  readonly key: number;
  /** States after the decisions that are not counted yet. */
  readonly next: PathState[];
  sum: bigint;
}

function frameOf(setting: Setting, state: PathState, key: number): Frame {
  const about = nextToDecide(setting, state);
  const acts = about === undefined ? [] : actsOf(setting, state, about);
  return { key, next: acts.map((act) => step(setting, state, act).state), sum: about === undefined ? 1n : 0n };
}
