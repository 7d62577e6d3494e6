/**
 * Processes of this machine: their identity, and if they have ended.
 * Loads without Node as well.
 *
 * @module
 */
import { codeOf } from '../../model/errors/phasegate-error.ts';
import type { ProcessIdentity } from '../../model/values/process-identity.ts';

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
    if (codeOf(error) === 'ESRCH') return false;
  }
  const fields = statOf(known.pid);
  // A zombie has ended, but its parent has not read its exit status.
  if (hasEnded(fields)) return false;
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

/** The processes of a group that have not ended, on Linux. */
export function membersOf(group: number): readonly number[] {
  const all = process.getBuiltinModule('fs').readdirSync('/proc').map(Number);
  return all.filter((pid) => {
    const fields = pid > 0 ? statOf(pid) : [];
    return fields[2] === String(group) && !hasEnded(fields);
  });
}

/** True if a process has a variable with that value in its environment, on Linux. */
export async function inherits(pid: number, name: string, value: string): Promise<boolean> {
  try {
    const environment = await process.getBuiltinModule('fs').promises.readFile(`/proc/${pid}/environ`, 'latin1');
    const wanted = Buffer.from(`${name}=${value}`).toString('latin1');
    // A zombie has an empty environment.
    return `\0${environment}`.includes(`\0${wanted}\0`);
  } catch {
    // It has ended, or belongs to another user.
    return false;
  }
}

/** True for the status fields of a zombie, which its parent has not collected. */
export function hasEnded([state]: readonly string[]): boolean {
  return state === 'Z' || state === 'X';
}

/** The parts of an identity that all processes here share. */
export function here(): Required<Pick<ProcessIdentity, 'host' | 'namespace' | 'boot'>> {
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

// --- internal ---

/** Reads a file of the system; empty if there is none, or this user may not read it. */
function readSystem(path: string): string {
  try {
    return process.getBuiltinModule('fs').readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
