/**
 * Processes of a workspace that outlive the one that started them.
 *
 * @module
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inherits, isCertain, statOf } from '../../actors/command/process-life.ts';
import type { ProcessIdentity } from '../../model/values/process-identity.ts';

/** Variable that processes of a workspace inherit. Its value is the folder. */
export const COOKIE = 'PHASEGATE_WORKSPACE';

/**
 * Stops the processes of a workspace: the groups of the given leaders that are still the same processes, and on Linux every
 * process that has inherited the folder in its environment, whatever its group. Resolves when they have ended.
 */
export async function endProcesses(folder: string, leaders: readonly ProcessIdentity[]): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const until = performance.now() + GRACE_MS;
    let found = await targetsOf(folder, leaders);
    for (const target of found) send(target, signal);
    // Polls, as the system does not report the end of processes that are no children.
    while (found.length > 0 && performance.now() < until) {
      await sleep(20);
      found = await targetsOf(folder, leaders);
      // A process may have been born since.
      if (signal === 'SIGKILL') for (const target of found) send(target, signal);
    }
    if (found.length === 0) return;
  }
}

/**
 * Finds the processes that still work in a workspace: those that {@link endProcesses} would stop.
 *
 * @returns Numbers of processes; of a group, that of its leader.
 */
export async function processesIn(folder: string, leaders: readonly ProcessIdentity[]): Promise<readonly number[]> {
  return (await targetsOf(folder, leaders)).map(Math.abs);
}

// --- internal ---

/** Milliseconds for processes to end. */
const GRACE_MS = 2000;

/** Numbers of processes, and negative numbers of groups. */
async function targetsOf(folder: string, leaders: readonly ProcessIdentity[]): Promise<readonly number[]> {
  const here = leaders.filter((one) => one.pid > 1 && one.pid !== process.pid && isCertain(one));
  const groups = process.platform === 'win32' ? here.map(({ pid }) => pid) : here.map(({ pid }) => -pid);
  return [...groups, ...(await inheritorsOf(folder))];
}

/** Processes that have the folder in their environment. Linux only. */
async function inheritorsOf(folder: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const names = await readdir('/proc').catch(() => []);
  const own = ancestors();
  const pids = names
    .filter((name) => /^\d{1,10}$/u.test(name))
    .map(Number)
    .filter((pid) => !own.has(pid));
  const found = await Promise.all(pids.map(async (pid) => ((await inherits(pid, COOKIE, folder)) ? [pid] : [])));
  return found.flat();
}

/** This process and those that it was started by. A run that an agent starts must not stop that agent. */
function ancestors(): ReadonlySet<number> {
  const found = new Set([1]);
  for (let pid = process.pid; pid > 1 && !found.has(pid); pid = Number(statOf(pid)[1] ?? 1)) found.add(pid);
  return found;
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // It has ended.
  }
}
