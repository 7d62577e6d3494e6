/**
 * A simulated stop of two minutes. The process is stopped for a short time. When it continues, its clock is two
 * minutes ahead and due timers fire.
 *
 * @module
 */
import { readSync, writeSync } from 'node:fs';

/** The simulated duration of the stop, in milliseconds. */
export const SLEEP_MS = 120_000;

/**
 * Reports that the process can be stopped now, and blocks until it was stopped and continued and has read a message.
 */
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
