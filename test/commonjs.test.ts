/** Programs of CommonJS, with the package as users install it. docs/bundlers.md says what they need. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { entryNames } from '../scripts/entries.ts';
import { installPacked, type Project } from './packed.ts';

const run = promisify(execFile);
const compiler = join(fileURLToPath(new URL('..', import.meta.url)), 'node_modules', 'typescript', 'bin', 'tsc');

const PROGRAM = `
  const pipeline = definePipeline({ name: 'one', phases: [phase('only', { tasks: [task('work', { run: () => 1 })] })] });
  void startRun(pipeline).result.then(({ status }) => console.log(status));`;
const STATIC = `import { definePipeline, phase, startRun, task } from 'phasegate'; ${PROGRAM}`;
const DYNAMIC = `void import('phasegate').then(({ definePipeline, phase, startRun, task }) => { ${PROGRAM} });`;

describe('a program of CommonJS', () => {
  let project: Project;
  beforeAll(async () => {
    project = await installPacked([...Object.keys(manifest.peerDependencies), '@types/node']);
  }, 60_000);
  afterAll(() => project.remove());

  it('requires every entry', async () => {
    const entries = entryNames().map((name) => (name === 'index' ? 'phasegate' : `phasegate/${name}`));
    await writeFile(
      join(project.folder, 'all.cjs'),
      `for (const entry of ${JSON.stringify(entries)}) if (!Object.keys(require(entry)).length) throw new Error(entry);`,
    );
    await run(process.execPath, ['all.cjs'], { cwd: project.folder });
  });

  it.each([
    ['static.ts', STATIC, 'nodenext'],
    ['static.mts', STATIC, 'node16'],
    ['dynamic.ts', DYNAMIC, 'node16'],
  ])('is compiled and runs: %s', async (file, program, module) => {
    expect(await compiled(file, program, module)).toEqual([]);
    const { stdout } = await run(process.execPath, [join('out', file.replace('ts', 'js'))], { cwd: project.folder });
    expect(stdout).toBe('completed\n');
  });

  it('is refused by TypeScript with an import and node16', async () => {
    expect(await compiled('refused.ts', STATIC, 'node16')).toEqual(['TS1479']);
  });

  /** Compiles a file. @returns The codes of its faults. */
  async function compiled(file: string, program: string, module: string): Promise<readonly string[]> {
    await writeFile(join(project.folder, file), program);
    const options = ['--strict', '--skipLibCheck', '--module', module, '--target', 'es2022', '--types', 'node'];
    const { stdout } = await run(process.execPath, [compiler, ...options, '--outDir', 'out', file], {
      cwd: project.folder,
    }).catch((error: { stdout: string }) => error);
    return stdout.match(/TS\d+/gu) ?? [];
  }
});
