/** Commands that cannot end as they should: the output cannot be written, or there is nothing to run. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { containing } from './article.ts';
import { endless, files, main, phasegateProcess as phasegate, repository, start, witness, type Ended } from './cli.ts';

const YAML = `
name: article
phases:
  - name: draft
    tasks: [{ name: write, command: [echo, text] }]
`;
const FULL = '/dev/full';
const NO_SPACE = 'phasegate: Cannot write the output: ENOSPC: no space left on device, write\n';

/** Runs the command line with a stream that goes to a full disk. */
function toFullDisk(stream: 1 | 2, args: readonly string[], cwd = repository): Promise<Ended> {
  return new Promise((resolve) => {
    const shell = ['-c', `exec "$0" "$@" ${stream}> ${FULL}`, process.execPath, main, ...args];
    const child = execFile('sh', shell, { cwd, encoding: 'utf8' }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe.skipIf(!existsSync(FULL))('a full disk', () => {
  it.each(['check p.yaml', 'graph p.yaml', '--help'])('fails %s with a message', async (command) => {
    const cwd = await files({ 'p.yaml': YAML });
    expect(await toFullDisk(1, command.split(' '), cwd)).toEqual({ code: 1, stdout: '', stderr: NO_SPACE });
  });

  it.each(['ls', 'events latest', 'show latest', 'report latest', 'export latest', 'inbox'])(
    'fails %s with a message',
    async (command) => {
      const cwd = await files({ 'p.yaml': YAML });
      await phasegate(['run', 'p.yaml'], { cwd });
      expect(await toFullDisk(1, command.split(' '), cwd)).toEqual({ code: 1, stdout: '', stderr: NO_SPACE });
    },
  );

  it.each([
    ['cancels a run whose records are lost', ['--json', '--no-store'], '⊘ cancelled'],
    [
      'leaves a run that is kept, whose records are lost',
      ['--json', '--run-id', 'r1'],
      'resume with: phasegate resume r1\n',
    ],
    [
      'leaves a run that is kept, and names it on standard error',
      ['--run-id', 'r1'],
      'resume with: phasegate resume r1\n',
    ],
  ])('%s', async (_, flags, text) => {
    const cwd = await files({ 'p.yaml': YAML });
    const { code, stderr } = await toFullDisk(1, ['run', 'p.yaml', ...flags], cwd);
    expect(stderr).toContain(text);
    expect(stderr.startsWith(NO_SPACE)).toBe(true);
    expect(code).toBe(1);
  });

  it('names a run that is stored for a worker on standard error', async () => {
    const cwd = await files({ 'p.yaml': YAML });
    const { code, stderr } = await toFullDisk(1, ['run', 'p.yaml', '--detach'], cwd);
    const { stdout } = await phasegate(['ls', '--json'], { cwd });
    const { runId } = JSON.parse(stdout) as { readonly runId: string };
    expect([code, stderr]).toEqual([
      1,
      `${NO_SPACE}phasegate: run ${runId} is stored, and a worker begins it: phasegate work p.yaml\n`,
    ]);
  });

  it('names a fork, an export and an import on standard error', async () => {
    const cwd = await files({ 'p.yaml': YAML });
    await phasegate(['run', 'p.yaml', '--run-id', 'r1'], { cwd });
    const lost = async (...args: readonly string[]) => {
      const { code, stderr } = await toFullDisk(1, args, cwd);
      expect([code, stderr.slice(0, NO_SPACE.length)]).toEqual([1, NO_SPACE]);
      return stderr.slice(NO_SPACE.length);
    };
    expect(await lost('export', 'r1', '-o', 'r1.jsonl')).toMatch(/^run r1 of "article" is in r1.jsonl\nseal \w+\n$/u);
    const [, forked] = /^run (\S+) is a fork of run r1\n/u.exec(await lost('fork', 'r1', '--at', '2')) ?? [];
    const [, imported] = /^run (\S+) of "article" imported, as /u.exec(await lost('import', 'r1.jsonl')) ?? [];
    const { stdout } = await phasegate(['ls', '--json'], { cwd });
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly runId: string }).runId);
    expect(new Set(ids)).toEqual(new Set(['r1', forked, imported]));
  });

  it('keeps the next steps of a run of which only the last lines are lost', async () => {
    // The disk is full from the summary on.
    const cwd = await files({
      'p.mjs': `import { definePipeline, phase, task } from 'phasegate';
        import { closeSync, openSync } from 'node:fs';
        const run = () => {
          const write = process.stdout.write;
          process.stdout.write = function (text, ...more) {
            if (text.includes('phasegate retry')) {
              closeSync(1);
              openSync('${FULL}', 'w');
            }
            return write.call(this, text, ...more);
          };
          throw new Error('no');
        };
        export default definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run })] })] });`,
    });
    const shell = ['-c', 'exec "$0" "$@" > out', process.execPath, main, 'run', 'p.mjs', '--run-id', 'r1'];
    const stderr = await new Promise((resolve) => execFile('sh', shell, { cwd }, (_, _stdout, text) => resolve(text)));
    expect(stderr).toBe(
      `${NO_SPACE}  stored in .phasegate/runs.db\n  retry unapproved phases with: phasegate retry r1\n`,
    );
    expect(readFileSync(join(cwd, 'out'), 'utf8')).toMatch(/run failed\n$/u);
  });

  it('keeps the exit code of a command that fails anyway', async () => {
    expect(await toFullDisk(2, ['run', 'nope.yaml'])).toEqual({ code: 2, stdout: '', stderr: '' });
  });
});

describe('a module that does not finish loading', () => {
  it.each([
    [
      'it ends the process',
      'process.exit(0)',
      'Cannot load "p.ts" as it ends the process while it is loaded\nRemove the call of process.exit().\n',
    ],
    [
      'it waits for ever',
      'await new Promise(() => undefined); export {};',
      'Cannot load "p.ts" as it awaits something that never happens\nCheck what it awaits outside of functions.\n',
    ],
  ])('is reported, as nothing has run: %s', async (_, content, message) => {
    const cwd = await files({ 'p.ts': content });
    for (const command of ['run', 'check', 'graph']) {
      const docs = 'Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#DEFINITION_INVALID\n';
      expect(await phasegate([command, 'p.ts'], { cwd })).toEqual({ code: 2, stdout: '', stderr: message + docs });
    }
  });
});

describe('a run whose reader has gone', () => {
  it('names the next step on standard error, also if a signal has stopped both', async () => {
    const seen = await witness();
    const cwd = await files({ 'p.mjs': endless(seen) });
    const { child, ended } = start(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    await seen.born(1);
    child.stdout?.destroy();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 130,
      stderr: containing('resume with: phasegate resume r1\n'),
    });
  });
});

