/**
 * The build of this package. Other tests use it from `dist`.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));

it('is a production build under NODE_ENV=test, goes to the named folder, and leaves dist unchanged', () => {
  const folder = mkdtempSync(join(tmpdir(), 'phasegate-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const before = statSync(join(repository, 'dist'));
  const { status, stderr } = spawnSync(
    process.execPath,
    // Node 26 warns of a function that jiti uses.
    ['--disable-warning=DEP0205', '--import', 'jiti/register', 'scripts/build.ts', '--out', join(folder, 'built')],
    { cwd: repository, env: { ...process.env, NODE_ENV: 'test' }, encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(readdirSync(folder)).toEqual(['built']);
  // The development build of React records the source position of each element with `jsxDEV`.
  expect(scriptsOf(join(folder, 'built')).filter((text) => text.includes('jsxDEV'))).toEqual([]);
  const after = statSync(join(repository, 'dist'));
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
});

function scriptsOf(build: string): readonly string[] {
  const assets = join(build, 'dashboard/assets');
  return readdirSync(assets)
    .filter((name) => name.endsWith('.js'))
    .toSorted()
    .map((name) => readFileSync(join(assets, name), 'utf8'));
}
