import { describe, it } from 'vitest';
import { casesOf, runnable } from './case.ts';
import { foldRun, resultOf } from '../../src/projections/run/run-view.ts';
import type { Pipeline } from '../../src/index.ts';
import { simulatedTime } from '../rig.ts';
import { runBySteps } from '../steps/stepper.ts';
import { expectCase } from './expect-case.ts';
import { play, type Played, type RunCase } from './play.ts';

describe.each([
  ['in one process', undefined],
  ['by steps', bySteps],
])('conformance: run %s', (_how, run) => {
  it.each(runnable(casesOf('runs') as readonly RunCase[], 'run'))('%s', async (_, one) => {
    expectCase(one, await play(one, run));
  });
});

// --- internal ---

async function bySteps(pipeline: Pipeline): Promise<Pick<Played, 'result' | 'events'>> {
  const records = await runBySteps(pipeline, { runId: 'run-1', clock: simulatedTime().clock });
  const view = foldRun();
  for (const record of records) view.apply(record);
  return { events: records.map(({ event }) => event), result: resultOf(view.snapshot()) };
}
