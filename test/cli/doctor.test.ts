/** `phasegate doctor`. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { containing, put } from './article.ts';
import { endless, files, phasegate, start, witness } from './cli.ts';

/** A pipeline whose gate asks for the same change until it gives up; with `kind` it approves at once. */
const ESSAY = `
import { definePipeline, phase, task } from 'phasegate';
import { existsSync } from 'node:fs';
export default definePipeline({ name: 'essay', phases: [phase('draft', {
  tasks: [task('write', { run: ({ attempt }) => 'text ' + attempt })],
  review: { onExhausted: 'reject', loopAfter: 'unlimited', by: () => existsSync(new URL('kind', import.meta.url)) ? 'APPROVE' : 'RETRY: Cite your \\x1b[31msources.' },
})] });
`;

async function examined(...runs: readonly string[]): Promise<string> {
  const cwd = await files({ 'p.mjs': ESSAY });
  for (const run of runs) await phasegate(['run', 'p.mjs', '--run-id', run], { cwd });
  return cwd;
}

describe('phasegate doctor', () => {
  it('reports problems across all runs, and the attempts of phases', async () => {
    const cwd = await examined('first', 'second');
    const { code, stdout } = await phasegate(['doctor'], { cwd });
    expect(stdout.split('\n')).toEqual([
      '2 runs, 1 gate: 2 problems, 1 notice',
      '',
      '✗ essay / draft  REVISION_UNREAD',
      '  4 of 4 attempts after a demand read neither `prompt` nor `revision`.',
      '  See second #8, second #14, first #8.',
      containing('  → Send `prompt` to the model'),
      '',
      '✗ essay / draft  CRITIQUE_REPEATED',
      '  4 of 6 demands repeated the one before: 4 in the same words.',
      expect.stringMatching(/^ {2}See second #\d+, second #\d+, first #\d+\.$/u),
      containing('  → See if the worker reads the revision'),
      '',
      '! essay / draft  CHANGE_NOT_NAMED',
      '  6 of 6 demands named no required change on one line.',
      expect.stringMatching(/^ {2}See second #\d+, second #\d+, second #\d+\.$/u),
      containing('  → Have the reviewer answer with one imperative sentence'),
      '',
      'attempts          1     2     3',
      'essay / draft     ·     ·     2',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('examines only the named runs, and exits with 0 if they have no problem', async () => {
    const cwd = await examined('bad');
    await put(cwd, 'kind');
    await phasegate(['run', 'p.mjs', '--run-id', 'good'], { cwd });
    expect(await phasegate(['doctor', 'good'], { cwd })).toMatchObject({
      code: 0,
      stdout: '1 run, 1 gate: 0 problems, 0 notices\n\nattempts          1\nessay / draft     1\n',
    });
    expect((await phasegate(['doctor', 'good', 'bad', 'bad'], { cwd })).stdout).toContain('2 runs, 1 gate: 2 problems');
    const { stdout } = await phasegate(['doctor', 'bad', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      runs: ['bad'],
      gates: [{ phase: 'draft', reviews: 3, demands: 3, attempts: { 3: 1 }, gate: { onExhausted: 'reject' } }],
      sentBack: [],
      findings: [
        { code: 'REVISION_UNREAD' },
        { code: 'CRITIQUE_REPEATED', found: '2 of 3 demands repeated the one before: 2 in the same words' },
        { code: 'CHANGE_NOT_NAMED' },
      ],
    });
  });

  it('reports nothing if there are no runs, and refuses an unknown run', async () => {
    const cwd = await examined('good');
    expect(await phasegate(['doctor', '--pipeline', 'other'], { cwd })).toMatchObject({ code: 0, stdout: 'no runs\n' });
    expect(await phasegate(['doctor', 'nobody'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing('RUN_UNKNOWN'),
    });
  });

  it('names runs that are ready while no process works on them, by version', async () => {
    const source = (output: string, version: string) =>
      `import { definePipeline, phase, task } from 'phasegate';
       export default definePipeline({ name: 'note', version: '${version}', phases: [
         phase('draft', { tasks: [task('write', { run: () => '${output}' })] })] });`;
    const cwd = await files({ 'one.mjs': source('a', '1'), 'two.mjs': source('b', '2') });
    for (const [file, id] of [
      ['one.mjs', 'r1'],
      ['two.mjs', 'r2'],
      ['two.mjs', 'r3'],
    ] as const)
      await phasegate(['run', file, '--detach', '--run-id', id], { cwd });
    await phasegate(['run', 'one.mjs', '--run-id', 'done'], { cwd });
    const { code, stdout } = await phasegate(['doctor'], { cwd });
    expect(code).toBe(0);
    expect(
      stdout
        .replaceAll(/[\d.]+s old/gu, '0s old')
        .split('\n')
        .slice(0, 11),
    ).toEqual([
      '4 runs, 0 gates: 0 problems, 2 notices',
      '',
      '! note  UNCLAIMED',
      '  A run is ready, and no process works on it; the latest record is 0s old.',
      '  See r1.',
      '  → Start a worker that has the definition of this run: phasegate work one.mjs',
      '',
      '! note  UNCLAIMED',
      '  2 runs of one version are ready, and no process works on them; the latest record of one is 0s old.',
      '  See r2, r3.',
      '  → Start a worker that has the definition of these runs: phasegate work two.mjs',
    ]);
    const json: unknown = JSON.parse((await phasegate(['doctor', 'r2', '--json'], { cwd })).stdout);
    expect(json).toMatchObject({ unclaimed: [{ pipeline: 'note', runs: ['r2'] }] });
  });

  it.each([
    ['a run', `task('ask', { run: human({ question: 'Which name?' }) })`],
    ['the run of a task', `task('go', { pipeline: () => inner })`],
  ])('does not name a run that waits for a person, until somebody has answered: %s', async (_, first) => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, human, phase, task } from 'phasegate';
        const inner = definePipeline({ name: 'inner', phases: [
          phase('b', { tasks: [task('ask', { run: human({ question: 'Which name?' }) })] })] });
        export default definePipeline({ name: 'outer', phases: [phase('a', { tasks: [${first}] })] });`,
    });
    expect(await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd })).toMatchObject({ code: 3 });
    expect((await phasegate(['doctor'], { cwd })).stdout).not.toContain('UNCLAIMED');
    // An import waits as well, also with another id. One that nobody has begun does not.
    expect(await phasegate(['export', 'r1', '-o', 'r1.jsonl'], { cwd })).toMatchObject({ code: 0 });
    const there = ['--store', 'other.db'];
    for (const id of ['r1', 'r2']) await phasegate(['import', 'r1.jsonl', '--run-id', id, ...there], { cwd });
    expect((await phasegate(['ls', ...there], { cwd })).stdout).toMatch(/^r2 +waiting: a /mu);
    expect((await phasegate(['doctor', ...there], { cwd })).stdout).not.toContain('UNCLAIMED');
    const other = /"id":"(r2[^"]+)"/u.exec((await phasegate(['inbox', '--json', ...there], { cwd })).stdout)?.[1] ?? '';
    await phasegate(['inbox', 'answer', other, '--value', '"x"', ...there], { cwd });
    expect((await phasegate(['doctor', ...there], { cwd })).stdout).toMatch(/UNCLAIMED[^]*See r2\./u);
    await phasegate(['run', 'p.mjs', '--detach', '--run-id', 'q'], { cwd });
    await phasegate(['export', 'q', '-o', 'q.jsonl'], { cwd });
    await phasegate(['import', 'q.jsonl', ...there], { cwd });
    await phasegate(['rm', 'q'], { cwd });
    expect((await phasegate(['doctor', 'q', ...there], { cwd })).stdout).toMatch(/UNCLAIMED[^]*See q\./u);
    const { stdout } = await phasegate(['inbox', '--json'], { cwd });
    const [, item = ''] = /"id":"([^"]+)"/u.exec(stdout) ?? [];
    expect(await phasegate(['inbox', 'answer', item, '--value', '"x"'], { cwd })).toMatchObject({ code: 0 });
    expect((await phasegate(['doctor'], { cwd })).stdout).toMatch(/UNCLAIMED[^]*See r1\./u);
    expect(await phasegate(['resume', 'r1'], { cwd })).toMatchObject({ code: 0 });
    expect((await phasegate(['doctor'], { cwd })).stdout).not.toContain('UNCLAIMED');
  });

  it('says that the file of a pipeline is not there, as all who name the next step do', async () => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, human, phase, task } from 'phasegate';
        export default definePipeline({ name: 'note', phases: [
          phase('a', { tasks: [task('ask', { run: human({ question: 'Which name?' }) })] })] });`,
    });
    const printed = async (...args: readonly string[]) => (await phasegate(args, { cwd })).stdout;
    await printed('run', 'p.mjs', '--run-id', 'r1');
    await rename(join(cwd, 'p.mjs'), join(cwd, 'q.mjs'));
    const [, item = ''] = /"id":"([^"]+)"/u.exec(await printed('inbox', '--json')) ?? [];
    expect(await printed('inbox', 'answer', item, '--value', '"x"')).toMatch(
      /^answered; it is applied when the run resumes, but \S+p\.mjs is not there; name the file: phasegate work <pipeline>, or phasegate resume r1 <pipeline>\n$/u,
    );
    expect(await printed('doctor')).toMatch(
      /→ \S+p\.mjs is not there\. Start a worker that has the definition of this run: phasegate work <pipeline>\n/u,
    );
    expect(await printed('show', 'r1')).toContain('resume with: phasegate resume r1 <pipeline>\n');
    expect(await phasegate(['resume', 'r1', 'q.mjs'], { cwd })).toMatchObject({ code: 0 });
  });

  it('names the run of a killed process at once', async () => {
    const seen = await witness();
    const cwd = await files({ 'p.mjs': endless(seen) });
    const { child, ended } = start(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    await seen.born(1);
    expect((await phasegate(['doctor'], { cwd })).stdout).not.toContain('UNCLAIMED');
    child.kill('SIGKILL');
    await ended;
    expect((await phasegate(['doctor'], { cwd })).stdout).toMatch(/UNCLAIMED[^]*See r1\./u);
  });
});
