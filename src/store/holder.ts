/**
 * Processes as holders of runs: each names itself so that another process of the same machine can tell if it is gone.
 *
 * @module
 */

/** Names this process. The start tells it from a later process that gets the same number. */
export function thisHolder(): string {
  named ??= ownName();
  return named;
}

/** Tells if a holder lives. `undefined` for a holder that is no process of this machine, or counts its processes by itself. */
export function holderIsAlive(text: string): boolean | undefined {
  const holder = readHolder(text);
  return holder && lives(holder);
}

/** A process of this machine. */
export interface Holder {
  readonly pid: number;
  /** When it started, if that is known. */
  readonly start: string | undefined;
}

/** Reads a holder. `undefined` for a holder that is no process of this machine, or counts its processes by itself. */
export function readHolder(text: string): Holder | undefined {
  const { os } = node();
  const [, pid, host, start, namespace = OF_THE_MACHINE] = HOLDER.exec(text) ?? [];
  if (pid === undefined || !os || host !== os.hostname()) return undefined;
  // Containers may share the name of their machine, and each begins to count at 1.
  if (start !== undefined && namespace !== namespaceHere()) return undefined;
  return { pid: Number(pid), start };
}

// --- internal ---

const HOLDER = /^process (\d{1,10}) on ([^ ]+)(?: \(start (\d{1,20})(?:, pids (\d{1,20}))?\))?$/u;

/** The number that Linux gives to the processes of the machine itself. */
const OF_THE_MACHINE = '4026531836';

let named: string | undefined;

function ownName(): string {
  const { process, os } = node();
  if (typeof process?.pid !== 'number') return 'a browser';
  const start = startOf(process.pid);
  const host = os ? ` on ${os.hostname()}` : '';
  const namespace = namespaceHere();
  const pids = namespace === OF_THE_MACHINE ? '' : `, pids ${namespace}`;
  return `process ${process.pid}${host}${start === undefined ? '' : ` (start ${start}${pids})`}`;
}

interface Node {
  readonly process: NodeJS.Process | undefined;
  readonly fs: typeof import('node:fs') | undefined;
  readonly os: typeof import('node:os') | undefined;
}

/** What there is of Node: nothing in a browser, for which this must load as well. */
function node(): Node {
  const { process } = globalThis as { readonly process?: NodeJS.Process };
  return { process, fs: process?.getBuiltinModule?.('fs'), os: process?.getBuiltinModule?.('os') };
}

function lives({ pid, start }: Holder): boolean {
  try {
    node().process?.kill(pid, 0);
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

/** Tells which processes are counted together with this one. Linux only. */
function namespaceHere(): string {
  try {
    return /\d+/u.exec(node().fs?.readlinkSync('/proc/self/ns/pid') ?? '')?.[0] ?? OF_THE_MACHINE;
  } catch {
    return OF_THE_MACHINE;
  }
}

/** What Linux says of a process, from its state on; nothing elsewhere. */
function statOf(pid: number): readonly string[] {
  try {
    const text = node().fs?.readFileSync(`/proc/${pid}/stat`, 'utf8') ?? '';
    // The name of the program comes before, in parentheses, and may have any character.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
