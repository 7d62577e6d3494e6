/**
 * The process that is killed: `child.ts <store> <effects> <acknowledged> <skew> <when>`. Starts the run, or goes on with it.
 *
 * `when` is `before:n` or `after:n`, for the nth batch that it keeps, or `never`. `skew` is what it adds to the time when it
 * looks at leases, so that it need not wait until that of a killed process has expired.
 */
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { PhasegateError, resumeRun, startRun, type RunStore } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/store.ts';
import { effectsIn, survivor } from './pipeline.ts';

const [file = '', effects = '', acknowledged = '', skew = '0', when = 'never'] = process.argv.slice(2);
const store = killing(sqliteStore(file, { now: () => Date.now() + Number(skew) }));
const pipeline = survivor(effectsIn(effects));

try {
  const run = (await store.run('r'))
    ? await resumeRun(store, 'r', pipeline)
    : startRun(pipeline, { store, runId: 'r', input: null });
  writeSync(1, `${JSON.stringify(await run.result)}\n`);
} catch (error) {
  // It was killed after the last record.
  if (!PhasegateError.is(error) || error.code !== 'RUN_ENDED') throw error;
}
await store.close();

/** A store that kills the process, and notes what it has acknowledged. */
function killing(good: RunStore): RunStore {
  const fd = openSync(acknowledged, 'a');
  let count = 0;
  return {
    ...good,
    append(batch, lease) {
      count += 1;
      if (when === `before:${count}`) process.kill(process.pid, 'SIGKILL');
      const kept = good.append(batch, lease);
      writeSync(fd, `${batch.records.at(-1)?.seq}\n`);
      fsyncSync(fd);
      if (when === `after:${count}`) process.kill(process.pid, 'SIGKILL');
      return kept;
    },
  };
}
