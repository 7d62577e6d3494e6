/** Random runs with people, who answer twice, on stores that fail, compared with the same runs without faults. */
import { expect, it } from 'vitest';
import { ALL_FAULTS } from './faults.ts';
import { withoutWarnings } from './quiet.ts';
import { sweep, SWEEP_MS } from './sweep.ts';

withoutWarnings();

it(
  'a run with people ends as if nothing had happened to its store, and one answer of each two counts',
  async () => {
    const { faults, processes, runs, repeated } = await sweep(
      { people: true, children: true },
      { share: 0.5, seed: 32 },
    );
    expect([...faults.keys()].toSorted()).toEqual(ALL_FAULTS);
    expect(processes).toBeGreaterThan(2 * runs);
    expect(repeated).toBeGreaterThan(0);
  },
  SWEEP_MS,
);
