/**
 * Workspaces for tests, in repositories of users.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import type { AttemptPlace, Workspace, Workspaces } from '../../src/workspaces/port.ts';
import { placeOf, put, signal } from './rig-places.ts';

export { git, makeDirty, makeLab, makeShallow, pictureOf, type Lab } from './lab.ts';
export { placeOf, put, signal };

const execute = promisify(execFile);

/** Makes a folder for the tests of a file, and removes it afterwards. */
export function useFolder(): { readonly path: string } {
  const folder = { path: '' };
  beforeAll(async () => {
    folder.path = await realpath(await mkdtemp(join(tmpdir(), 'phasegate-workspaces-')));
  });
  afterAll(() => rm(folder.path, { recursive: true, force: true }));
  return folder;
}

/** Opens a workspace at a commit. */
export function openAt(workspaces: Workspaces, base: string, place = placeOf()): Promise<Workspace> {
  return workspaces.open(place, { base, signal });
}

/** Opens a workspace at a commit, has an agent work in it, keeps its work, and closes it. */
export async function workAt(
  workspaces: Workspaces,
  base: string,
  place: AttemptPlace,
  agent: (path: string) => Promise<unknown>,
) {
  const workspace = await openAt(workspaces, base, place);
  await agent(workspace.path);
  const snapshot = await workspace.keep({ title: `Do ${place.task}`, signal });
  return { snapshot, closed: await workspace.close(), path: workspace.path };
}

/** Runs a line of the shell to its end, as an agent would. */
export async function shell(cwd: string, line: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await execute('bash', ['-euc', line], { cwd, env: { ...process.env, ...IDENTITY, ...env } });
  return stdout.trimEnd();
}

// --- internal ---

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@example.org',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@example.org',
};
