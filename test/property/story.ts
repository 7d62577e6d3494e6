/**
 * The story of a scenario, in full.
 *
 * @module
 */
import { expect } from 'vitest';
import type { Scenario } from '../reference/scenario.ts';
import { simulate } from '../reference/simulate.ts';
import { account } from './account.ts';
import { difference } from './compare.ts';
import { drive } from './drive.ts';
import { brokenPromises } from './invariants.ts';

/**
 * What happened, once it is sure that the runtime and the reference agree on it.
 *
 * @param isLeftOut Lines that are left out of the text, not out of the comparison. @default those of tasks and reviews
 */
export async function story(given: Scenario, isLeftOut = / (?:task|review)\./u): Promise<string> {
  const expected = simulate(given);
  const run = await drive(given);
  expect(expected.collided).toBe(false);
  expect(difference(account(run.records), expected.lines)).toBeNull();
  expect(brokenPromises(given, run)).toEqual([]);
  expect(run.refused).toEqual([]);
  const told = expected.lines.filter((one) => !isLeftOut.test(one));
  return `\n${told.join('\n')}\n`;
}
