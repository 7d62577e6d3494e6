/**
 * Process groups that runs have started: their end, and notes by which a later process of this machine finds what is left of them.
 * Loads without Node as well.
 *
 * @module
 */
import { noteSchema, type GroupNote, type ProcessIdentity } from '../../model/values/process-identity.ts';
import { sha256Hex } from '../../model/values/sha256.ts';
import { hasEnded, here, identify, inherits, isAlive, isCertain, membersOf, statOf } from './process-life.ts';

/** The variable of the run that a process works for. */
export const RUN_VARIABLE = 'PHASEGATE_RUN';

/** Notes that a process of a run is followed until a promise settles. */
export function noteRunning(run: string, done: Promise<unknown>): void {
  const key = bare(run);
  const all = running.get(key) ?? new Set();
  running.set(key, all);
  all.add(done);
  const forget = () => {
    all.delete(done);
    if (all.size === 0 && running.get(key) === all) running.delete(key);
  };
  done.then(forget, forget);
}

/** Resolves when every process that a run has started here has ended. */
export async function processesOfRunAtRest(run: string): Promise<void> {
  await Promise.allSettled(running.get(bare(run)) ?? new Set<Promise<unknown>>());
}

/**
 * Notes a process group of a run in a file, as this process may be killed. Without a place for it, nothing is noted.
 *
 * @param pid The leader of the group.
 * @returns A function that removes the note.
 */
export function noteGroup(run: string, pid: number): () => void {
  const { rmSync, writeFileSync } = process.getBuiltinModule('fs');
  try {
    const folder = stateFolder('processes');
    const note: GroupNote = { owner: identify(process.pid), group: identify(pid) };
    const file = process.getBuiltinModule('path').join(folder, `${keyOf(run)}-${pid}-${note.group.start}.json`);
    makeFolder(folder);
    writeFileSync(file, JSON.stringify(note), { mode: 0o600 });
    return () => rmSync(file, { force: true });
  } catch {
    return () => undefined;
  }
}

/**
 * Ends what is left of the process groups of a run whose owner is gone. Resolves when they have ended.
 *
 * @param previous The process that had the run before, whose groups are ended even if it is alive.
 */
export async function endLeftGroups(
  run: string,
  previous?: Pick<Partial<ProcessIdentity>, 'pid' | 'start'>,
): Promise<void> {
  await Promise.all(
    notesOf(run).map(async ([{ owner, group }, remove]) => {
      const isPrevious = owner.pid === previous?.pid && owner.start === previous.start && owner.pid !== process.pid;
      if (isAlive(owner) && !(isPrevious && isCertain(owner))) return;
      if (group.pid > 1 && (isCertain(group) || (await isLeaderless(group, run)))) await stopGroup(group.pid);
      remove();
    }),
  );
}

/** Sends SIGTERM to a group, and SIGKILL to the rest of it after a grace period. Resolves when it has ended. */
export async function stopGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined || !sendTo(pid, 'SIGTERM')) return;
  // A monotonic clock, as changes to the system's clock must not extend the grace period.
  const until = performance.now() + KILL_GRACE_MS;
  // Polls, as the system does not report the end of a group.
  while (hasMembers(pid) && performance.now() < until) await sleep(20);
  if (!hasMembers(pid) || !sendTo(pid, 'SIGKILL')) return;
  // Members of the group may write until the system has ended them.
  const gone = performance.now() + KILLED_MS;
  while (hasMembers(pid) && performance.now() < gone) await sleep(5);
}

/** Sends a signal to a group. @returns True if there was a process to send it to. */
export function sendTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    if (process.platform !== 'win32') return process.kill(-pid, signal);
    const { spawn } = process.getBuiltinModule('child_process');
    if (signal === 'SIGKILL') spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The folder for files of this user's phasegate that outlast processes. @param name Their kind. */
export function stateFolder(name: string): string {
  const { LOCALAPPDATA, XDG_STATE_HOME } = process.env;
  const path = process.getBuiltinModule('path');
  const home = process.platform === 'win32' ? LOCALAPPDATA : XDG_STATE_HOME;
  const usual = () => path.join(process.getBuiltinModule('os').homedir(), '.local', 'state');
  return path.join(home !== undefined && path.isAbsolute(home) ? home : usual(), 'phasegate', name);
}

/**
 * Makes a folder for this user alone, and those above it. The recursive call of Node never ends below a folder such as /proc, in which the
 * system makes none.
 *
 * @throws The error of the system.
 */
export function makeFolder(folder: string): void {
  const { existsSync, mkdirSync } = process.getBuiltinModule('fs');
  if (existsSync(folder)) return;
  makeFolder(process.getBuiltinModule('path').dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it.
    if (!existsSync(folder)) throw error;
  }
}

/** A text as agents have it in a variable: without the character that ends it. */
export function bare(text: string): string {
  return text.replaceAll('\0', '').slice(0, 1000);
}

// --- internal ---

/** Milliseconds between SIGTERM and SIGKILL. */
const KILL_GRACE_MS = 2000;
/** Milliseconds to wait for the end of a group after SIGKILL. */
const KILLED_MS = 500;

const running = new Map<string, Set<Promise<unknown>>>();

/** True if a process of a group has not ended. A zombie has, even if nobody collects it, as in some containers. */
function hasMembers(pid: number): boolean {
  if (!sendTo(pid, 0)) return false;
  return !hasEnded(statOf(pid)) || membersOf(pid).length > 0;
}

/**
 * True if the leader of a group has ended, and a member works for the run. The number of a leader is not given to another process while
 * its group has members. Only Linux tells.
 */
async function isLeaderless(known: ProcessIdentity, run: string): Promise<boolean> {
  const { host, namespace, boot } = here();
  if (known.host !== host || known.namespace !== namespace || boot === '' || known.boot !== boot) return false;
  const leader = statOf(known.pid);
  if (leader.length > 0 && !hasEnded(leader)) return false;
  const members = membersOf(known.pid).map((pid) => inherits(pid, RUN_VARIABLE, bare(run)));
  return (await Promise.all(members)).includes(true);
}

/** Most characters of a note. */
const MOST_CHARACTERS = 10_000;

/** A name for a run in files. */
function keyOf(run: string): string {
  return sha256Hex([bare(run)]).slice(0, 24);
}

/** The notes of a run, each with a function that removes it. None where there is no Node. */
function notesOf(run: string): readonly (readonly [GroupNote, () => void])[] {
  const { process: node } = globalThis as { readonly process?: NodeJS.Process };
  const fs = node?.getBuiltinModule?.('fs');
  if (!fs) return [];
  try {
    const folder = stateFolder('processes');
    const names = fs.readdirSync(folder).filter((name) => name.startsWith(`${keyOf(run)}-`));
    return names.flatMap((name) => {
      const file = process.getBuiltinModule('path').join(folder, name);
      const note = noteIn(fs.readFileSync(file, 'utf8'));
      return note ? [[note, () => fs.rmSync(file, { force: true })] as const] : [];
    });
  } catch {
    return [];
  }
}

/** Reads a note; `undefined` if it is none. It may have been cut off as its process was killed. */
function noteIn(text: string): GroupNote | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  try {
    return noteSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
