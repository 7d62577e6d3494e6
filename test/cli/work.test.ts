/** `phasegate work` and `phasegate run --detach`: runs that are stored by one process, and worked on by another. */
import { describe, expect, it } from 'vitest';
import { article, put, ran, startUntil } from './article.ts';
import { files, phasegate, says, start } from './cli.ts';

async function openItem(cwd: string): Promise<string> {
  const { stdout } = await phasegate(['inbox', '--json'], { cwd });
  return String((JSON.parse(stdout.split('\n')[0] ?? '') as { readonly id: unknown }).id);
}

describe('phasegate work', () => {
  it('begins a submitted run, lets it go while it waits for a person, and continues it after the answer', async () => {
    const cwd = await article('go', 'ask');
    expect(await phasegate(['run', 'p.mjs', '--detach', '--run-id', 'one'], { cwd })).toEqual({
      code: 0,
      stdout: 'one\n',
      stderr: 'phasegate: a worker begins it: phasegate work p.mjs\n',
    });
    expect((await phasegate(['ls', '--status', 'queued'], { cwd })).stdout).toMatch(/^one +queued /mu);
    const worker = await startUntil(['work', 'p.mjs'], 'one "article" waits for a person: draft', cwd);
    expect((await phasegate(['ls'], { cwd })).stdout).toContain('waiting: draft');
    const completed = says(worker, 'one "article" completed');
    const answer = await phasegate(['inbox', 'answer', await openItem(cwd), '--approve'], { cwd });
    expect(answer.code).toBe(0);
    await completed;
    worker.child.kill('SIGTERM');
    const ended = await worker.ended;
    expect(ended).toMatchObject({
      code: 0,
      stderr: 'phasegate: works on runs of "article" in .phasegate/runs.db; Ctrl-C ends it\n',
    });
    expect(ended.stdout.split('\n')).toEqual([
      'one "article" begins',
      'one "article" waits for a person: draft; see phasegate inbox',
      'one "article" begins',
      'one "article" completed',
      '',
    ]);
    expect(await ran(cwd)).toEqual(['read', 'write']);
  }, 60_000);

  it('takes over the run of a worker that was killed, at once', async () => {
    const cwd = await article();
    await phasegate(['run', 'p.mjs', '--detach', '--run-id', 'one'], { cwd });
    const first = await startUntil(['work', 'p.mjs', '--json'], '"taken"', cwd);
    while (!(await ran(cwd).catch((): readonly string[] => [])).includes('write'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    first.child.kill('SIGKILL');
    await first.ended;
    await put(cwd, 'go');
    const second = await startUntil(['work', 'p.mjs', '--json'], '"done"', cwd);
    second.child.kill('SIGINT');
    const { stdout, code } = await second.ended;
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { type: 'taken', runId: 'one' },
      { type: 'done', runId: 'one', status: 'completed', waiting: [] },
    ]);
    expect(await ran(cwd)).toEqual(['read', 'write', 'write']);
  }, 60_000);

  it('suspends a run that does not end within the grace period after a signal', async () => {
    const cwd = await article();
    await phasegate(['run', 'p.mjs', '--detach', '--run-id', 'one'], { cwd });
    const worker = await startUntil(['work', 'p.mjs', '--grace', '10ms'], 'begins', cwd);
    while (!(await ran(cwd).catch((): readonly string[] => [])).includes('write'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    worker.child.kill('SIGTERM');
    const { code, stdout, stderr } = await worker.ended;
    expect({ code, last: stdout.trimEnd().split('\n').at(-1) }).toEqual({
      code: 0,
      last: 'one "article" is suspended',
    });
    expect(stderr).toContain('phasegate: waits up to 0.01 s for a run; Ctrl-C again ends it at once\n');
    expect(await ran(cwd)).toEqual(['read', 'write', 'aborted']);
  }, 60_000);

  it('says which run it cannot continue, and what to do', async () => {
    const cwd = await article('go');
    await phasegate(['run', 'p.mjs', '--detach', '--run-id', 'one'], { cwd });
    await put(
      cwd,
      'q.mjs',
      `import { definePipeline, phase, task } from 'phasegate';
       export default definePipeline({ name: 'article', phases: [phase('other', { tasks: [task('t', { run: () => 1 })] })] });`,
    );
    const worker = start(['work', 'q.mjs'], { cwd });
    await new Promise<void>((resolve) => {
      worker.child.stderr?.on('data', (text: string) => text.includes('RUN_CHANGED') && resolve());
    });
    worker.child.kill('SIGINT');
    const { stderr } = await worker.ended;
    expect(stderr).toMatch(/\none cannot be continued: Cannot resume run one as .*\n/u);
  }, 60_000);

  it.each([
    [['work'], "missing required argument 'pipelines'"],
    [['work', 'none.mjs'], 'Cannot load "none.mjs" as there is no such file'],
    [['work', 'p.mjs', '--concurrency', '0'], 'It must be a whole number above 0.'],
    [['work', 'p.mjs', '--store', 'memory'], 'Cannot look for runs as the command has no store'],
  ])('refuses %j', async (args, problem) => {
    const { code, stderr } = await phasegate(args, { cwd: await article() });
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});

describe('phasegate run --detach', () => {
  it('stores a run once under one id, and refuses another with it', async () => {
    const cwd = await article('go');
    const submit = (...more: readonly string[]) =>
      phasegate(['run', 'p.mjs', '--detach', '--run-id', 'one', ...more], { cwd });
    expect((await submit()).stdout).toBe('one\n');
    expect((await submit()).stdout).toBe('one\n');
    expect(await submit('-i', 'topic=gates')).toMatchObject({ code: 2, stdout: '' });
    expect((await phasegate(['ls', '--json'], { cwd })).stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    [['--no-store'], 'Cannot look for runs as the command has no store'],
    [['--wait'], "option '--detach' cannot be used with option '--wait'"],
    [['--run-id', '../x'], 'argument'],
  ])('is refused with %j', async (more, problem) => {
    const { code, stderr, stdout } = await phasegate(['run', 'p.mjs', '--detach', ...more], {
      cwd: await article('go'),
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
  });

  it('is refused for a module that starts its runs itself', async () => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, phase, startRun, task } from 'phasegate';
        startRun(definePipeline({ name: 'own', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] }));`,
    });
    const { code, stderr } = await phasegate(['run', 'p.mjs', '--detach'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('p.mjs');
  });
});
