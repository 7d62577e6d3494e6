/**
 * Builds `dist`: beside it first, and put in its place when it is whole, so that nobody who uses it at that time finds it gone.
 * `npx phasegate` in this repository builds it, too.
 *
 * `npm run build`
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
// By process, as two may build at once.
const next = join(root, 'out', `build-${process.pid}`);
const old = join(root, 'out', `built-${process.pid}`);

mkdirSync(join(root, 'out'), { recursive: true });
const status =
  run('tsc', '-p', 'tsconfig.build.json', '--outDir', next) ||
  run('vite', 'build', 'visualizations/dashboard', '--outDir', join(next, 'dashboard'), '--logLevel', 'warn');
if (status === 0) {
  chmodSync(join(next, 'src/cli/main.js'), 0o755);
  while (!isPlaced());
}
for (const folder of [next, old]) rmSync(folder, { recursive: true, force: true });
process.exitCode = status;

/** Runs a program of this package's, and gives its exit code. */
function run(program: string, ...args: readonly string[]): number {
  const { status: code, error } = spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  return code ?? 1;
}

/** Puts the new one in the place of the old, or takes that away. Where two processes build at once, one of theirs stays. */
function isPlaced(): boolean {
  if (isRenamed(next, dist)) return true;
  rmSync(old, { recursive: true, force: true });
  isRenamed(dist, old);
  return false;
}

/** Whether a folder has got a name: not where something else has it, or it is not there itself. */
function isRenamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (thrown) {
    const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'EPERM' || (code === 'ENOENT' && from === dist))
      return false;
    throw thrown;
  }
}
