/**
 * A process that works on a run is killed at every batch that it keeps, and at random instants: `scripts/kill-sweep.ts` does
 * more of it.
 */
import { expect, it } from 'vitest';
import { sweep } from './kill/sweep.ts';

it('goes on with every run whose process was killed as if it had not been', async () => {
  const report = await sweep({ random: 20 });
  expect(report.problems).toEqual([]);
  expect(report.lost).toBe(0);
  // Else it has proved nothing.
  expect(report.kills).toBeGreaterThan(50);
  expect(report.rerun).toBeGreaterThan(10);
  expect(report.whileOpen).toBeGreaterThan(2);
}, 300_000);
