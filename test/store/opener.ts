/**
 * A thread that opens the stores of a folder, each at the very time at which the others do, and tells what went wrong.
 */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { errorInfo } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';

/** What such a thread is given. */
export interface Opening {
  readonly folder: string;
  readonly name: string;
  readonly threads: number;
  /** How many threads have come to each round. */
  readonly arrived: Int32Array;
}

const { folder, name, threads, arrived } = workerData as Opening;
const problems: string[] = [];
for (let round = 0; round < arrived.length; round += 1) {
  if (Atomics.add(arrived, round, 1) === threads - 1) Atomics.notify(arrived, round);
  for (let count = Atomics.load(arrived, round); count < threads; count = Atomics.load(arrived, round))
    Atomics.wait(arrived, round, count, 100);
  try {
    const store = sqliteStore(join(folder, `${round}.sqlite`));
    await store.acquire(`run of ${name}`, name, 1000);
    await store.close();
  } catch (error) {
    problems.push(`${round}: ${errorInfo(error).message}`);
  }
}
parentPort?.postMessage(problems, []);
