/**
 * Stops a process that works on a run for longer than its right to the run lasts, has another bring the run to its end, and
 * continues the first.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readRun, type ListedRun, type RunRecord, type RunResult, type RunStore } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/store.ts';
import { answerAll } from './person.ts';
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
    begin([program, file, effects, acknowledged, String(skew), when], store, when === 'stop:open');

  const first = work(0, moment === undefined ? 'never' : `stop:${moment}`);
  if (moment === undefined) {
    const result = await first.result();
    const end = await state();
    await store.close();
    return { asleep: end, taken: end, end, first: result, second: result };
  }
  await first.asleep();
  first.child.kill('SIGSTOP');
  const asleep = await state();
  const second = await work(SLEEP_MS, 'never').result();
  const taken = await state();
  first.child.stdin?.end('\n');
  first.child.kill('SIGCONT');
  const result = await first.result();
  const end = await state();
  await store.close();
  return { asleep, taken, end, first: result, second };
}

// --- internal ---

interface Working {
  readonly child: ChildProcess;
  asleep(): Promise<void>;
  result(): Promise<RunResult>;
}

/** Starts a process, and answers what its run asks until it is asleep or has ended. */
function begin(args: readonly string[], store: RunStore, isIgnored: boolean): Working {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const closed = once(child, 'close');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const isAsleep = () => said.startsWith('asleep\n');
  async function accompany(until: () => boolean): Promise<void> {
    while (!until()) {
      await setTimeout(15);
      if (!isIgnored && !until()) await answerAll(store);
    }
  }
  return {
    child,
    async asleep() {
      await accompany(() => isAsleep() || isOver());
      if (!isAsleep()) throw new Error('It never came to that moment');
    },
    async result() {
      await accompany(isOver);
      const [code] = (await closed) as [number | null];
      if (code !== 0) throw new Error(`The process ended with ${code ?? child.signalCode}`);
      return JSON.parse(said.replace('asleep\n', '')) as RunResult;
    },
  };
}
