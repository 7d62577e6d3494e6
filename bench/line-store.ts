/**
 * The cheapest store that keeps batches: the floor of the benchmarks of stored runs.
 *
 * @module
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { memoryStore } from 'phasegate';

const PAGE = 4096;

/**
 * Creates a store in memory that also writes each batch as a line of a synced file.
 *
 * @param pages Pages of 4096 bytes that the file has from the beginning. Lines begin again at its first page when they are full.
 *   With 0 the file grows.
 */
export function lineStore(path: string, pages: number): ReturnType<typeof memoryStore> {
  const file = openSync(path, 'w');
  if (pages > 0) writeSync(file, Buffer.alloc(pages * PAGE));
  fdatasyncSync(file);
  const kept = memoryStore();
  let at = 0;
  return {
    ...kept,
    append(batch, lease) {
      const done = kept.append(batch, lease);
      const line = Buffer.from(`${JSON.stringify(batch)}\n`);
      if (pages > 0 && at + line.length > pages * PAGE) at = 0;
      at += writeSync(file, line, 0, line.length, at);
      fdatasyncSync(file);
      return done;
    },
    async close() {
      await kept.close();
      closeSync(file);
    },
  };
}