describe('a run that outlives its process', () => {
  it.each([
    ['process.exit(0)', 'did a task call process.exit()?'],
    ['new Promise(() => undefined)', 'what does a task wait for?'],
  ])('is reported, and fails: %s', async (work, question) => {
    const cwd = await files({
      'p.ts': `import { definePipeline, phase, task } from 'phasegate';
        export default definePipeline({
          name: 'it',
          phases: [phase('draft', { tasks: [task('write', { timeout: 0, run: () => ${work} })] })],
        });`,
    });
    const { code, stderr } = await phasegate(['run', 'p.ts'], { cwd });
    expect(stderr).toContain(question);
    expect(code).toBe(1);
  });
});

describe('advice', () => {
  const judged = (review: string) => `
    import { definePipeline, phase, task } from 'phasegate';
    const draft = phase('draft', { tasks: [task('t', { run: () => 1 })], review: ${review} });
    export default definePipeline({ name: 'it', phases: [draft] });`;

  it.each([
    [
      'a command that takes too long',
      'p.yaml',
      YAML.replace('[echo, text]', '[sleep, 60], timeout: 20ms'),
      'timeout of 20 ms is over\n    Raise `timeout`, or make the work faster.\n',
    ],
    [
      'an answer that is no decision',
      'p.mjs',
      judged(`{ by: () => ({ type: 'retyr' }) }`),
      'its type "retyr" is unknown. Did you mean "retry"?\n    Return approve(), retry(feedback), ',
    ],
    [
      'an answer that has no verdict',
      'p.mjs',
      judged(`{ by: () => 'Hm.', maxReviewErrors: 0 }`),
      'on a terminal, where you are asked.\n',
    ],
  ])('is printed for a terminal after %s', async (_, name, content, text) => {
    const cwd = await files({ [name]: content });
    const { stdout } = await phasegate(['run', name], { cwd });
    expect(stdout).toContain(text);
    expect(stdout).not.toMatch(/`input`|`signal`|attended/u);
  });
});
