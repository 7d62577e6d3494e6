/**
 * Measuring: processor time, and memory that is held.
 *
 * @module
 */
import type { Engine } from './engines.ts';

/** Collects garbage; the benchmark is started with `--expose-gc`. */
export function collect(): void {
  if (!globalThis.gc) throw new Error('Start with node --expose-gc, as npm run bench does');
  globalThis.gc();
}

/**
 * Processor time of one run in microseconds, of all threads, collecting garbage included: the median of several.
 *
 * Runs until the code is warm first; a collection before each run would make it cold again.
 */
export async function cpuMicros(engine: Engine, runs: number, warmUps: number): Promise<number> {
  const taken: number[] = [];
  collect();
  for (let run = -warmUps; run < runs; run++) {
    const before = process.cpuUsage();
    // One after the other, or they would measure each other.
    await engine();
    const { user, system } = process.cpuUsage(before);
    if (run >= 0) taken.push(user + system);
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(taken.length / 2)] ?? 0;
}

/** Bytes of heap in use after a collection. */
export function heldBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** The exponent by which `ys` grow with `xs`: the slope of a line through their logarithms. */
export function growth(xs: readonly number[], ys: readonly number[]): number {
  const x = xs.map(Math.log);
  const y = ys.map(Math.log);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(x), mean(y)];
  const top = x.reduce((sum, value, at) => sum + (value - mx) * ((y[at] ?? 0) - my), 0);
  return top / x.reduce((sum, value) => sum + (value - mx) ** 2, 0);
}
