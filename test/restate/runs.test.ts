import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePipeline, human, phase, task } from '../../src/index.ts';
import { restateRuns, type RestateRuns, type RunReport } from '../../src/restate.ts';
import { serverMissing, startRestate, startWorker, type RestateServer, type Worker } from './server.ts';

const missing = serverMissing();
if (missing !== undefined) console.warn(`Skipped: ${missing}`);

const article = definePipeline({
  name: 'article',
  phases: [
    phase('research', {
      tasks: [task('notes', { run: ({ revision }) => `notes ${revision?.feedback ?? ''}` })],
      review: { by: task('editor', { run: ({ attempt }) => (attempt === 0 ? 'RETRY: Name a number.' : 'APPROVE') }) },
    }),
    phase('writing', {
      after: ['research'],
      tasks: [task('draft', { run: ({ inputs }) => `draft of ${JSON.stringify(inputs['research'])}` })],
      review: { by: task('owner', { run: human({ question: 'Good?' }) }) },
    }),
  ],
});

describe.skipIf(missing !== undefined).each([
  ['in normal mode', {}],
  ['with every handler replayed', { RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: '0s' }],
])('a run on Restate %s', (_, env: Readonly<Record<string, string>>) => {
  let server: RestateServer;
  let worker: Worker;
  let runs: RestateRuns;

  beforeAll(async () => {
    server = await startRestate(env);
    worker = await startWorker({ pipelines: [article] });
    await server.register(worker.uri);
    runs = restateRuns({ ingress: server.ingress });
  });

  afterAll(async () => {
    await worker?.stop();
    await server?.remove();
  });

  it('retries with feedback, and waits for a person without an open invocation', async () => {
    expect(await runs.start(article, { runId: 'first' })).toBe('started');
    const waiting = await until(runs, 'first', ({ inbox }) => inbox.length > 0);
    const [item] = waiting.inbox;
    await runs.answer('first', item?.id ?? '', { type: 'decide', decision: 'APPROVE' });
    const ended = await until(runs, 'first', ({ status }) => status !== 'running');
    expect(ended.result).toMatchObject({ status: 'completed' });
  });
});

// --- internal ---

async function until(runs: RestateRuns, runId: string, holds: (report: RunReport) => boolean): Promise<RunReport> {
  let report: RunReport | undefined;
  await expect.poll(async () => holds((report = await runs.get(runId))), { interval: 50 }).toBe(true);
  if (!report) throw new Error('There is no report.');
  return report;
}
