/**
 * Builds the package into a temporary folder next to the target, and moves it to the target when it is complete. Processes that
 * use the old build find a complete build at any time. Every build is a production build, whatever `NODE_ENV` is.
 *
 * `npm run build`, or `npm run build -- --out <folder>` for another folder than `dist`.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleTypes } from './bundle-types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } });
const out = resolve(values.out);
mkdirSync(dirname(out), { recursive: true });
// A folder of this process, as two builds may run at once. It is next to the target, as folders cannot be renamed across disks.
const stage = mkdtempSync(join(dirname(out), '.build-'));
const next = join(stage, 'next');
const old = join(stage, 'old');
const declarations = join(stage, 'declarations');
const BUILD_FLAGS = ['--mode', 'production', '--logLevel', 'warn'];
const LIBRARY = ['--config', 'scripts/library.config.ts', '--configLoader', 'runner'];

try {
  const status =
    run('typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', declarations) ||
    run('vite/bin/vite.js', 'build', ...LIBRARY, ...BUILD_FLAGS, '--outDir', next) ||
    run('vite/bin/vite.js', 'build', 'visualizations/dashboard', ...BUILD_FLAGS, '--outDir', join(next, 'dashboard'));
  if (status === 0) {
    await bundleTypes(join(declarations, 'src'), join(next, 'types'));
    chmodSync(join(next, 'cli/main.js'), 0o755);
    while (!isPlaced());
  }
  process.exitCode = status;
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** Runs a program of a development dependency. @returns Its exit code. */
function run(program: string, ...args: readonly string[]): number {
  const { status, error } = spawnSync(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: root,
    stdio: 'inherit',
    // Test runners set NODE_ENV=test, with which some packages, such as React, build differently.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (error) throw error;
  return status ?? 1;
}

/** Moves the new build to the target, or moves the old one away. If two processes build at once, one of the builds stays. @returns True if done. */
function isPlaced(): boolean {
  if (isRenamed(next, out)) return true;
  rmSync(old, { recursive: true, force: true });
  isRenamed(out, old);
  return false;
}

/** Renames a folder. @returns False if the new name is taken, or if the folder is missing. */
function isRenamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (thrown) {
    const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'EPERM' || (code === 'ENOENT' && from === out))
      return false;
    throw thrown;
  }
}
