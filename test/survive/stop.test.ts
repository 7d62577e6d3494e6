/**
 * A process is stopped (`SIGSTOP`) during a run, for longer than its lease. Another process takes the run over and
 * finishes it; then the first one is continued.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, makeFolder } from './kill/bundle.ts';
import { stopAt, type Stopped } from './kill/stop.ts';
import { commitsOf, interruptedIn } from './kill/sweep.ts';

let folder = '';
let program = '';
let plain: Stopped;
beforeAll(async () => {
  folder = makeFolder();
  program = await bundle(folder);
  plain = await stopAt(program, folder, undefined);
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('a process that was stopped for longer than its lease', () => {
  it.each(
    ['before:2', 'before:9', 'before:14']
      .concat('after:1', 'after:2', 'after:5', 'after:9', 'after:14', 'after:20')
      .concat('task:1', 'task:6', 'open'),
  )(
    'does nothing more once it goes on: %s',
    async (moment) => {
      const { asleep, taken, end, first, second } = await stopAt(program, folder, moment);
      expect(second.status).toBe('completed');
      expect(end.run).toMatchObject({ status: 'completed', lease: undefined });
      // The process has noticed the loss, and reports it.
      expect(first).toMatchObject({ status: 'failed', error: { code: 'LEASE_LOST' } });
      expect(first.error?.message).toContain('has lost its lease');
      // The process has stored nothing, and started nothing.
      expect(end).toEqual(taken);
      expect(end.records.slice(0, asleep.records.length)).toEqual(asleep.records);
      expect(commitsOf(end.records)).toEqual(commitsOf(plain.end.records));
      // Only interrupted tasks have started again, under the same key.
      const [once, now] = [plain.end.effects, end.effects].map(countsOf);
      const interrupted = interruptedIn(asleep);
      for (const [key, count] of once ?? []) {
        const more = (now?.get(key) ?? 0) - count;
        expect({ key, more }).toEqual({ key, more: more === 1 && interrupted.includes(key) ? 1 : 0 });
      }
      expect([...(now?.keys() ?? [])].toSorted()).toEqual([...(once?.keys() ?? [])].toSorted());
    },
    60_000,
  );
});

// --- internal ---

function countsOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
