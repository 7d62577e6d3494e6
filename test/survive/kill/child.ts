/**
 * The process that is killed or stopped: `child.ts <store> <effects> <acknowledged> <skew> <when> [single]`. It
 * starts the run, or resumes it.
 *
 * `when` is `before:n` or `after:n`, for the nth batch that it stores, or `never`; at that moment it kills itself.
 * With the prefix `stop:` it reports the moment, and waits to be stopped and continued instead. `stop:` also has the
 * moments `task:n`, the start of the nth task, and `open`, while the run waits for a person. At `saying` it has
 * printed half of its result, as a process that is killed while it prints. `skew` is added to the time when it
 * examines leases, so that a foreign lease counts as expired. With `single` each record is a batch.
 *
 * @module
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
  // The previous process was killed after the last record.
  if (!PhasegateError.is(error) || error.code !== 'RUN_ENDED') throw error;
}
await store.close();

function at(moment: string): void {
  if (when === moment) process.kill(process.pid, 'SIGKILL');
  else if (when === `stop:${moment}`) sleep();
}

/** Wraps a store. Kills or stops the process at its moment, and writes down acknowledged records. */
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
