/**
 * A process that works on a run is killed at some batches that it keeps, and at random instants. `npm run test:deep` kills it at
 * every batch.
 */
import { expect, it } from 'vitest';
import { sweep } from './kill/sweep.ts';

it('goes on with every run whose process was killed as if it had not been', async () => {
  const report = await sweep({ every: 6, random: 6 });
  expect(report.problems).toEqual([]);
  expect(report.lost).toBe(0);
  // Else it has proved nothing.
  expect(report.kills).toBeGreaterThan(15);
  expect(report.rerun).toBeGreaterThan(0);
  expect(report.whileOpen).toBeGreaterThan(2);
}, 300_000);
