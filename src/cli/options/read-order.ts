/**
 * The column by which `phasegate ls` sorts.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { runOrders, type RunOrder } from '../../projections/run/run-order.ts';

/** Reads the name of a column. @throws PhasegateError `INPUT_INVALID` */
export function readOrder(text: string): RunOrder {
  const found = runOrders.find((one) => one === text);
  if (found) return found;
  throw new PhasegateError('INPUT_INVALID', `Cannot list runs sorted by ${JSON.stringify(text.slice(0, MOST_SHOWN))}`, {
    hint: `Use one of ${runOrders.join(', ')}.`,
  });
}

// --- internal ---

/** Most characters of a refused name that a message repeats. */
const MOST_SHOWN = 80;
