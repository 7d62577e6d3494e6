/**
 * A process that resumes a run, and is killed as soon as the end of a run, or its demand of a new start of a phase, is stored; or before it
 * acquires a run after an end: `dying.ts <store> <end|invalidated|acquire> <run> <holder>`. An empty holder is this process.
 */
import { resumeRun } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/sqlite.ts';
import type { RunStore } from '../../../src/store.ts';
import { book, outer, RUN } from './pipelines.ts';

const [path = '', when = '', fatal = '', holder = ''] = process.argv.slice(2);
let hasEnded = false;
const kept = sqliteStore(path);
const store: RunStore = {
  ...kept,
  append(batch, lease) {
    // It stores the batch before it returns.
    const stored = kept.append(batch, lease);
    const types = new Set(batch.records.map(({ event }) => event.type));
    hasEnded ||= types.has('run.ended');
    const isLast =
      (when === 'end' && types.has('run.ended')) || (when === 'invalidated' && types.has('phase.invalidated'));
    if (batch.runId === fatal && isLast) process.kill(process.pid, 'SIGKILL');
    return stored;
  },
  async acquire(runId, ...given) {
    if (when === 'acquire' && hasEnded && runId === fatal) process.kill(process.pid, 'SIGKILL');
    return kept.acquire(runId, ...given);
  },
};
const pipeline = when === 'invalidated' ? book : outer;
const run = await resumeRun(store, RUN, pipeline, { whileWaiting: 'suspend', ...(holder !== '' && { holder }) });
await run.result;
