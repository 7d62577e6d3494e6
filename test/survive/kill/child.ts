/**
 * The process that is killed, or stopped: `child.ts <store> <effects> <acknowledged> <skew> <when> [single]`. Starts the run,
 * or goes on with it.
 *
 * `when` is `before:n` or `after:n`, for the nth batch that it keeps, or `never`; then it kills itself. With `stop:` before
 * that it says so and waits to be stopped and continued, as it also can at `task:n`, where the nth task begins, and at
 * `open`, while a person is waited for. At `saying` it has said half of its result, as one has that is killed before anybody
 * has read that half. `skew` is what it adds to the time when it looks at leases, so that it need not wait until that of another
 * process has expired. With `single` each record is a batch.
 */
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { PhasegateError, resumeRun, startRun } from '../../../src/index.ts';
import type { RunStore } from '../../../src/store.ts';
import { sqliteStore } from '../../../src/sqlite.ts';
import { oneByOne } from './one-by-one.ts';
import { effectsIn, survivor, type Effects } from './pipeline.ts';
import { sleep } from './sleep.ts';

const [file = '', effects = '', acknowledged = '', skew = '0', when = 'never', size = ''] = process.argv.slice(2);
const killed = killing(sqliteStore(file, { now: () => Date.now() + Number(skew) }));
const store = size === 'single' ? oneByOne(killed) : killed;
const pipeline = survivor(counting(effectsIn(effects)));

try {
  const run = (await store.run('r'))
    ? await resumeRun(store, 'r', pipeline)
    : startRun(pipeline, { store, runId: 'r', input: null });
  const line = `${JSON.stringify(await run.result)}\n`;
  const half = line.length >> 1;
  writeSync(1, line.slice(0, half));
  at('saying');
  writeSync(1, line.slice(half));
} catch (error) {
  // It was killed after the last record.
  if (!PhasegateError.is(error) || error.code !== 'RUN_ENDED') throw error;
}
await store.close();

function at(moment: string): void {
  if (when === moment) process.kill(process.pid, 'SIGKILL');
  else if (when === `stop:${moment}`) sleep();
}

/** A store that has moments, and notes what it has acknowledged. */
function killing(good: RunStore): RunStore {
  const fd = openSync(acknowledged, 'a');
  let count = 0;
  let looks = 0;
  return {
    ...good,
    append(batch, lease) {
      count += 1;
      at(`before:${count}`);
      const kept = good.append(batch, lease);
      writeSync(fd, `${batch.records.at(-1)?.seq}\n`);
      fsyncSync(fd);
      at(`after:${count}`);
      return kept;
    },
    async messages(runId, after) {
      if ((await good.inbox({ open: true })).length > 0) {
        looks += 1;
        if (looks === 1) at('open');
      }
      return good.messages(runId, after);
    },
  };
}

function counting(good: Effects): Effects {
  let count = 0;
  return {
    ...good,
    note(key) {
      good.note(key);
      count += 1;
      at(`task:${count}`);
    },
  };
}
