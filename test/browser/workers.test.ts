/**
 * A dashboard of a database with two workers, one of which is killed while somebody looks.
 *
 * @module
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readHolder } from '../../src/store/holder.ts';
import { postgresStore } from '../../src/postgres.ts';
import { files, phasegate, says, start } from '../cli/cli.ts';
import { serverMissing, startServer } from '../postgres/server.ts';
import { serveOn } from './dashboard.ts';
import { openTab } from './tab.ts';

/** Its second task ends once the file `go` is there. */
const PIPELINE = `
import { definePipeline, phase, task } from 'phasegate';
import { existsSync } from 'node:fs';
const plan = phase('plan', { tasks: [task('think', { run: async () => 'a plan' })] });
const build = phase('build', { after: [plan], tasks: [task('work', { async run({ signal }) {
  while (!existsSync(new URL('go', import.meta.url)) && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 20));
  return 'built';
} })] });
export default definePipeline({ name: 'house', phases: [plan, build] });
`;

const missing = serverMissing();

describe.skipIf(missing)(`a database with two workers${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('shows how one of them goes on with the run of the other, which was killed', async () => {
    const server = await startServer();
    onTestFinished(() => server.remove());
    const cwd = await files({ 'p.mjs': PIPELINE });
    const env = { PHASEGATE_STORE: server.address };
    const store = postgresStore({ connectionString: server.address });
    onTestFinished(async () => store.close());
    const workers = [1, 2].map(() => start(['work', 'p.mjs'], { cwd, env }));
    await Promise.all(workers.map((worker) => says(worker, 'works on runs of')));
    const { url } = await serveOn(store);
    const { page } = await openTab(url);
    await page.getByRole('link', { name: 'Runs' }).click();
    await phasegate(['run', 'p.mjs', '--detach', '--run-id', 'r'], { cwd, env });
    await page.getByRole('link', { name: 'house', exact: true }).click();
    const graph = page.getByRole('application', { name: /^Graph of the phases/u });
    await graph.getByRole('button', { name: /^build running/u }).waitFor();

    const pidOf = async () => readHolder((await store.run('r'))?.lease?.holder ?? '')?.pid;
    const first = await pidOf();
    const killed = workers.find(({ child }) => child.pid === first);
    const other = workers.find(({ child }) => child.pid !== first);
    expect(killed).toBeDefined();
    killed?.child.kill('SIGKILL');
    await expect.poll(pidOf).toBe(other?.child.pid);
    await writeFile(join(cwd, 'go'), '');
    await page.getByRole('heading', { level: 1, name: /house.*completed/u }).waitFor();
    await graph.getByRole('button', { name: /^build approved/u }).waitFor();
    const records = await store.read('r');
    expect(records.flatMap(({ event }) => (event.type === 'task.completed' ? event.task : []))).toEqual([
      'think',
      'work',
    ]);
  });
});
