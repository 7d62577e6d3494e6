/**
 * The processor time of a server next to this process, as Linux tells it.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds of one tick of the figures in `/proc`. It is 100 per second on every Linux that Node runs on. */
const TICK = 10_000;

/**
 * Reads the processor time of a process, of its living children, and of those that it has waited for.
 *
 * @returns Microseconds, in steps of 10 000. `undefined` on other systems.
 */
export function processorTimeOf(pid) {
  if (process.platform !== 'linux') return undefined;
  const [, user, system, endedUser, endedSystem] = statOf(pid);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter(([parent]) => parent === pid);
  const ticks = children.reduce((sum, [, u, s]) => sum + u + s, user + system + endedUser + endedSystem);
  return ticks * TICK;
}

/** Reads the parent of a process and its four times; nothing if it has ended. */
function statOf(pid) {
  try {
    // The name of the program is in brackets, and may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ').map(Number);
    return [fields[1], ...fields.slice(11, 15)];
  } catch {
    return [];
  }
}
