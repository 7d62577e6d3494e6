/** Commands on a store whose disk is full. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { containing } from './article.ts';
import { files, mayMount, phasegate, phasegateProcess } from './cli.ts';

/** A pipeline that waits for a person, one that fails, and one that needs more room than the disk has. */
const CONTENT = {
  'asks.mjs': `import { definePipeline, human, phase, task } from 'phasegate';
export default definePipeline({ name: 'asks', phases: [
  phase('ask', { tasks: [task('n', { run: human({ question: 'Which?' }) })] }),
] });`,
  'fails.mjs': `import { definePipeline, phase, task } from 'phasegate';
export default definePipeline({ name: 'fails', phases: [
  phase('work', { tasks: [task('t', { run: () => { throw new Error('no'); } })] }),
] });`,
  'large.mjs': `import { randomBytes } from 'node:crypto';
import { definePipeline, phase, task } from 'phasegate';
export default definePipeline({ name: 'large', phases: Array.from({ length: 30 }, (_, at) =>
  phase(\`p\${at}\`, { after: at === 0 ? [] : [\`p\${at - 1}\`], tasks: [task('t', { run: () => randomBytes(150_000).toString('hex') })] }),
) });`,
};

describe.runIf(mayMount)('a store on a full disk', () => {
  it('refuses each command with the action that the user wanted', async () => {
    const cwd = await files(CONTENT);
    const disk = join(cwd, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2500k', 'tmpfs', disk]);
    try {
      const store = ['--store', 'disk/runs.db'];
      const on = (...args: readonly string[]) => phasegate([...args, ...store], { cwd });
      await on('run', 'asks.mjs', '--run-id', 'waits');
      await on('run', 'fails.mjs', '--run-id', 'failed');
      await on('export', 'failed', '-o', 'out.jsonl');
      // Its process cannot release the run either, and ends.
      const full = await phasegateProcess(['run', 'large.mjs', '--run-id', 'left', ...store], { cwd });
      expect(full.stdout).toContain('STORE_FULL');
      await writeFile(join(disk, 'filler'), Buffer.alloc(4_000_000)).catch(() => undefined);
      const refused = async (...args: readonly string[]) => (await on(...args)).stderr.split('\n', 1)[0];
      const told = {
        left: await Promise.all([refused('resume', 'left'), refused('cancel', 'left'), refused('rm', 'left')]),
        waits: await Promise.all([refused('resume', 'waits'), refused('cancel', 'waits'), refused('rm', 'waits')]),
        failed: await Promise.all([
          refused('retry', 'failed'),
          refused('fork', 'failed', '--at', '2'),
          refused('fork', 'failed', '--at', '2', '--run'),
          refused('import', 'out.jsonl', '--run-id', 'again'),
        ]),
      };
      const found = `as ${disk}/runs.db has no room to grow`;
      const each = (run: string) =>
        ['resume', 'cancel', 'remove'].map((action) => `Cannot ${action} run ${run} ${found}`);
      const failed = ['retry run failed', 'fork run failed', 'fork run failed', 'import run again'];
      expect(told).toEqual({
        left: each('left'),
        waits: each('waits'),
        failed: failed.map((action) => `Cannot ${action} ${found}`),
      });
      const ends = await on('move', 'other.db');
      expect(ends).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`Cannot move run waits ${found}`) as unknown,
      });
      // With more room, all runs can be moved, also the one that its process left.
      await rm(join(disk, 'filler'));
      await rm(join(cwd, 'other.db'));
      execFileSync('mount', ['-o', 'remount,size=20m', disk]);
      expect(await on('move', 'other.db')).toMatchObject({ code: 0, stdout: '3 runs moved to other.db\n' });
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });
});

describe.runIf(mayMount)('a file on a full disk', () => {
  /** Runs the work with a full disk, which has a file with the content `old`. */
  async function onFullDisk(work: (cwd: string, disk: string) => Promise<void>): Promise<void> {
    const cwd = await files({ ...CONTENT, 'disk/p.mjs': '' });
    const disk = join(cwd, 'disk');
    await phasegate(['run', 'fails.mjs', '--run-id', 'r1'], { cwd });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'tmpfs', disk]);
    try {
      await writeFile(join(disk, 'old.svg'), 'old');
      await writeFile(join(disk, 'fails.mjs'), CONTENT['fails.mjs']);
      await writeFile(join(disk, 'filler'), Buffer.alloc(1_000_000)).catch(() => undefined);
      const before = await readdir(disk);
      await work(cwd, disk);
      expect(await readdir(disk)).toEqual(before);
      expect(await readFile(join(disk, 'old.svg'), 'utf8')).toBe('old');
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  }

  it.each([
    ['coverage', '--html'],
    ['export', 'r1', '-o'],
    ['graph', 'r1', '-o'],
    ['report', 'r1', '-o'],
  ])('stays as it was, and no part of another is left: %s', async (...args) => {
    await onFullDisk(async (cwd) => {
      for (const file of ['disk/old.svg', 'disk/new.svg'])
        expect(await phasegate([...args, file], { cwd })).toMatchObject({
          code: 2,
          stderr: containing(`Cannot write "${file}": ENOSPC`),
        });
    });
  });

  it.each([['init'], ['init', 'yaml'], ['test', 'fails.mjs', '--write']])('is not begun: %s %s', async (...args) => {
    await onFullDisk(async (_, disk) => {
      const refused = await phasegate(args, { cwd: disk });
      expect(refused).toMatchObject({ code: 2, stderr: containing('ENOSPC') });
      expect(refused.stderr).toContain('FILE_UNREADABLE');
    });
  });
});
