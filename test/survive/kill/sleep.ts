/**
 * A process that is stopped for two minutes, in less: it is stopped for as long as whoever started it likes, and when it goes on
 * its clock has moved by two minutes, and what was to be done in the meantime is due.
 */
import { readSync, writeSync } from 'node:fs';

/** How long it seems to have been stopped, in milliseconds. */
export const SLEEP_MS = 120_000;

/** Says that it can be stopped now, and does nothing until it was stopped, is continued, and is told so. */
export function sleep(): void {
  writeSync(1, 'asleep\n');
  readSync(0, Buffer.alloc(1));
  passed += SLEEP_MS;
  setTimeout(() => [...due.values()].forEach((job) => job()));
}

// --- internal ---

let passed = 0;
const now = Date.now;
Date.now = () => now() + passed;

const due = new Map<unknown, () => void>();
const repeat = globalThis.setInterval;
const stop = globalThis.clearInterval;
globalThis.setInterval = Object.assign((job: () => void, ms?: number) => {
  const timer = repeat(job, ms);
  due.set(timer, job);
  return timer;
}, repeat);
globalThis.clearInterval = (timer) => {
  due.delete(timer);
  stop(timer);
};
