/** `phasegate coverage`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/store/sqlite/driver.ts';
import type { Coverage } from '../../src/testing.ts';
import { containing, put } from './article.ts';
import { files, phasegate } from './cli.ts';

/** A pipeline whose gate gives the answer in the file `answer`. Its retries are in the file `retries`. */
const LETTER = `
import { definePipeline, phase, task } from 'phasegate';
import { readFileSync } from 'node:fs';
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
export default definePipeline({ name: 'letter', phases: [phase('draft', {
  tasks: [task('write', { run: ({ attempt }) => 'text ' + attempt })],
  review: { maxRetries: Number(read('retries')), checks: [{ name: '<b>spelling</b>', run: () => true }], by: ({ attempt }) => attempt > 0 ? 'APPROVE' : read('answer') },
})] });
`;

const OTHER = `
import { definePipeline, phase, task } from 'phasegate';
export default definePipeline({ name: 'other', phases: [phase('only', { tasks: [task('work', { run: () => 1 })] })] });
`;

/** Runs the letter once for each answer. */
async function letters(...answers: readonly string[]): Promise<string> {
  const cwd = await files({ 'p.mjs': LETTER, 'other.mjs': OTHER, retries: '1' });
  for (const [at, answer] of answers.entries()) {
    await put(cwd, 'answer', answer);
    await phasegate(['run', 'p.mjs', '--run-id', `run-${at}`, '--max-cost', '5'], { cwd });
  }
  return cwd;
}

describe('phasegate coverage', () => {
  it('prints what all runs of the latest pipeline have shown', async () => {
    const cwd = await letters('APPROVE', 'RETRY: More.');
    const { code, stdout } = await phasegate(['coverage'], { cwd });
    expect(stdout.split('\n')).toEqual([
      'Coverage of "letter": 33 %, 6 of 18; 2 runs, 22 records',
      '',
      'phase  ran  approved  rejected  failed  skipped  cancelled',
      'draft    3         2         ·       ·        ·          ·',
      '',
      'gate   approve  retry  reject  escalate  unreadable  error  again  question',
      'draft        2    1/✗       ✗         ✗           ✗      ✗    ✗/✗       ✗/·',
      '',
      'check                     passed  failed',
      '<b>spelling</b> of draft       3       ✗',
      '',
      'end        runs',
      'completed     2',
      'rejected      ✗',
      'failed        ✗',
      'cancelled     ✗',
      'exhausted     ·',
      '',
      'Not shown by any run:',
      '  gate draft: retry refused',
      '  gate draft: reject',
      '  gate draft: escalate',
      '  gate draft: unreadable verdict',
      '  gate draft: review error',
      '  gate draft: review again granted',
      '  gate draft: review again refused',
      '  gate draft: question answered',
      '  check <b>spelling</b> of draft: failed',
      '  end: rejected',
      '  end: failed',
      '  end: cancelled',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('counts only the named runs, or those of one pipeline', async () => {
    const cwd = await letters('APPROVE', 'RETRY: More.');
    await phasegate(['run', 'other.mjs'], { cwd });
    const read = async (...args: readonly string[]): Promise<Coverage> =>
      JSON.parse((await phasegate(['coverage', '--json', ...args], { cwd })).stdout) as Coverage;
    expect(await read()).toMatchObject({ pipeline: 'other', runs: 1, rows: [] });
    expect(await read('run-0')).toMatchObject({ pipeline: 'letter', runs: 1, records: 8 });
    expect(await read('--pipeline', 'letter')).toMatchObject({ runs: 2, records: 22 });
  });

  it('exits with 1 if the runs have shown less than the threshold', async () => {
    const cwd = await letters('APPROVE', 'RETRY: More.');
    expect(await phasegate(['coverage', '--threshold', '33'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(await phasegate(['coverage', '--threshold', '33.4'], { cwd })).toMatchObject({
      code: 1,
      stderr: 'phasegate: the coverage is below the threshold of 33.4 %\n',
    });
    expect(await phasegate(['coverage', '--pipeline', 'none', '--threshold', '1'], { cwd })).toMatchObject({
      code: 1,
      stdout: 'no runs\n',
    });
    expect(await phasegate(['coverage', '--threshold', '101'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing('It must be a number from 0 to 100.'),
    });
  });

  it('exits with 1 if a run could not be read', async () => {
    const cwd = await letters('APPROVE', 'APPROVE');
    const remove = (run: string) => {
      const db = connect(join(cwd, '.phasegate/runs.db'), { readOnly: false });
      const ofRun = 'run = (SELECT key FROM runs WHERE id = ?)';
      expect(db.prepare(`DELETE FROM records WHERE seq = 1 AND ${ofRun}`).run(run).changes).toBe(1);
      db.close();
    };
    remove('run-0');
    const part = await phasegate(['coverage', '--html', 'coverage.html'], { cwd });
    const summary = 'Coverage of "letter": 27 %, 5 of 18; 1 run, 8 records, 1 run that could not be read';
    expect([part.code, part.stdout.split('\n')[0]]).toEqual([1, summary]);
    expect(part.stderr).toContain('phasegate: run run-0 is left out. Cannot read record 1');
    const page = await readFile(join(cwd, 'coverage.html'), 'utf8');
    expect(page).toContain('1 run that could not be read');
    const json = await phasegate(['coverage', '--json'], { cwd });
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, { runs: 1, unreadable: ['run-0'] }]);
    remove('run-1');
    expect(await phasegate(['coverage'], { cwd })).toMatchObject({ code: 1, stdout: 'no run could be read\n' });
    expect(await phasegate(['coverage', '--json'], { cwd })).toMatchObject({ code: 1, stdout: 'null\n' });
  });

  it('leaves out runs of other definitions, refuses a named one, and counts it if that is allowed', async () => {
    const cwd = await letters('APPROVE');
    await put(cwd, 'retries', '0');
    await phasegate(['run', 'p.mjs', '--run-id', 'late'], { cwd });
    expect((await phasegate(['coverage'], { cwd })).stdout).toContain('1 run, 8 records, 1 run of other definitions');
    expect((await phasegate(['coverage', '--allow-changed'], { cwd })).stdout).toContain('; 2 runs,');
    expect(await phasegate(['coverage', 'late', 'run-0'], { cwd })).toMatchObject({
      code: 2,
      stderr: containing('phase "draft": review: maxRetries: 1 → 0'),
    });
  });

  it('writes a page in which the texts of runs are escaped', async () => {
    const cwd = await letters('APPROVE');
    const { code, stdout } = await phasegate(['coverage', '--html', 'coverage.html'], { cwd });
    expect(stdout).toContain('the coverage of "letter" is in coverage.html\n');
    const page = await readFile(join(cwd, 'coverage.html'), 'utf8');
    expect(page).toContain('<td>check &lt;b&gt;spelling&lt;/b&gt; of draft: failed</td>');
    expect(page).not.toContain('<b>');
    expect(code).toBe(0);
  });
});
