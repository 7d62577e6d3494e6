/** The example that tests itself, in a project that has the packed package. */
import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPacked, type Project } from '../packed.ts';

const run = promisify(execFile);
const example = fileURLToPath(new URL('../../examples/tested', import.meta.url));

describe('examples/tested', () => {
  let project: Project;
  beforeAll(async () => {
    project = await installPacked(['fast-check', 'vitest']);
    await cp(example, join(project.folder, 'tested'), { recursive: true });
  });
  afterAll(() => project.remove());

  /** Runs a program of Node in the folder of the example. Rejects if it fails. */
  async function play(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' };
    // The variables of this test run are none of that one.
    for (const name of Object.keys(env))
      if (/^(?:VITEST|FORCE_COLOR|NODE_TEST_CONTEXT)/u.test(name)) Reflect.deleteProperty(env, name);
    const { stdout } = await run(process.execPath, args, { cwd: join(project.folder, 'tested'), env });
    return stdout;
  }

  it('passes on Vitest, whose reporter prints the coverage of all files', async () => {
    const printed = await play('../node_modules/vitest/vitest.mjs', 'run');
    expect(printed).toMatch(/Tests +8 passed \(8\)/u);
    expect(printed).toContain('Coverage of "article": 41 %, 19 of 46; 5 runs');
  });

  it('passes on the test runner of Node', async () => {
    const printed = await play('--import', 'jiti/register', '--test', '--test-reporter=tap', 'article.node.ts');
    expect(printed).toMatch(/^# pass 2$/mu);
    expect(printed).toMatch(/Coverage of "article": \d+ %/u);
  });

  it('passes phasegate test', async () => {
    const printed = await play('../node_modules/phasegate/dist/cli/main.js', 'test', 'pipeline.ts');
    expect(printed).toContain('✓ every run ends, every phase is approved, and every gate can demand changes');
  });

  it('fails if the coverage is below the threshold', async () => {
    const config = join(project.folder, 'tested', 'strict.config.ts');
    const text = await readFile(join(example, 'vitest.config.ts'), 'utf8');
    await writeFile(config, text.replace('threshold: 30', 'threshold: 90'));
    const failed = play('../node_modules/vitest/vitest.mjs', 'run', '--config', 'strict.config.ts').catch(
      (error: unknown) => error,
    );
    expect(await failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('below the threshold of 90 %') as string,
    });
  });
});
