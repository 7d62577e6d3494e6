import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Pipeline } from '../../src/index.ts';
import { restateRuns } from '../../src/restate.ts';
import { casesOf, runnable } from '../conformance/case.ts';
import { expectCase } from '../conformance/expect-case.ts';
import { play, type Played, type RunCase } from '../conformance/play.ts';
import { untilOver } from './compare.ts';
import { serverMissing, startRestate, startWorker, type RestateServer } from './server.ts';

const missing = serverMissing();
if (missing !== undefined) console.warn(`Skipped: ${missing}`);

describe.skipIf(missing !== undefined)('conformance: run on Restate', () => {
  let server: RestateServer;
  let cases = 0;

  beforeAll(async () => {
    server = await startRestate();
  });

  afterAll(() => server?.remove());

  async function onRestate(pipeline: Pipeline): Promise<Pick<Played, 'result' | 'events'>> {
    cases += 1;
    const name = `case${cases}`;
    const worker = await startWorker({ pipelines: [pipeline], name });
    await server.register(worker.uri);
    const runs = restateRuns({ ingress: server.ingress, name });
    await runs.start(pipeline, { runId: 'run-1' });
    const { result } = await untilOver(runs, 'run-1');
    const records = await runs.records('run-1');
    await worker.stop();
    return { events: records.map(({ event }) => event), result };
  }

  it.each(runnable(casesOf('runs') as readonly RunCase[], 'run'))('%s', async (_, one) => {
    expectCase(one, await play(one, onRestate));
  });
});
