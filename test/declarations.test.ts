/** Declarations of programs that export what the functions of an entry return, against the built package. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { entryNames } from '../scripts/entries.ts';
import { installPacked, type Project } from './packed.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** Codes of the compiler for a type that a declaration cannot name, and for an argument that is no tuple. */
const UNNAMED = /TS(?:2742|2883|4023|4058|4082)\b/u;
const SPREAD = 'TS2556';

const EMIT = ['--declaration', '--emitDeclarationOnly', '--skipLibCheck', '--outDir', 'out'];

describe('a program that imports one entry alone can export what its functions return, from', () => {
  let project: Project;
  beforeAll(async () => {
    project = await installPacked([...Object.keys(manifest.peerDependencies), '@types/node', '@types/pg']);
    await writeFile(join(project.folder, 'package.json'), JSON.stringify({ type: 'module' }));
  }, 60_000);
  afterAll(() => project.remove());

  it.each(entryNames())('%s', async (name) => {
    const entry = name === 'index' ? 'phasegate' : `phasegate/${name}`;
    const exported: unknown = await import(join(repository, 'dist', `${name}.js`));
    expect(exported).toBeTypeOf('object');
    const made = Object.entries(exported ?? {}).flatMap(([key, value]) => {
      if (typeof value === 'object' && value !== null && 'provide' in value) return `entry.${key}.provide({})`;
      return typeof value === 'function' && !`${value}`.startsWith('class') ? `entry.${key}(...some)` : [];
    });
    const lines = made.map((expression, index) => `export const made${index} = ${expression};`);
    await writeFile(
      join(project.folder, `${name}.ts`),
      [`import * as entry from '${entry}';`, 'declare const some: any[];', ...lines].join('\n'),
    );
    const { stdout } = await compile(`${name}.ts`);
    const faults = stdout.split('\n').filter((line) => line.includes('error TS'));
    // Other faults could hide a type, except that functions without a rest parameter refuse the arguments.
    expect(faults.filter((line) => UNNAMED.test(line) || !line.includes(SPREAD))).toEqual([]);
  });

  it('all of them, with their libraries checked', async () => {
    const entries = entryNames().map((name) => (name === 'index' ? 'phasegate' : `phasegate/${name}`));
    await writeFile(
      join(project.folder, 'all.ts'),
      entries.map((entry, index) => `export * as entry${index} from '${entry}';`).join('\n'),
    );
    expect((await compile('all.ts', ['--noEmit'])).stdout).toBe('');
    const { stdout } = await compile('all.ts', ['--noEmit', '--exactOptionalPropertyTypes']);
    const places = stdout.split('\n').filter((line) => line.includes('error TS'));
    expect(places.filter((line) => !/node_modules\/(?:xstate|@restatedev)\//u.test(line))).toEqual([]);
  });

  async function compile(file: string, flags: readonly string[] = EMIT): Promise<{ readonly stdout: string }> {
    const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
    const language = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    return run(process.execPath, [tsc, ...flags, ...language, file], { cwd: project.folder }).catch(
      (error: { stdout: string }) => error,
    );
  }
});
