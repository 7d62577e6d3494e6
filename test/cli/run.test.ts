import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runRecordSchema } from '../../src/records.ts';
import { files, phasegate, phasegateProcess, start, untimed, witness } from './cli.ts';

/** Returns a module that exports a pipeline with these phases. */
function moduleOf(phases: string, more = ''): string {
  return `import { approve, definePipeline, escalate, phase, reject, retry, retryPredecessor, task } from 'phasegate';
${more}
const work = (name, run = () => name) => task(name, { run });
export default definePipeline({ name: 'article', phases: ${phases}, ...(globalThis.options ?? {}) });
`;
}

const ONE = `[phase('draft', { tasks: [work('write')] })]`;

describe('phasegate run, piped', () => {
  it('prints one plain line for each event, and a summary', async () => {
    //  research ──▶ draft
    //      ▲──────────┘ once; draft retries once
    const directory = await files({
      'pipeline.ts': `
        import { approve, definePipeline, phase, retry, retryPredecessor, task, type Answer } from 'phasegate';
        const answers: Answer[] = [retry('Cite\\ntwo sources.'), retryPredecessor('research', 'Add numbers.'), approve()];
        const research = phase('research', { tasks: [task('read', { run: () => 1 }), task('count', { run: () => 2 })] });
        const draft = phase('draft', {
          after: [research],
          tasks: [task('write', { run: () => 'first line\\nsecond line' })],
          review: () => answers.shift(),
        });
        export default definePipeline({ name: 'article', phases: [research, draft] });`,
    });
    const { code, stdout, stderr } = await phasegate(['run', join(directory, 'pipeline.ts'), '--run-id', 'r1']);
    expect(stderr).toBe('');
    expect(untimed(stdout.replace(/in [\d.]+s/u, 'in 0s'))).toEqual([
      'run r1 of "article" started, 2 phases',
      'research: started',
      'research: read started',
      'research: count started',
      'research: read done',
      'research: count done',
      'research: approved without review',
      'draft: started',
      'draft: write started',
      'draft: write done',
      'draft: review',
      'draft: verdict: retry: Cite two sources.',
      'draft: retry 1/2: Cite two sources.',
      'draft: started, attempt 2',
      'draft: write started',
      'draft: write done',
      'draft: unchanged: its outputs are those that were sent back',
      'draft: review',
      'draft: verdict: send back research: Add numbers.',
      'draft: sends back research 1/2: Add numbers.',
      'research: started, attempt 2',
      'research: read started',
      'research: count started',
      'research: read done',
      'research: count done',
      'research: unchanged: its outputs are those that were sent back',
      'research: approved without review, version 2',
      'draft: started',
      'draft: write started',
      'draft: write done',
      'draft: review',
      'draft: verdict: approve',
      'draft: approved',
      'run completed',
      '✓ completed in 0s: 2 of 2 phases approved, 5 attempts, 2 corrections  run r1',
      '  draft / write',
      '    first line',
      '    second line',
    ]);
    expect(code).toBe(0);
  });

  it('obeys no escape code from a model, a name or an error', async () => {
    const directory = await files({
      'pipeline.mjs': moduleOf(`[phase('dr\u202Eaft', {
        tasks: [task('write', { run: ({ report }) => { report({ progress: '\\u001B[2Jgone\\r\\u0007' }); return '\\u001B]0;title\\u0007x'; } })],
        review: { by: () => retry('\\u001B[31mred\\u009B5m\\nnext'), maxRetries: 0, onExhausted: 'accept' },
      })]`),
    });
    const { stdout, code } = await phasegate(['run', join(directory, 'pipeline.mjs')]);
    expect(code).toBe(0);
    // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/u);
    expect(stdout).toContain('write gone');
    expect(stdout).toMatch(/verdict: retry: red ?(?:5m)? next/u);
  });

  it('ends quietly if its reader is gone', async () => {
    const directory = await files({
      'pipeline.mjs': moduleOf(`[phase('draft', { tasks: [task('write', { run: async ({ report, signal }) => {
        while (!signal.aborted) { report({ progress: 'x'.repeat(500) }); await new Promise(setImmediate); }
      } })] })]`),
    });
    const { child, ended } = start(['run', join(directory, 'pipeline.mjs')]);
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended).toMatchObject({ code: 141, stderr: '' });
  });
});

