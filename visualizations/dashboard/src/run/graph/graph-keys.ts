/**
 * The keyboard position in the graph.
 *
 * @module
 */
import { createContext } from 'react';

/** The keyboard position. */
export interface Keys {
  /** The index of the phase in the plan. */
  readonly current: number;
  /** The number of keyboard moves. After each, the phase takes the focus when it is rendered. */
  readonly moves: number;
}

/** The keyboard position. */
export const KeysContext = createContext<Keys>({ current: 0, moves: 0 });
