/**
 * Stops a process that works on a run for longer than its right to the run lasts, has another bring the run to its end, and
 * continues the first.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRun } from '../../../src/index.ts';
import type { ListedRun } from '../../../src/store.ts';
import type { RunRecord, RunResult } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/sqlite.ts';
import { begin } from './begin.ts';
import { linesOf } from './pipeline.ts';
import { SLEEP_MS } from './sleep.ts';

/** What there was at some time. */
export interface State {
  readonly records: readonly RunRecord[];
  /** Keys of tasks that had begun, in order. */
  readonly effects: readonly string[];
  readonly run: ListedRun | undefined;
}

/** What came of it. */
export interface Stopped {
  /** When the first process was stopped, when the other had ended the run, and when the first had ended as well. */
  readonly asleep: State;
  readonly taken: State;
  readonly end: State;
  /** What the two said of the run. */
  readonly first: RunResult;
  readonly second: RunResult;
}

/** @param moment Where the process stops; `undefined` where it never does, and nobody is needed to take its run. */
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
    // Whatever has gone wrong, nobody is left behind.
    first.child.kill('SIGKILL');
    await store.close();
  }
}
