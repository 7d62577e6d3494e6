/** A thread that opens the stores of a folder at the same time as other threads, and reports errors. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { errorInfo } from '../../src/index.ts';
import { patientStore } from '../../src/runtime/records/patient-store.ts';
import { sqliteStore } from '../../src/sqlite.ts';

/** The data of such a thread. */
export interface Opening {
  readonly folder: string;
  readonly name: string;
  readonly threads: number;
  /** The number of threads that have arrived at each round. */
  readonly arrived: Int32Array;
}

const { folder, name, threads, arrived } = workerData as Opening;
const problems: string[] = [];
for (let round = 0; round < arrived.length; round += 1) {
  if (Atomics.add(arrived, round, 1) === threads - 1) Atomics.notify(arrived, round);
  for (let count = Atomics.load(arrived, round); count < threads; count = Atomics.load(arrived, round))
    Atomics.wait(arrived, round, count, 100);
  try {
    const store = patientStore(sqliteStore(join(folder, `${round}.sqlite`)));
    await store.acquire(`run of ${name}`, name, 1000);
    await store.close();
  } catch (error) {
    problems.push(`${round}: ${errorInfo(error).message}`);
  }
}
parentPort?.postMessage(problems, []);
