/**
 * Identity of processes: a process can be told from a later one with the same number. Loads without Node as well.
 *
 * @module
 */

/** A process of some machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in ticks since the start of the machine; empty if unknown. */
  readonly start: string;
  readonly host: string;
  /** Process namespace, as containers number their processes from 1; empty if unknown. */
  readonly namespace: string;
  /** Id of the machine's start; absent or empty if unknown. */
  readonly boot?: string | undefined;
}

/** Returns the identity of a process of this machine. */
export function identify(pid: number): ProcessIdentity {
  return { pid, start: statOf(pid)[19] ?? '', ...here() };
}

/** True if a process has not ended. A process of another machine or namespace, which cannot be seen, counts as alive. */
export function isAlive(known: ProcessIdentity): boolean {
  const { host, namespace, boot } = here();
  if (known.host !== host || known.namespace !== namespace) return true;
  if ((known.boot ?? '') !== '' && boot !== '' && known.boot !== boot) return false;
  try {
    process.kill(known.pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  const fields = statOf(known.pid);
  // A zombie has ended, but its parent has not read its exit status.
  if (fields[0] === 'Z' || fields[0] === 'X') return false;
  const start = fields[19] ?? '';
  return known.start === '' || start === '' || known.start === start;
}

/** True if a process of this machine certainly is the known one. */
export function isCertain(known: ProcessIdentity): boolean {
  const { host, namespace } = here();
  return known.start !== '' && known.host === host && known.namespace === namespace && isAlive(known);
}

/** Linux's status fields of a process, from its state on; empty on other systems. */
export function statOf(pid: number): readonly string[] {
  const text = readSystem(`/proc/${pid}/stat`);
  // The fields follow the name of the program, which is in parentheses and may contain any character.
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

// --- internal ---

function here(): Required<Pick<ProcessIdentity, 'host' | 'namespace' | 'boot'>> {
  const fs = process.getBuiltinModule('fs');
  let namespace = '';
  try {
    namespace = fs.readlinkSync('/proc/self/ns/pid');
  } catch {
    // Another system than Linux.
  }
  const boot = readSystem('/proc/sys/kernel/random/boot_id').trim();
  return { host: process.getBuiltinModule('os').hostname(), namespace, boot };
}

function readSystem(path: string): string {
  try {
    return process.getBuiltinModule('fs').readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
