/** A Node without SQLite, in which the replacement package does not load. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { article, containing } from './article.ts';
import { files, main, repository, type Ended } from './cli.ts';

/** Copies the build, with every package but one, which fails to load. @returns The path of its command line. */
async function installation(): Promise<string> {
  const place = await files({});
  const build = dirname(dirname(main));
  await cp(build, join(place, 'dist'), { recursive: true });
  await cp(join(repository, 'package.json'), join(place, 'package.json'));
  const modules = join(place, 'node_modules');
  await mkdir(modules);
  for (const name of await readdir(join(repository, 'node_modules'))) {
    if (name.startsWith('.') || name === '@photostructure') continue;
    await symlink(join(repository, 'node_modules', name), join(modules, name), 'junction');
  }
  // A package that could not be built for the machine fails in the same way.
  await mkdir(join(modules, '@photostructure/sqlite'), { recursive: true });
  await writeFile(join(modules, '@photostructure/sqlite/index.js'), `throw new Error('no build for this machine');`);
  return join(place, 'dist/cli/main.js');
}

function run(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  const NODE_OPTIONS = process.allowedNodeEnvironmentFlags.has('--experimental-sqlite')
    ? '--no-experimental-sqlite'
    : '';
  const env = { ...process.env, NODE_OPTIONS, PHASEGATE_STORE: undefined };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { cwd, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe('without SQLite', () => {
  it('a run is not stored, and says so once; a store that is asked for is refused', async () => {
    const program = await installation();
    const cwd = await article('go');
    const { code, stdout, stderr } = await run(program, ['run', 'p.mjs'], cwd);
    expect(stderr).toBe(
      `phasegate: this run is not stored. Cannot store runs in SQLite as Node ${process.version} has no SQLite\n` +
        'Install @photostructure/sqlite, or use Node 22.13 or later.\n',
    );
    expect(stdout).toContain('✓ completed');
    expect(stdout).not.toContain('stored in');
    expect(code).toBe(0);
    expect(await run(program, ['run', 'p.mjs', '--store', 'mine.db'], cwd)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: containing('Cannot store runs in SQLite'),
    });
    expect(await run(program, ['run', 'p.mjs', '--no-store'], cwd)).toMatchObject({ code: 0, stderr: '' });
  });
});
