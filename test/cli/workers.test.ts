/** Several workers on one store, some of which are killed. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { approve, readRun, verifyRun } from '../../src/index.ts';
import { answerItem } from '../../src/inbox.ts';
import { postgresStore } from '../../src/postgres.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import type { RunStore } from '../../src/store.ts';
import { PhasegateError } from '../../src/model/errors/phasegate-error.ts';
import { serverMissing, startServer } from '../postgres/server.ts';
import { files, phasegate, says, start } from './cli.ts';

/** Each task appends its run to the file `ran`. */
const PIPELINE = `
import { definePipeline, human, phase, task } from 'phasegate';
import { appendFileSync } from 'node:fs';
const work = (name) => task(name, { run: async ({ run }) => {
  appendFileSync(new URL('ran', import.meta.url), name + ' ' + run + '\\n');
  await new Promise((resolve) => setTimeout(resolve, 30));
  return run;
} });
const draft = phase('draft', { tasks: [work('write')], review: human({ question: 'Good?' }) });
const print = phase('print', { after: [draft], tasks: [work('set')] });
export default definePipeline({ name: 'essay', phases: [draft, print] });
`;

const RUNS = 12;
const KILLS = 3;

describe('workers that are killed lose no run, and no other does again what was committed', () => {
  it('in a file', async () => {
    const cwd = await files({ 'p.mjs': PIPELINE });
    await survive(cwd, sqliteStore(join(cwd, '.phasegate/runs.db')), {});
  }, 180_000);

  const missing = serverMissing();
  it.skipIf(missing)(
    `in a database, whose server is killed as well${missing === undefined ? '' : ` (${missing})`}`,
    async () => {
      const server = await startServer();
      onTestFinished(() => server.remove());
      const cwd = await files({ 'p.mjs': PIPELINE });
      const store = postgresStore({ connectionString: server.address });
      await survive(cwd, store, { PHASEGATE_STORE: server.address }, () => server.restart());
    },
    180_000,
  );
});

/** @param onKill Called after each kill of a worker. */
async function survive(
  cwd: string,
  store: RunStore,
  env: Readonly<Record<string, string>>,
  onKill: () => Promise<void> = async () => undefined,
): Promise<void> {
  const ids = Array.from({ length: RUNS }, (_, at) => `run-${at}`);
  for (const id of ids) await phasegate(['run', 'p.mjs', '--detach', '--run-id', id], { cwd, env });
  const hire = () => {
    const worker = start(['work', 'p.mjs', '--concurrency', '4', '--json'], { cwd, env });
    // Before that, a signal ends it as any other process.
    return { ...worker, begun: says(worker, 'works on runs of') };
  };
  const workers = [hire(), hire(), hire()];
  let kills = 0;
  let answers = 0;
  const completed = async () => (await store.runs({ status: ['completed'] })).length;
  while ((await completed()) < RUNS) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const { id } of await store.inbox({ open: true })) answers += await answered(store, id);
    const [first] = workers;
    // One that is at work is killed, and another takes its place.
    if (kills < KILLS && answers > kills * 3 && first) {
      await first.begun;
      first.child.kill('SIGKILL');
      await first.ended;
      workers.shift();
      workers.push(hire());
      kills += 1;
      await onKill();
    }
  }
  await Promise.all(workers.map(async ({ begun }) => begun));
  for (const { child } of workers) child.kill('SIGTERM');
  for (const { ended } of workers) expect(await ended).toMatchObject({ code: 0 });
  expect(kills).toBe(KILLS);
  expect(answers).toBe(RUNS);
  const ran = (await readFile(join(cwd, 'ran'), 'utf8')).trimEnd().split('\n');
  for (const id of ids) {
    const records = await readRun(store, id);
    expect(records.filter(({ event }) => event.type === 'task.completed').map(({ runId }) => runId)).toEqual([id, id]);
    expect(await verifyRun(store, id)).toMatchObject({ problems: [] });
  }
  // Only work of a killed process is done again: at most four runs each.
  expect(new Set(ran).size).toBe(2 * RUNS);
  expect(ran.length - 2 * RUNS).toBeLessThanOrEqual(4 * KILLS);
  await store.close();
}

/** Approves an item. @returns 1 if this answer was the first. */
async function answered(store: RunStore, id: string): Promise<number> {
  try {
    await answerItem(store, id, { type: 'decide', decision: approve() });
    return 1;
  } catch (error) {
    if (PhasegateError.is(error) && error.code === 'ANSWERED') return 0;
    throw error;
  }
}
