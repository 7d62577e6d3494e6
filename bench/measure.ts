/**
 * Measurement of processor time and heap.
 *
 * @module
 */
import type { Engine } from './engines.ts';

/** Collects garbage. Needs `--expose-gc`. */
export function collect(): void {
  if (!globalThis.gc) throw new Error('Start with node --expose-gc, as npm run bench does');
  globalThis.gc();
}

/**
 * Measures the processor time of one run on all threads, including garbage collection.
 *
 * It first runs until the code is warm. It does not collect garbage before each run, as that would make the code cold again.
 *
 * @returns The median of several runs in microseconds.
 */
export async function cpuMicros(engine: Engine, runs: number, warmUps: number): Promise<number> {
  const taken: number[] = [];
  collect();
  for (let run = -warmUps; run < runs; run++) {
    const before = process.cpuUsage();
    // Runs one after the other, as parallel runs would disturb each other.
    await engine();
    const { user, system } = process.cpuUsage(before);
    if (run >= 0) taken.push(user + system);
  }
  return median(taken);
}

/** Measures the heap after garbage collection, in bytes. */
export function heldBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** Computes the exponent by which `ys` grow with `xs`: the slope of a line through their logarithms. */
export function growth(xs: readonly number[], ys: readonly number[]): number {
  const x = xs.map(Math.log);
  const y = ys.map(Math.log);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(x), mean(y)];
  const top = x.reduce((sum, value, at) => sum + (value - mx) * ((y[at] ?? 0) - my), 0);
  return top / x.reduce((sum, value) => sum + (value - mx) ** 2, 0);
}

/** @returns The greater of the middle two if their number is even, and 0 without values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