describe('phasegate run --json', () => {
  it('prints only records on standard output, even if the pipeline prints', async () => {
    const directory = await files({
      'pipeline.ts': moduleOf(
        `[phase('draft', { tasks: [task('write', { run: () => { console.log('noise'); process.stdout.write('more noise\\n'); } })] })]`,
        `console.log('noise while loading');`,
      ),
    });
    const { stdout, stderr, code } = await phasegateProcess(['run', '--json', join(directory, 'pipeline.ts')]);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => runRecordSchema.parse(JSON.parse(line)));
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
    expect(records.map(({ event }) => event.type)).toEqual([
      'run.started',
      'phase.started',
      'task.started',
      'task.completed',
      'phase.approved',
      'run.ended',
    ]);
    expect(stderr).toMatch(/^noise while loading\nnoise\nmore noise\n✓ completed in /u);
    expect(code).toBe(0);
  });
});

describe('the input', () => {
  const ECHO = moduleOf(`[phase('draft', { tasks: [task('write', { run: ({ input }) => JSON.stringify(input) })] })]`);

  async function inputOf(args: readonly string[], options: { readonly input?: string } = {}): Promise<unknown> {
    const directory = await files({
      'pipeline.mjs': ECHO,
      'input.json': '{ "topic": "gates", "depth": 1 }',
      'list.json': '[1]',
    });
    const done = await phasegate(['run', '--json', 'pipeline.mjs', ...args], { cwd: directory, ...options });
    if (done.code !== 0) return done.stderr;
    const line = done.stdout.split('\n').find((one) => one.includes('task.completed')) ?? '';
    const { event } = runRecordSchema.parse(JSON.parse(line));
    return event.type === 'task.completed' ? event.output : undefined;
  }

  it.each([
    [['--input', 'topic=a=b:c'], '{"topic":"a=b:c"}'],
    [['-i', 'topic=', '-i', 'depth:=2', '-i', 'tags:=["x"]'], '{"topic":"","depth":2,"tags":["x"]}'],
    [['--input-file', 'input.json'], '{"topic":"gates","depth":1}'],
    [['--input-file', 'input.json', '--input', 'depth:=2'], '{"topic":"gates","depth":2}'],
    [['--input-file', 'list.json'], '[1]'],
    [['-i', '__proto__=x'], '{"__proto__":"x"}'],
  ])('%j gives %s', async (args, expected) => {
    expect(await inputOf(args)).toBe(expected);
  });

  it('is read from standard input if the file is -', async () => {
    expect(await inputOf(['--input-file', '-'], { input: '{"topic":"piped"}' })).toBe('{"topic":"piped"}');
  });

  it.each([
    [['--input', 'topic'], 'Cannot read --input "topic" as it has no "="'],
    [['--input', '=x'], 'Cannot read --input "=x" as there is no key before the "="'],
    [['--input', ':=1'], 'Cannot read --input ":=1" as there is no key before the ":="'],
    [['--run-id', ' '], "error: option '--run-id <id>' argument ' ' is invalid. It is empty."],
    [['--input', 'depth:=two'], 'Cannot read --input depth as JSON'],
    [['--input-file', 'nope.json'], 'Cannot read --input-file "nope.json"'],
    [['--input-file', 'pipeline.mjs'], 'Cannot read --input-file "pipeline.mjs" as JSON'],
    [['--input-file', 'list.json', '-i', 'a=b'], 'Cannot add --input fields to "list.json" as it holds no JSON object'],
  ])('%j is refused', async (args, message) => {
    expect(await inputOf(args)).toContain(message);
  });
});

