/** `phasegate compare`: two runs, a fork with its origin, and what is refused. */
import { describe, expect, it } from 'vitest';
import { article, containing, put, ranTo } from './article.ts';
import { files, phasegate } from './cli.ts';

const RUNS = `import { definePipeline, phase, task } from 'phasegate';
const draft = phase('draft', {
  tasks: [task('write', { run: ({ input, revision }) => [input.text, ...(revision ? [revision.feedback] : [])] })],
  review: ({ attempt }) => (attempt === 0 ? 'RETRY: cite two sources' : 'APPROVE'),
});
export default definePipeline({ name: 'book', phases: [draft, phase('end', { after: [draft], tasks: [task('t', { run: () => 1 })] })] });`;

describe('phasegate compare', () => {
  it('prints the figures, and the decisions and outputs of phases that differ', async () => {
    const cwd = await files({ 'p.mjs': RUNS });
    await phasegate(['run', 'p.mjs', '--input', 'text=one', '--run-id', 'a'], { cwd });
    await phasegate(['run', 'p.mjs', '--input', 'text=two', '--run-id', 'b'], { cwd });
    const { code, stdout } = await phasegate(['compare', 'a', 'b'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('A  run a of "book"  completed\nB  run b of "book"  completed\n');
    expect(stdout).toContain('The definition is the same.\n  The input differs.\n  1 of 2 phases differs.\n');
    expect(stdout).toMatch(/attempts +3 +3\n/u);
    expect(stdout).toContain(
      'draft  differs: outputs\n  attempt 1  differs: outputs\n    both  verdict: retry: cite two sources\n',
    );
    expect(stdout).toContain('  output of write: differs\n      -   "one",\n      +   "two",\n');
    expect(stdout).not.toContain('\nend');
    const json: unknown = JSON.parse((await phasegate(['compare', 'a', 'b', '--json'], { cwd })).stdout);
    expect(json).toMatchObject({
      runs: [{ runId: 'a' }, { runId: 'b' }],
      sameInput: false,
      phases: [
        { phase: 'draft', differences: ['outputs'] },
        { phase: 'end', differences: [] },
      ],
    });
  });

  it('compares a fork with its origin if no other run is named', async () => {
    const cwd = await article('go');
    const id = await ranTo(cwd, 0);
    await phasegate(['fork', id, '--at', 'draft'], { cwd });
    const { code, stdout } = await phasegate(['compare', 'latest'], { cwd });
    expect(stdout).toMatch(new RegExp(`^A {2}run ${id} `, 'u'));
    expect(stdout).toMatch(/B is a fork of A\. The first \d+ records are the same\.\n/u);
    expect(stdout).toContain('draft  differs: status, number of attempts, outputs\n  status: approved → pending\n');
    expect(code).toBe(0);
    await phasegate(['rm', id], { cwd });
    expect(await phasegate(['compare', 'latest'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing(`with its origin as its origin ${id} is not in the store\nName the other run, too: `),
    });
  });

  it('refuses a run that is no fork, and an unknown run', async () => {
    const cwd = await article('go');
    const id = await ranTo(cwd, 0);
    await put(cwd, 'go');
    expect(await phasegate(['compare', id], { cwd })).toMatchObject({
      code: 2,
      stderr: containing(`Cannot compare run ${id} with its origin as it is no fork\n`),
    });
    expect(await phasegate(['compare', id, 'nothing'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing('Cannot find run "nothing"'),
    });
  });
});
