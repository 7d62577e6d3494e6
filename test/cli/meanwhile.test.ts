/** Changes by others to a run, or to its store, during a command. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { article, leftAtWork, put, startUntil } from './article.ts';
import { files, phasegateProcess as phasegate } from './cli.ts';

describe('a run', () => {
  it('is reported as removed if that happens while it is followed, as its end is unknown', async () => {
    const cwd = await article();
    const id = await leftAtWork(cwd);
    const { ended } = await startUntil(['events', id, '--follow'], 'at work', cwd);
    expect((await phasegate(['rm', id], { cwd })).code).toBe(0);
    const { code, stderr } = await ended;
    expect(stderr).toContain(`Cannot follow run ${id} to its end as it was removed meanwhile\n`);
    expect(code).toBe(2);
  });

  it('ends if its store is removed, and does not claim to be stored', async () => {
    const cwd = await files({
      'p.mjs': `import { existsSync, watch } from 'node:fs';
        import { definePipeline, phase, task } from 'phasegate';
        export default definePipeline({ name: 'article', phases: [phase('draft', { tasks: [task('write', {
          run: ({ report }) => new Promise((done) => {
            const watcher = watch('.', () => { if (existsSync('go')) { watcher.close(); done('text'); } });
            report({ progress: 'at work' });
          }),
        })] })] });`,
    });
    const { ended } = await startUntil(['run', 'p.mjs', '--store', 'del/r.db'], 'at work', cwd);
    await rm(join(cwd, 'del'), { recursive: true });
    await put(cwd, 'go');
    const { code, stdout } = await ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/ as its store refused 3 records\n.*Cannot append to run \w+ as .*r\.db was removed\n/u);
    expect(stdout).toContain('  not stored, as del/r.db was removed meanwhile\n');
    expect(stdout).not.toMatch(/^  stored in |phasegate (?:resume|retry)/mu);
  });

  it('that is left reports the time until then, not until its last record', async () => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, phase, task } from 'phasegate';
        export default definePipeline({ name: 'article', phases: [phase('draft', { tasks: [task('write', {
          run: () => new Promise(() => { setTimeout(() => console.log('a while later'), 1100); }),
        })] })] });`,
    });
    const { child, ended } = await startUntil(['run', 'p.mjs'], 'a while later', cwd);
    child.kill('SIGINT');
    const [, seconds] = /suspended in ([\d.]+)s/u.exec((await ended).stdout) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(1.1);
  });

  it('without usage shows none in its questions', async () => {
    const cwd = await article('go', 'ask');
    await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    const { code, stdout } = await phasegate(['inbox', 'show', 'r1:'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('--approve');
    expect(stdout).not.toContain('used:');
  });
});
