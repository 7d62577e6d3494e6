/** `phasegate test`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { files, phasegate } from './cli.ts';

/** A pipeline whose work must not be called. */
const NOTE = `
import { definePipeline, phase, task } from 'phasegate';
import { writeFileSync } from 'node:fs';
const work = () => writeFileSync('called', '');
export default definePipeline({ name: 'note', phases: [
  phase('plan', { tasks: [task('outline', { run: work })], review: work }),
  phase('write', { after: ['plan'], tasks: [task('draft', { run: work })], review: { by: work, maxRetries: 1 } }),
] });
`;

describe('phasegate test', () => {
  it('prints bounds and coverage of rehearsals, and calls no work', async () => {
    const cwd = await files({ 'p.mjs': NOTE });
    const { code, stdout } = await phasegate(['test', 'p.mjs'], { cwd });
    expect(stdout).toContain('rehearsals with sample data; no work of the pipeline was called');
    expect(stdout).toMatch(/^write +attempts +6 +6$/mu);
    expect(stdout).toContain('Coverage of "note": 100 %');
    expect(code).toBe(0);
    await expect(readFile(join(cwd, 'called'))).rejects.toThrow();
    const { stdout: json } = await phasegate(['test', 'p.mjs', '--json'], { cwd });
    expect(JSON.parse(json)).toMatchObject({
      findings: [],
      waits: ['plan', 'write'],
      coverage: { percent: 100, missing: [] },
    });
  });

  it('writes a test once, and none of a file that a test cannot import', async () => {
    const yaml = 'name: p\nphases:\n  - name: a\n    tasks: [{ name: t, command: [node] }]\n';
    const cwd = await files({ 'p.mjs': NOTE, 'p.yaml': yaml });
    expect((await phasegate(['test', 'p.mjs', '--write'], { cwd })).code).toBe(0);
    const written = await readFile(join(cwd, 'p.test.mjs'), 'utf8');
    expect(written).toContain(`import pipeline from './p.mjs';`);
    expect(written).toContain('expect(coverage.missing).toEqual([]);');
    const again = await phasegate(['test', 'p.mjs', '--write'], { cwd });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('Cannot write "p.test.mjs"')]);
    expect((await phasegate(['test', 'p.yaml'], { cwd })).code).toBe(0);
    expect((await phasegate(['test', 'p.yaml', '--write'], { cwd })).stderr).toContain('a test file cannot import it');
  });

  it('refuses a gate without a bound, with a table', async () => {
    const endless = NOTE.replace('maxRetries: 1', `maxRetries: 'unlimited', loopAfter: 'unlimited'`);
    const { code, stderr } = await phasegate(['test', 'p.mjs'], { cwd: await files({ 'p.mjs': endless }) });
    expect(code).toBe(2);
    expect(stderr).toMatch(/write +attempts +Infinity +0 +no bound/u);
  });
});
