/**
 * The process that is killed: `child.ts <store> <acknowledged> <skew> <agent> <ground>`. It starts the fleet, or resumes it.
 *
 * `skew` is added to the time when it examines leases, so that the lease of a killed process counts as expired.
 *
 * @module
 */
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { PhasegateError, resumeRun, startRun } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/sqlite.ts';
import type { RunStore } from '../../../src/store.ts';
import { fleetOf, type Ground } from './fleet.ts';

const [file = '', acknowledged = '', skew = '0', agent = '', ground = '{}'] = process.argv.slice(2);
const store = noting(sqliteStore(file, { now: () => Date.now() + Number(skew) }));
const pipeline = fleetOf(JSON.parse(ground) as Ground, agent);
writeSync(1, 'begun\n');
try {
  const run = (await store.run('r'))
    ? await resumeRun(store, 'r', pipeline)
    : startRun(pipeline, { store, runId: 'r' });
  const { status, reason } = await run.result;
  writeSync(1, `${status}${reason === null ? '' : `: ${reason}`}\n`);
} catch (error) {
  // The previous process was killed after the last record.
  if (!PhasegateError.is(error) || error.code !== 'RUN_ENDED') throw error;
}
await store.close();

/** Wraps a store, and writes down acknowledged records. */
function noting(good: RunStore): RunStore {
  const fd = openSync(acknowledged, 'a');
  return {
    ...good,
    append(batch, lease) {
      const kept = good.append(batch, lease);
      writeSync(fd, `${batch.records.at(-1)?.seq}\n`);
      fsyncSync(fd);
      return kept;
    },
  };
}
