/**
 * Who works on a run: processes of this machine that are gone need not be waited for.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ListedRun } from '../store/port.ts';
import type { OpenStore } from './store-option.ts';

/** This process, for other people and processes. */
export function thisHolder(): string {
  return `process ${process.pid} on ${hostname()}`;
}

/**
 * Takes the right to append from a process of this machine that was killed, as it would have to be waited for otherwise.
 * Should it live after all, the store refuses whatever it still wants to keep.
 */
export async function freeFromTheDead({ store }: Pick<OpenStore, 'store'>, { lease }: ListedRun): Promise<void> {
  if (lease && isGone(lease.holder)) await store.release(lease);
}

// --- internal ---

function isGone(holder: string): boolean {
  const [, pid, host] = /^process (\d+) on (.+)$/u.exec(holder) ?? [];
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return isZombie(pid);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Whether a process has ended and nobody has taken note of that. Linux only; elsewhere it counts as alive. */
function isZombie(pid: string): boolean {
  try {
    // The name of the program, in parentheses, may have any character.
    return /\) [ZX] [^)]*$/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
