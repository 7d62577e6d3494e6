/**
 * Tools for the tests of workspaces: attempts, and files of agents.
 *
 * @module
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AttemptPlace, Snapshot, Workspace, Workspaces } from '../../workspaces/port.ts';

/** Environment of one test. */
export interface WorkspaceTrial {
  readonly workspaces: Workspaces;
  /** Opens the workspaces of the same repository, as another process would. */
  readonly open: () => Promise<Workspaces>;
  /** Reads a file of a commit. `undefined` if it has none. */
  readonly read: (commit: string, path: string) => Promise<string | undefined>;
  /** Describes all that belongs to the user. */
  readonly picture: () => Promise<unknown>;
}

/** Rejects if its claim does not hold. */
export type WorkspaceCaseBody = (trial: WorkspaceTrial) => Promise<void>;

/** A signal that never aborts. */
export const signal: AbortSignal = new AbortController().signal;

/** An attempt of a task. */
export function placeOf(task: string, more: Partial<AttemptPlace> = {}): AttemptPlace {
  const { run = 'run', phase = 'build', generation = 0, attempt = 0 } = more;
  return { run, phase, generation, attempt, task, key: JSON.stringify([run, phase, generation, attempt, task]) };
}

/** Starts a run. @returns Its base. */
export async function baseOf(workspaces: Workspaces, run = 'run'): Promise<string> {
  return (await workspaces.start({ run, signal })).base;
}

/** Writes a file, as an agent does. */
export async function put({ path }: Workspace, name: string, text: string): Promise<void> {
  await mkdir(dirname(join(path, name)), { recursive: true });
  await writeFile(join(path, name), text);
}

/** Reads a file of a workspace. `undefined` if it has none. */
export async function get({ path }: Workspace, name: string): Promise<string | undefined> {
  return readFile(join(path, name), 'utf8').catch(() => undefined);
}

/** Lets an agent write files at a commit, keeps them, and closes the workspace. */
export async function workOf(
  workspaces: Workspaces,
  base: string,
  place: AttemptPlace,
  files: Readonly<Record<string, string>>,
): Promise<Snapshot> {
  const workspace = await workspaces.open(place, { base, signal });
  for (const [name, text] of Object.entries(files)) await put(workspace, name, text);
  const snapshot = await workspace.keep({ title: `Do ${place.task}`, signal });
  await workspace.close();
  return snapshot;
}
