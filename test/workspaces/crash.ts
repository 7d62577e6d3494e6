/**
 * A process that works in a workspace, and kills itself at a point.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gitWorkspace } from '../../src/workspaces/operations/git-workspace.ts';
import { placeOf, put, signal } from './rig-places.ts';

const [, , user = '', root = '', point = ''] = process.argv;

const workspaces = gitWorkspace({ repository: user, root });
const { base } = await workspaces.start({ run: 'run', signal });
die('start');
const opening = workspaces.open(placeOf(), { base, signal });
if (point === 'try') await reach(() => homes().some((home) => readdirSync(home).some((name) => !name.startsWith('.'))));
die('try');
// As soon as git has begun to clone.
if (point === 'clone') await reach(hasClone);
die('clone');
const workspace = await opening;
die('open');
await put(workspace.path, 'mine', 'first\n');
const agent = spawn('sleep', ['600'], { cwd: workspace.path, detached: true, stdio: 'ignore', env: workspace.env });
await workspace.entered(agent.pid ?? 0);
die('agent');
if (point === 'commit') {
  // Objects are written by then, and the ref is not.
  void workspace.keep({ title: 'First', signal });
  await reach(hasIndex);
}
die('commit');
await workspace.keep({ title: 'First', signal });
die('keep');
void workspace.close();
die('close');

async function reach(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

function die(here: string): void {
  if (point === here) process.kill(process.pid, 'SIGKILL');
}

function homes(): readonly string[] {
  return existsSync(root) ? readdirSync(root).map((name) => join(root, name)) : [];
}

function hasClone(): boolean {
  const tries = homes().flatMap((home) =>
    readdirSync(home)
      .filter((name) => !name.startsWith('.'))
      .map((name) => join(home, name)),
  );
  return tries.some((one) => existsSync(join(one, 'user', '.git')));
}

function hasIndex(): boolean {
  const folders = homes().flatMap((home) => {
    const scratch = join(home, '.scratch');
    return existsSync(scratch) ? readdirSync(scratch).map((name) => join(scratch, name)) : [];
  });
  return folders.some((one) => existsSync(join(one, 'index')));
}
