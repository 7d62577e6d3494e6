/**
 * All recordings. One that is in a folder of journals is never changed: a changed one gets another name.
 *
 * @module
 */
import type { Recording } from './recording.ts';
import { back } from './recordings/back.ts';
import { ends } from './recordings/ends.ts';
import { fleets } from './recordings/fleet.ts';
import { gates } from './recordings/gates.ts';
import { limits } from './recordings/limits.ts';
import { people } from './recordings/people.ts';

/** By name, which is also that of the journal. */
export const recordings: ReadonlyMap<string, Recording> = new Map(
  [...gates, ...back, ...people, ...limits, ...ends, ...fleets].map((one) => [one.name, one]),
);
