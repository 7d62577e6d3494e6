/** Readers of a long run take turns, and the process serves others in between. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { createRecordStream } from '../../src/server/records.ts';
import { batchOf } from '../../src/testing/store/trial.ts';

const CLIENTS = 5;
const PAGES = 20;

describe('five readers of a run of 10 000 records', () => {
  it('take a page each in turn, with a turn of the event loop before each page', async () => {
    const store = memoryStore();
    await store.append(batchOf('r', 1, { count: PAGES * 500 }));
    const never = new AbortController();
    const records = createRecordStream({ store, farewell: never.signal, onError: () => undefined });
    const left = Array.from({ length: CLIENTS }, () => PAGES);
    let turns = 0;
    let isOver = false;
    const tick = () => {
      turns += 1;
      if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    /** The turn in which each page came, over all readers. */
    const cameIn: number[] = [];
    await Promise.all(
      left.map(async (_, client) => {
        const leave = new AbortController();
        for await (const text of records.stream('r', 1, 0, leave.signal)) {
          if (!text.startsWith('event: records')) break;
          left[client] = (left[client] ?? 0) - 1;
          cameIn.push(turns);
          expect(Math.max(...left) - Math.min(...left)).toBeLessThanOrEqual(1);
        }
        leave.abort();
      }),
    );
    isOver = true;
    expect(left).toEqual(left.map(() => 0));
    expect(new Set(cameIn).size).toBe(CLIENTS * PAGES);
  });
});