describe('exit codes', () => {
  async function exitOf(
    phases: string,
    options = '{}',
    args: readonly string[] = [],
  ): Promise<readonly [number | null, string]> {
    const directory = await files({ 'pipeline.mjs': moduleOf(phases, `globalThis.options = ${options};`) });
    const { code, stdout, stderr } = await phasegate(['run', join(directory, 'pipeline.mjs'), ...args]);
    return [code, stdout + stderr];
  }

  it('0 for a completed run', async () => {
    expect(await exitOf(ONE)).toMatchObject([0, expect.stringContaining('✓ completed')]);
  });

  it.each([
    ['rejected', `[phase('draft', { tasks: [work('write')], review: () => reject('No.') })]`, '{}', '    No.'],
    ['failed', `[phase('draft', { tasks: [work('write', () => { throw new Error('boom'); })] })]`, '{}', '    boom'],
    [
      'exhausted by the limit corrections',
      `[phase('draft', { tasks: [work('write')], review: () => retry('Again.') })]`,
      '{ limits: { corrections: 1 } }',
      '',
    ],
    [
      'cancelled',
      `[phase('draft', { tasks: [work('write')], review: () => escalate('Legal must see this.') })]`,
      '{}',
      '"draft" waits for a person, but nobody can be asked as this is not a terminal: Legal must see this.',
    ],
    [
      'cancelled',
      `[phase('draft', { tasks: [work('write')], review: () => retry('Again.') })]`,
      `{ limits: { durationMs: 1000, corrections: 1 }, policy: { onLimit: 'escalate' } }`,
      'waits for a person, but nobody can be asked',
    ],
  ])('1 for a run that is %s', async (status, phases, options, text) => {
    const [code, output] = await exitOf(phases, options);
    expect(output).toMatch(new RegExp(String.raw`^[✗⊘∎] ${status} `, 'mu'));
    expect(output).toContain(text);
    expect(code).toBe(1);
  });

  it('1 if a review is unavailable, as the run is unattended', async () => {
    const failing = `[phase('draft', { tasks: [work('write')], review: { by: () => { throw new Error('down'); }, maxReviewErrors: 0 } })]`;
    expect(await exitOf(failing)).toMatchObject([1, expect.stringContaining('✗ failed')]);
  });

  it('2 for an input that the schema of the pipeline refuses', async () => {
    const schema = `{ input: { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no topic', path: ['topic'] }] }) } } }`;
    const [code, output] = await exitOf(ONE, schema);
    expect(output).toContain('topic: no topic');
    expect(code).toBe(2);
  });

  it.each([
    [['run'], "missing required argument 'pipeline'"],
    [['run', 'nope.ts'], 'Cannot load "nope.ts" as there is no such file'],
    [['run', 'src'], 'Cannot load "src" as it is not a file'],
    [['run', 'LICENSE'], 'Cannot load "LICENSE" as its name has no known ending'],
    [['run', 'README.md'], 'Cannot load "README.md" as its name has no known ending'],
    [['run', 'package.json'], 'Cannot load fleet "package.json" as'],
    [['run', '--colour', 'x.ts'], "unknown option '--colour'"],
    [['rum'], "unknown command 'rum'"],
    [['run', 'a.ts', 'b.ts'], 'too many arguments'],
    [[], 'Usage: phasegate'],
  ])('2 for %j', async (args, message) => {
    const { code, stdout, stderr } = await phasegate(args);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it.each([
    [['--help'], /^Usage: phasegate/u],
    [['run', '--help'], /--input-file/u],
    [['graph', '--help'], /a \.ts, \.mts, \.cts, \.js, \.mjs, \.cjs, \.yaml or \.yml\s+file/u],
    [['--version'], /^\d+\.\d+\.\d+\n$/u],
  ])('0 for %j', async (args, text) => {
    const { code, stdout } = await phasegate(args);
    expect(stdout).toMatch(text);
    expect(code).toBe(0);
  });
});

describe('signals', () => {
  /** Two commands, one with a child process, and a task in the process. All of them ignore SIGTERM. */
  async function stubborn(): Promise<{ readonly file: string; readonly alive: Awaited<ReturnType<typeof witness>> }> {
    const alive = await witness();
    const parent = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(alive.deaf)}]); ${alive.deaf}`;
    const directory = await files({
      'pipeline.mjs': `import { definePipeline, phase, task } from 'phasegate';
        import { command } from 'phasegate/node';
        const run = (code) => command([process.execPath, '-e', code]);
        export default definePipeline({ name: 'stubborn', phases: [
          phase('one', { tasks: [task('parent', { run: run(${JSON.stringify(parent)}) }), task('single', { run: run(${JSON.stringify(alive.deaf)}) })] }),
          phase('two', { tasks: [task('deaf', { run: () => new Promise((resolve) => setTimeout(resolve, 1e9)) })] }),
        ] });`,
    });
    return { file: join(directory, 'pipeline.mjs'), alive };
  }

  it.each([
    ['SIGINT', 130, 'Interrupted by Ctrl-C'],
    ['SIGTERM', 143, 'Stopped by SIGTERM'],
    ['SIGHUP', 129, 'Stopped as the terminal was closed'],
  ] as const)('%s cancels the run, leaves no process behind, and exits with %i', async (signal, expected, reason) => {
    const { file, alive } = await stubborn();
    const { child, ended } = start(['run', file]);
    await alive.born(3);
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    await alive.dead();
    expect(untimed(stdout)).toContain(`one: cancelled: ${reason}`);
    expect(untimed(stdout)).toContain(`run cancelled: ${reason}`);
    expect(stderr).toBe('');
    expect(code).toBe(expected);
  });

  it('a second Ctrl-C ends at once, and still leaves no process behind', async () => {
    const { file, alive } = await stubborn();
    const { child, ended } = start(['run', file]);
    await alive.born(3);
    const cancelled = new Promise<void>((resolve) => {
      child.stdout?.on('data', (text: string) => text.includes('run cancelled') && resolve());
    });
    child.kill('SIGINT');
    await cancelled;
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    await alive.dead();
    expect(stdout).not.toContain('⊘ cancelled');
    expect(code).toBe(130);
  });
});
