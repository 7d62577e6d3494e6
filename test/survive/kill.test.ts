/**
 * Kills the process of a run at some batches of records, and at random instants. `npm run test:deep` kills it at
 * every batch.
 */
import { expect, it } from 'vitest';
import { sweep } from './kill/sweep.ts';

it('a run whose process was killed ends as one that was not', async () => {
  const report = await sweep({ every: 6, random: 6 });
  expect(report.problems).toEqual([]);
  expect(report.lost).toBe(0);
  // There must be enough kills, or the comparison proves nothing.
  expect(report.kills).toBeGreaterThan(15);
  expect(report.rerun).toBeGreaterThan(0);
  expect(report.whileOpen).toBeGreaterThan(2);
}, 300_000);
