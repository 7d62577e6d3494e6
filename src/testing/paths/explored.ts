/**
 * States of the model that a search has come to, each with its decisions. Paths share their beginnings, so no step is taken twice.
 *
 * @module
 */
import { actsOf, nextToDecide } from '../decisions/acts.ts';
import { isSameAct, type Act } from '../decisions/decision.ts';
import type { Setting } from '../decisions/setting.ts';
import { stateKeys, type PathState } from '../decisions/state.ts';
import { step } from '../decisions/step.ts';
import type { Move } from './timeline.ts';

/** A state, and all that can be decided in it. */
interface Explored {
  /** The phase or the limit that decides next; `undefined` if the run has ended. */
  readonly about: string | undefined;
  readonly acts: readonly Act[];
  /** Decisions that were made, by their places in `acts`. */
  readonly moves: Map<number, Move>;
}

/** The states of a search. It counts the steps of the model. */
export class ExploredStates {
  readonly #setting: Setting;
  // No weak maps: with so many entries they take most of the time of a garbage collection.
  readonly #known = new Map<PathState, Explored>();
  readonly #keyOf = stateKeys();
  readonly #keys = new Map<PathState, number>();
  #steps = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** Steps of the model that were taken. */
  get steps(): number {
    return this.#steps;
  }

  /** Returns what can be decided in a state. */
  at(state: PathState): Explored {
    const known = this.#known.get(state);
    if (known) return known;
    const about = nextToDecide(this.#setting, state);
    const acts = about === undefined ? [] : actsOf(this.#setting, state, about);
    const made: Explored = { about, acts, moves: new Map() };
    this.#known.set(state, made);
    return made;
  }

  /** Returns the number of a state, which is equal for equal states. Its length makes it costly, so it is computed once. */
  keyOf(state: PathState): number {
    const key = this.#keys.get(state) ?? this.#keyOf(state);
    this.#keys.set(state, key);
    return key;
  }

  /** Makes a decision that is possible in a state. */
  move(state: PathState, act: Act): Move {
    const { acts, moves } = this.at(state);
    const place = acts.findIndex((one) => isSameAct(one, act));
    const known = moves.get(place);
    if (known) return known;
    this.#steps += 1;
    const made: Move = { act, step: step(this.#setting, state, act) };
    moves.set(place, made);
    return made;
  }
}
