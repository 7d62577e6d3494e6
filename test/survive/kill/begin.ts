/**
 * Starts a process that works on a run, and answers its questions.
 *
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { RunResult } from '../../../src/index.ts';
import type { RunStore } from '../../../src/store.ts';
import { answerAll } from './person.ts';

/** A process that works on a run. */
export interface Working {
  readonly child: ChildProcess;
  /** Resolves when the process can be stopped. */
  asleep(): Promise<void>;
  /** Resolves with the printed result of its run once the process has ended. */
  result(): Promise<RunResult>;
}

/** @param command The program and its arguments. */
export function begin(
  [command = '', ...args]: readonly string[],
  store: RunStore,
  { isAnswered = true }: { readonly isAnswered?: boolean } = {},
): Working {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const closed = once(child, 'close');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const isAsleep = () => said.startsWith('asleep\n');
  async function accompany(until: () => boolean): Promise<void> {
    while (!until()) {
      await setTimeout(15);
      if (isAnswered && !until()) await answerAll(store);
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
