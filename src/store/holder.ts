/**
 * Processes as holders of runs. Each has a name by which another process of the same machine can tell if it is gone.
 *
 * @module
 */
import { codeOf } from '../model/errors/phasegate-error.ts';

/** The name of this process. Its start time distinguishes it from a later process with the same number. */
export function thisHolder(): string {
  named ??= ownName();
  return named;
}

/** True if a holder is alive. `undefined` if it is not a process of this machine, or belongs to another process namespace. */
export function holderIsAlive(text: string): boolean | undefined {
  const holder = readHolder(text);
  return holder && lives(holder);
}

/** A process of this machine. */
export interface Holder {
  readonly pid: number;
  /** Its start time, if known. */
  readonly start: string | undefined;
}

/** Parses the name of a holder. `undefined` if it is not a process of this machine, or belongs to another process namespace. */
export function readHolder(text: string): Holder | undefined {
  const { os } = node();
  const [, pid, host, start, namespace = OF_THE_MACHINE, boot] = HOLDER.exec(text) ?? [];
  if (pid === undefined || !os || host !== os.hostname()) return undefined;
  // Machines that are copies of one image may share a host name.
  if (boot !== undefined && boot !== bootHere()) return undefined;
  // Containers may share the host name of their machine, and each counts its processes from 1.
  if (start !== undefined && namespace !== namespaceHere()) return undefined;
  return { pid: Number(pid), start };
}

// --- internal ---

const HOLDER =
  /^process (\d{1,10}) on ([^ ]+)(?: \(start (\d{1,20})(?:, pids (\d{1,20}))?(?:, boot ([0-9a-f]{8}))?\))?$/u;

/** The number of Linux's initial process namespace. */
const OF_THE_MACHINE = '4026531836';

let named: string | undefined;

function ownName(): string {
  const { process, os } = node();
  if (typeof process?.pid !== 'number') return 'a browser';
  const start = startOf(process.pid);
  const host = os ? ` on ${os.hostname()}` : '';
  const namespace = namespaceHere();
  const pids = namespace === OF_THE_MACHINE ? '' : `, pids ${namespace}`;
  const boot = bootHere();
  const machine = boot === undefined ? '' : `, boot ${boot}`;
  return `process ${process.pid}${host}${start === undefined ? '' : ` (start ${start}${pids}${machine})`}`;
}

interface Node {
  readonly process: NodeJS.Process | undefined;
  readonly fs: typeof import('node:fs') | undefined;
  readonly os: typeof import('node:os') | undefined;
}

/** The parts of Node that are available: none in a browser, where this module must load as well. */
function node(): Node {
  const { process } = globalThis as { readonly process?: NodeJS.Process };
  return { process, fs: process?.getBuiltinModule?.('fs'), os: process?.getBuiltinModule?.('os') };
}

function lives({ pid, start }: Holder): boolean {
  try {
    node().process?.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  const [state] = statOf(pid);
  // A zombie has ended, but its parent has not read its exit status.
  if (state === 'Z' || state === 'X') return false;
  const now = startOf(pid);
  return start === undefined || now === undefined || start === now;
}

/** Start time of a process, in ticks since the machine's start. Linux only. */
function startOf(pid: number): string | undefined {
  return statOf(pid)[19];
}

/** The number of the process namespace of this process. Linux only. */
function namespaceHere(): string {
  try {
    return /\d+/u.exec(node().fs?.readlinkSync('/proc/self/ns/pid') ?? '')?.[0] ?? OF_THE_MACHINE;
  } catch {
    return OF_THE_MACHINE;
  }
}

/** The beginning of the id that a machine gets at each start, which no other machine has. Linux only. */
function bootHere(): string | undefined {
  try {
    return /^[0-9a-f]{8}/u.exec(node().fs?.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') ?? '')?.[0];
  } catch {
    return undefined;
  }
}

/** Linux's status fields of a process, from its state on; empty on other systems. */
function statOf(pid: number): readonly string[] {
  try {
    const text = node().fs?.readFileSync(`/proc/${pid}/stat`, 'utf8') ?? '';
    // The fields follow the name of the program, which is in parentheses and may contain any character.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
