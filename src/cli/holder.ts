/**
 * Who works on a run: processes of this machine that are gone need not be waited for, and those that live are not robbed.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Lease, ListedRun } from '../store/port.ts';
import { asItStands as asRunStands, freeFromTheGone, workOn, type Work } from '../store/worker.ts';
import type { OpenStore } from './store-option.ts';

/** This process, for other people and processes. The start tells it from a later process that gets the same number. */
export function thisHolder(): string {
  const start = startOf(process.pid);
  return `process ${process.pid} on ${hostname()}${start === undefined ? '' : ` (start ${start})`}`;
}

/**
 * Takes the right to append from a process of this machine that was killed, as it would have to be waited for otherwise.
 *
 * @throws PhasegateError `RUN_LEASED` where the process lives and has let its right expire: it would do the same work again.
 */
export function freeFromTheDead({ store }: Pick<OpenStore, 'store'>, run: ListedRun): Promise<void> {
  return freeFromTheGone(store, run, { isAlive: holderIsAlive, hint: (lease) => howToEnd(lease, run.seq) });
}

/** The run as it stands, by what is known of the processes of this machine. */
export function asItStands(run: ListedRun): ListedRun {
  return asRunStands(run, holderIsAlive);
}

/** Who works on a run, by what is known of the processes of this machine. */
export function workHere(run: Pick<ListedRun, 'lease' | 'lapsed'>): Work {
  return workOn(run, holderIsAlive);
}

/** Whether a holder lives, where it is a process of this machine. */
export function holderIsAlive(text: string): boolean | undefined {
  const holder = readHolder(text);
  return holder && lives(holder);
}

// --- internal ---

/** A process of this machine. */
interface Holder {
  readonly pid: number;
  /** When it started, where that is known. */
  readonly start: string | undefined;
}

function readHolder(text: string): Holder | undefined {
  const [, pid, host, start] = /^process (\d+) on (.+?)(?: \(start (\d+)\))?$/u.exec(text) ?? [];
  return pid === undefined || host !== hostname() ? undefined : { pid: Number(pid), start };
}

function lives({ pid, start }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  const [state] = statOf(pid);
  // It has ended, and nobody has taken note of that.
  if (state === 'Z' || state === 'X') return false;
  const now = startOf(pid);
  return start === undefined || now === undefined || start === now;
}

/** When a process started, in ticks since the machine did. Linux only. */
function startOf(pid: number): string | undefined {
  return statOf(pid)[19];
}

/** What Linux says of a process, from its state on; nothing elsewhere. */
function statOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program comes before, in parentheses, and may have any character.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** What to do where a process that lives does not answer. */
function howToEnd({ runId, holder }: Lease, seq: number): string {
  const { pid, start } = readHolder(holder) ?? {};
  const kill = process.platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill -9 ${pid}`;
  const other = `, or, if that is another program by now, go on in a new run: phasegate fork ${runId} --at ${seq}`;
  return `It was stopped, or a handler holds up its event loop. Wait until it goes on, or end it with: ${kill}${start === undefined ? other : ''}`;
}
