/** Kills the process of a fleet at random instants. `npm run test:deep` does so more often. */
import { expect, it } from 'vitest';
import { sweepFleet } from './fleet/sweep.ts';

it('a fleet whose process was killed ends as one that was not, and leaves nothing', async () => {
  const report = await sweepFleet({ random: 3, seed: 7 });
  expect(report.problems).toEqual([]);
  // There must be something to lose, or the examination proves nothing.
  expect(report.kills).toBeGreaterThan(2);
  expect(report.kept).toBeGreaterThan(0);
}, 300_000);
