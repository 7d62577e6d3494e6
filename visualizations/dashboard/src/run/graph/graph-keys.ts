/**
 * Which phase of the graph the keyboard is at.
 *
 * @module
 */
import { createContext } from 'react';

/** Where the keyboard is. */
export interface Keys {
  /** The place of the phase in the plan. */
  readonly current: number;
  /** How often keys have led somewhere; with each the phase takes the focus as soon as it is drawn. */
  readonly moves: number;
}

/** Where the keyboard is. */
export const KeysContext = createContext<Keys>({ current: 0, moves: 0 });
