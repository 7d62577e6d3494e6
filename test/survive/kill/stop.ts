/**
 * Stops the process of a run for longer than its lease, lets another process finish the run, and continues the first.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRun } from '../../../src/index.ts';
import type { ListedRun } from '../../../src/store.ts';
import type { RunResult } from '../../../src/index.ts';
import type { RunRecord } from '../../../src/records.ts';
import { sqliteStore } from '../../../src/sqlite.ts';
import { begin } from './begin.ts';
import { linesOf } from './pipeline.ts';
import { SLEEP_MS } from './sleep.ts';

/** The store and the effects at one time. */
export interface State {
  readonly records: readonly RunRecord[];
  /** Keys of started tasks, in order. */
  readonly effects: readonly string[];
  readonly run: ListedRun | undefined;
}

/** The outcome of the scenario. */
export interface Stopped {
  /** The states at the stop of the first process, at the end of the run by the other, and at the end of the first. */
  readonly asleep: State;
  readonly taken: State;
  readonly end: State;
  /** The results that the two processes printed. */
  readonly first: RunResult;
  readonly second: RunResult;
}

/** @param moment The moment of the stop; undefined for a plain run with a single process. */
export async function stopAt(program: string, folder: string, moment: string | undefined): Promise<Stopped> {
  const [file, effects, acknowledged] = ['runs.sqlite', 'effects', 'acknowledged'].map((one) =>
    join(folder, `stop-${(moment ?? 'never').replaceAll(':', '-')}-${one}`),
  ) as [string, string, string];
  for (const one of [effects, acknowledged]) writeFileSync(one, '');
  const store = sqliteStore(file);
  const state = async (): Promise<State> => ({
    records: await readRun(store, 'r'),
    effects: linesOf(effects),
    run: await store.run('r'),
  });
  const work = (skew: number, when: string) =>
    begin([process.execPath, program, file, effects, acknowledged, String(skew), when], store, {
      isAnswered: when !== 'stop:open',
    });

  const first = work(0, moment === undefined ? 'never' : `stop:${moment}`);
  try {
    if (moment === undefined) {
      const only = await first.result();
      const then = await state();
      return { asleep: then, taken: then, end: then, first: only, second: only };
    }
    await first.asleep();
    first.child.kill('SIGSTOP');
    const asleep = await state();
    const second = await work(SLEEP_MS, 'never').result();
    const taken = await state();
    first.child.stdin?.end('\n');
    first.child.kill('SIGCONT');
    const result = await first.result();
    return { asleep, taken, end: await state(), first: result, second };
  } finally {
    // No process is left behind after an error.
    first.child.kill('SIGKILL');
    await store.close();
  }
}
