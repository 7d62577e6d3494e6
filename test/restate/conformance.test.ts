import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStore, startRun, type Pipeline } from '../../src/index.ts';
import type { RunEvent } from '../../src/records.ts';
import { restateRuns } from '../../src/restate.ts';
import { casesOf, runnable } from '../conformance/case.ts';
import { expectCase } from '../conformance/expect-case.ts';
import { play, type Played, type RunCase, type Runner } from '../conformance/play.ts';
import { untilOver } from './compare.ts';
import { serverMissing, startRestate, startWorker, type RestateServer } from './server.ts';

const missing = serverMissing();
if (missing !== undefined) console.warn(`Skipped: ${missing}`);

describe.skipIf(missing !== undefined).each([
  ['in normal mode', {}],
  ['with every handler replayed', { RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT: '0s' }],
])('conformance: run on Restate %s', (_mode, env) => {
  let server: RestateServer;
  let cases = 0;

  beforeAll(async () => {
    server = await startRestate(env);
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
    const played = await play(one, onRestate);
    expectCase(one, played);
    // Handlers of a case count their calls, so it is played from the beginning.
    const { events } = await play(one, inOneProcess);
    expect(byPhase(played.events)).toEqual(byPhase(events));
  });
});

// --- internal ---

async function inOneProcess(pipeline: Parameters<Runner>[0]): ReturnType<Runner> {
  const run = startRun(pipeline, { runId: 'run-1', store: memoryStore() });
  const events: RunEvent[] = [];
  for await (const { event } of run) events.push(event);
  return { events, result: await run.result };
}

/**
 * The events of each task, phase and of the run, as independent phases and parallel tasks may interleave. Stacks of errors are left out, and so are
 * `readTasks`: docs/scaling.md says that a phase on Restate counts as having read all outputs of a predecessor.
 */
function byPhase(events: readonly RunEvent[]): unknown {
  const phases: Record<string, unknown[]> = {};
  for (const event of events) {
    const text = JSON.stringify(event, (key, value: unknown) =>
      key === 'stack' || key === 'readTasks' ? undefined : value,
    );
    const task = 'task' in event ? `/${event.task}` : '';
    (phases[`${'phase' in event ? event.phase : ''}${task}`] ??= []).push(JSON.parse(text));
  }
  return phases;
}
