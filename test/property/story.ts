/**
 * The full account of a scenario.
 *
 * @module
 */
import { expect } from 'vitest';
import type { Scenario } from '../reference/scenario.ts';
import { simulate } from '../reference/simulate.ts';
import { account } from './account.ts';
import { difference } from './compare.ts';
import { drive } from './drive.ts';
import { brokenInvariants } from './invariants.ts';

/**
 * Asserts that the runtime and the reference agree on a scenario. @returns Its account.
 *
 * @param isLeftOut Lines that the text omits, although they are compared. @default those of tasks and reviews
 */
export async function story(given: Scenario, isLeftOut = / (?:task|review)\./u): Promise<string> {
  const expected = simulate(given);
  const run = await drive(given);
  expect(expected.collided).toBe(false);
  expect(difference(account(run.records), expected.lines)).toBeNull();
  expect(brokenInvariants(given, run)).toEqual([]);
  expect(run.refused).toEqual([]);
  const told = expected.lines.filter((one) => !isLeftOut.test(one));
  return `\n${told.join('\n')}\n`;
}
