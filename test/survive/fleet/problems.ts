/**
 * The examination of a fleet that was killed: its records, its commits, the user's files, and the folders and processes that are left.
 *
 * @module
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { attemptRef } from '../../../src/workspaces/git/names.ts';
import { diagnose, isProblem } from '../../../src/projections/doctor/diagnose.ts';
import { foldGateHistories } from '../../../src/projections/doctor/gate-history.ts';
import { foldSentBack } from '../../../src/projections/doctor/send-back-counts.ts';
import { foldRun } from '../../../src/projections/run/run-view.ts';
import type { RunRecord } from '../../../src/records.ts';
import { git, pictureOf } from '../../workspaces/lab.ts';
import { signal } from '../../workspaces/rig-places.ts';
import { workspacesOf } from './fleet.ts';
import type { Played } from './sweep.ts';

/** Examines the records: none is lost, all phases ended as in the run that was not killed, and the doctor finds nothing. */
export function problemsOfRecords({ records, deaths, said }: Played, plain: Played): readonly string[] {
  const problems: string[] = [];
  for (const death of deaths) {
    if (death.acknowledged > death.records.length) problems.push('records are lost');
    if (JSON.stringify(records.slice(0, death.records.length)) !== JSON.stringify(death.records))
      problems.push('records have changed');
  }
  if (records.some(({ seq }, at) => seq !== at + 1)) problems.push('numbers of records have gaps');
  const hadEnded = deaths.at(-1)?.records.at(-1)?.event.type === 'run.ended';
  if (said !== 'completed\n' && !(hadEnded && said === '')) problems.push(`the last process says ${said}`);
  const [ours, theirs] = [endsOf(records), endsOf(plain.records)];
  if (ours !== theirs) problems.push(`it ended as ${ours} instead of ${theirs}`);
  const [gates, sentBack] = [foldGateHistories(), foldSentBack()];
  for (const record of records) {
    gates.apply(record);
    sentBack.apply(record);
  }
  const findings = diagnose(gates.all(), sentBack.all()).filter(isProblem);
  return [...problems, ...findings.map(({ code, phase }) => `the doctor finds ${code} in ${phase}`)];
}

/** Examines the work: no attempt ran again whose commit was kept, and each subtask is that of one agent, in a folder of its own. */
export async function problemsOfWork({ ground, begun, deaths, before }: Played): Promise<readonly string[]> {
  const { user } = ground;
  const problems = deaths.flatMap((death) =>
    begun
      .slice(death.begun)
      .filter((one) => death.kept.includes(attemptRef('attempts', one)))
      .map(({ key }) => `${key} was kept, and has run again`),
  );
  if (new Set(begun.map(({ folder }) => folder)).size < begun.length) problems.push('two agents had the same folder');
  const after = await pictureOf(user);
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  );
  if (changed.length > 0) problems.push(`of the user, ${changed.join(', ')} changed`);
  const list = await git(user, 'diff', '--name-only', '--no-renames', 'HEAD', 'phasegate/r');
  const paths = list.split('\n').toSorted();
  for (const task of TASKS) {
    const own = paths.filter((path) => path.startsWith(`work/${task}/`)).map((path) => path.slice(6 + task.length));
    const [first = '', ...others] = own.map((name) => name.replace(/-\d+$/u, '-*'));
    const expected = task === '2b' ? 'first-* help last-* steps' : 'first-* last-* steps';
    if ([first, ...others].join(' ') !== expected) problems.push(`subtask ${task} has ${own.join(', ')}`);
    const pids = new Set(own.flatMap((name) => /-(\d+)$/u.exec(name)?.[1] ?? []));
    if (pids.size > 1) problems.push(`subtask ${task} is of several agents: ${own.join(', ')}`);
  }
  if (paths.some((path) => !path.startsWith('work/'))) problems.push(`the branch changes ${list}`);
  return problems;
}

/** Examines the folders: all are listed, and after a prune with a rescue, neither a folder nor a process is left. */
export async function problemsOfFolders({
  ground,
}: Played): Promise<{ readonly rescued: number; readonly problems: readonly string[] }> {
  const { user, root } = ground;
  const workspaces = workspacesOf(ground);
  const problems: string[] = [];
  const [home = ''] = await readdir(root);
  const foldersNow = async () => (await readdir(join(root, home))).filter((name) => !name.startsWith('.'));
  const listed = await workspaces.list(signal);
  const folders = await foldersNow();
  if (listed.length !== folders.length)
    problems.push(`${folders.length} folders exist, and ${listed.length} are listed`);
  const used = listed.filter(({ state }) => state === 'inUse').map(({ path }) => path);
  if (used.length > 0) problems.push(`${used.join(', ')} counts as used`);
  const { left } = await workspaces.prune({ signal });
  const processes = await processesBelow(root);
  if (processes.length > 0) problems.push(`processes are left: ${processes.join(', ')}`);
  const rescue = await workspaces.prune({ signal, rescue: true });
  if (rescue.left.length > 0) problems.push(`a rescue leaves ${rescue.left.map(({ reason }) => reason).join(' ')}`);
  const still = await foldersNow();
  if (still.length > 0) problems.push(`prune does not know ${still.join(', ')}`);
  for (const name of ['.trash', '.scratch']) {
    const entries = await readdir(join(root, home, name));
    if (entries.length > 0) problems.push(`${entries.length} entries are left in ${name}`);
  }
  const worktrees = (await git(user, 'worktree', 'list', '--porcelain')).split('\n\n').length;
  if (worktrees > 1) problems.push(`${worktrees - 1} worktrees are left`);
  return { rescued: left.length, problems };
}

// --- internal ---

const TASKS = ['1', '2a', '2b', '2c', '3'] as const;

/** Returns the end and the number of attempts of each phase, as text. */
function endsOf(records: readonly RunRecord[]): string {
  const view = foldRun();
  for (const record of records) view.apply(record);
  const { status, phases } = view.snapshot();
  const ends = Object.entries(phases).map(([name, phase]) => `${name} ${phase.status} ${phase.attempts}`);
  return `${status}: ${ends.join(', ')}`;
}

/** Returns the processes that have a workspace below a folder in their environment. */
async function processesBelow(root: string): Promise<readonly string[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const environments = await Promise.all(
    names.map((pid) => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')),
  );
  return names.filter((_, index) => environments[index]?.includes(`PHASEGATE_WORKSPACE=${root}/`));
}
