/**
 * A process that resumes a run, and is killed as soon as the end of a run is stored: `dying.ts <store> <the run that ends> <holder>`. An
 * empty holder is this process.
 */
import { resumeRun } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/sqlite.ts';
import type { RunStore } from '../../../src/store.ts';
import { outer, RUN } from './pipelines.ts';

const [path = '', ends = '', holder = ''] = process.argv.slice(2);
const kept = sqliteStore(path);
const store: RunStore = {
  ...kept,
  async append(batch, lease) {
    await kept.append(batch, lease);
    if (batch.runId === ends && batch.info.status !== 'running') process.kill(process.pid, 'SIGKILL');
  },
};
const run = await resumeRun(store, RUN, outer, { whileWaiting: 'suspend', ...(holder !== '' && { holder }) });
await run.result;
