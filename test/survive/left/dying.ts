/**
 * A process that resumes a run, and is killed as soon as the end of a run is stored, or before it acquires a run afterwards:
 * `dying.ts <store> <end|acquire> <run> <holder>`. An empty holder is this process.
 */
import { resumeRun } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/sqlite.ts';
import type { RunStore } from '../../../src/store.ts';
import { outer, RUN } from './pipelines.ts';

const [path = '', when = '', fatal = '', holder = ''] = process.argv.slice(2);
let hasEnded = false;
const kept = sqliteStore(path);
const store: RunStore = {
  ...kept,
  async append(batch, lease) {
    await kept.append(batch, lease);
    if (batch.info.status === 'running') return;
    hasEnded = true;
    if (when === 'end' && batch.runId === fatal) process.kill(process.pid, 'SIGKILL');
  },
  async acquire(runId, ...given) {
    if (when === 'acquire' && hasEnded && runId === fatal) process.kill(process.pid, 'SIGKILL');
    return kept.acquire(runId, ...given);
  },
};
const run = await resumeRun(store, RUN, outer, { whileWaiting: 'suspend', ...(holder !== '' && { holder }) });
await run.result;
