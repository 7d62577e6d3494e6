import { existsSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { makeFolder, noteGroup } from '../src/actors/command/process-groups.ts';
import { runProcess } from '../src/actors/command/process.ts';
import { definePipeline, phase, startRun, task, type Reviewer, type RunResult } from '../src/index.ts';
import { command, commandCheck, type CommandHandler, type CommandLine, type CommandOptions } from '../src/node.ts';
import { witness } from './cli/cli.ts';

const NODE = process.execPath;

/** A command line that evaluates JavaScript. */
function node(code: string, ...args: readonly string[]): CommandLine {
  return [NODE, '--eval', code, ...args];
}

/** Runs one phase with one task. */
async function runTask(
  run: CommandHandler<unknown>,
  more: { readonly description?: string; readonly input?: unknown } = {},
): Promise<RunResult> {
  const { description, input } = more;
  const only = phase('build', { tasks: [task('make', { description, run })] });
  return startRun(definePipeline({ name: 'p', phases: [only] }), { runId: 'r1', input }).result;
}

async function outputOf(
  line: CommandLine,
  options: CommandOptions = {},
  more?: Parameters<typeof runTask>[1],
): Promise<unknown> {
  const { phases } = await runTask(command(line, options), more);
  return phases['build']?.outputs?.['make'] ?? phases['build']?.error;
}

/** Returns the message of a failed command, without the address of its documentation. */
async function failureOf(line: CommandLine, options: CommandOptions = {}): Promise<string> {
  const error = (await runTask(command(line, options))).phases['build']?.error;
  return `${error?.code}: ${error?.message.replace(/\nDocs: .*$/u, '').replaceAll(NODE, 'node')}`;
}

describe('command', () => {
  it.each([
    ['text', `console.log('a\\r\\nb\\n')`, 'a\r\nb\n'],
    ['text', `process.stdout.write('no line end')`, 'no line end'],
    ['text', '', ''],
    ['lines', `console.log('a\\r\\nb\\n')`, ['a', 'b', '']],
    ['lines', '', []],
    ['json', `console.log('{"a":[1]}')`, { a: [1] }],
  ] as const)('reads %s', async (output, code, expected) => {
    expect(await outputOf(node(code), { output })).toEqual(expected);
  });

  it('has the type of its output', () => {
    expectTypeOf(command(['x'])).returns.resolves.toEqualTypeOf<string>();
    expectTypeOf(command(['x'], { output: 'text', timeout: 1 })).returns.resolves.toEqualTypeOf<string>();
    expectTypeOf(command(['x'], { output: 'lines' })).returns.resolves.toEqualTypeOf<readonly string[]>();
    expectTypeOf(command(['x'], { output: 'json' })).returns.resolves.toBeUnknown();
    const make = phase('build', { tasks: [task('make', { run: command(['x']) })] });
    phase('use', {
      after: [make],
      tasks: (taskOf) => [taskOf('read', { run: ({ inputs }) => inputs.build.make.trim() })],
    });
  });

  it('passes its arguments without a shell', async () => {
    const nasty = ['$(touch pwned)', '; exit 3', '`id`', '*', 'a b', '"', "'", '', '-- ', '\\', 'é日本'];
    const code = 'console.log(JSON.stringify(process.argv.slice(1)))';
    expect(await outputOf(node(code, '--', ...nasty), { output: 'json' })).toEqual(nasty);
  });

  it('runs a line with the shell on request', async () => {
    expect(await outputOf('echo one | tr a-z A-Z && echo "$WORD"', { shell: true, env: { WORD: 'two' } })).toBe(
      'ONE\ntwo',
    );
  });

  it('describes the attempt in variables, which replace those of a surrounding run', async () => {
    process.env['PHASEGATE_FEEDBACK'] = 'of the run around it';
    const code = `console.log(JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([key]) => key.startsWith('PHASEGATE_')))))`;
    const seen: unknown[] = [];
    const build = phase('build it', {
      tasks: [task('make', { run: command(node(code), { output: 'json' }) })],
      review: ({ outputs }) => {
        seen.push(outputs.make);
        return seen.length === 1
          ? { type: 'retry', feedback: 'Zero\0 byte, and "quotes"', requiredChange: 'Shrink it.' }
          : 'APPROVE';
      },
    });
    await startRun(definePipeline({ name: 'p', phases: [build] }), { runId: 'r1', input: { topic: 'x' } }).result;
    delete process.env['PHASEGATE_FEEDBACK'];
    const base = {
      PHASEGATE_RUN: 'r1',
      PHASEGATE_PHASE: 'build it',
      PHASEGATE_TASK: 'make',
      PHASEGATE_GENERATION: '0',
      PHASEGATE_INPUT: '{"topic":"x"}',
    };
    expect(seen).toEqual([
      {
        ...base,
        PHASEGATE_ATTEMPT: '0',
        PHASEGATE_IDEMPOTENCY_KEY: 'r1/build%20it/0/0/task/make',
        PHASEGATE_FEEDBACK: '',
        PHASEGATE_REQUIRED_CHANGE: '',
      },
      {
        ...base,
        PHASEGATE_ATTEMPT: '1',
        PHASEGATE_IDEMPOTENCY_KEY: 'r1/build%20it/0/1/task/make',
        PHASEGATE_FEEDBACK: 'Zero byte, and "quotes"',
        PHASEGATE_REQUIRED_CHANGE: 'Shrink it.',
      },
    ]);
  });

  it('starts despite large feedback and a large input', async () => {
    let asked = 0;
    const build = phase('build', {
      tasks: [
        task('make', {
          run: command(node('console.log(process.env.PHASEGATE_FEEDBACK.length, process.env.PHASEGATE_INPUT.length)')),
        }),
      ],
      review: () => (asked++ === 0 ? { type: 'retry', feedback: 'x'.repeat(2_000_000) } : 'APPROVE'),
    });
    const { outputs } = await startRun(definePipeline({ name: 'p', phases: [build] }), { input: 'y'.repeat(2_000_000) })
      .result;
    expect(outputs).toEqual({ build: { make: '30004 0' } });
  });

  const CAT = node('process.stdin.pipe(process.stdout)');

  it('reads nothing by default, the prompt, or the whole context of a handler', async () => {
    expect(await outputOf(CAT, {}, { description: 'Do it.' })).toBe('');
    expect(await outputOf(CAT, { stdin: 'prompt' }, { description: 'Do it.' })).toBe('Do it.');
    expect(
      await outputOf(CAT, { stdin: 'inputs', output: 'json' }, { description: 'Do it.', input: { topic: 'x' } }),
    ).toEqual({
      run: 'r1',
      phase: 'build',
      task: 'make',
      attempt: 0,
      generation: 0,
      idempotencyKey: 'r1/build/0/0/task/make',
      description: 'Do it.',
      prompt: 'Do it.',
      input: { topic: 'x' },
      inputs: {},
      context: {},
      revision: null,
      artifacts: [],
    });
  });

  it('sees the inputs, and as a reviewer the outputs under review', async () => {
    const first = phase('first', { tasks: [task('a', { run: () => ({ n: 1 }) })] });
    const second = phase('second', {
      after: [first],
      tasks: [task('b', { run: command(CAT, { stdin: 'inputs', output: 'json' }) })],
      review: {
        maxRetries: 'unlimited',
        by: task('judge', {
          run: command(
            node(`process.stdin.on('data', (text) => { const seen = JSON.parse(text); delete seen.outputs.b.idempotencyKey;
            console.log('REJECT: ' + JSON.stringify([seen.task, seen.outputs.b.inputs, seen.difference, seen.unchanged, seen.retriesLeft, seen.rewindsLeft])); })`),
            { stdin: 'inputs' },
          ),
        }),
      },
    });
    const { phases } = await startRun(definePipeline({ name: 'p', phases: [first, second] })).result;
    expect(JSON.parse(phases['second']?.reason ?? '')).toEqual([
      'judge',
      { first: { a: { n: 1 } } },
      {},
      0,
      null,
      { first: 2 },
    ]);
  });

  it('ignores a program that does not read its long input', async () => {
    expect(await outputOf(node('console.log(1)'), { stdin: 'prompt' }, { description: 'x'.repeat(5_000_000) })).toBe(
      '1',
    );
  });

  it('keeps the start and the end of a long output without split characters, and counts the rest', async () => {
    const code = `process.stdout.write('ä'.repeat(10) + '日'.repeat(100_000) + 'ö'.repeat(10))`;
    expect(await outputOf(node(code), { maxOutputBytes: 31 })).toBe(
      `${'ä'.repeat(7)}\n[… 300012 bytes left out …]\n${'ö'.repeat(7)}`,
    );
    expect(await outputOf(node(`process.stdout.write('x'.repeat(1000))`), { maxOutputBytes: 1000 })).toBe(
      'x'.repeat(1000),
    );
  });

  it.each([
    [
      'an exit code',
      node(`console.log('out'); console.error('first\\nsecond'); process.exitCode = 3`),
      {},
      /COMMAND_FAILED: Cannot finish `node .*` as it ended with exit code 3:\nfirst\nsecond\n/u,
    ],
    ['silence on standard error', node(`console.log('out'); process.exitCode = 1`), {}, /exit code 1:\nout\n/u],
    [
      'a long error output',
      node(`for (let n = 0; n < 1000; n++) console.error('line ' + n); process.exitCode = 1`),
      {},
      /exit code 1:\n\[…\]\nline 980\n[^]*line 999\nRun it by hand/u,
    ],
    ['a signal', node(`process.kill(process.pid, 'SIGKILL')`), {}, /as it ended with signal SIGKILL\n/u],
    [
      'no such program',
      ['no-such-program-x', 'a b'],
      {},
      /COMMAND_FAILED: Cannot start `no-such-program-x 'a b'` as there is no such program, or no directory/u,
    ],
    ['no such directory', node(''), { cwd: '/no/such/directory' }, /COMMAND_FAILED: Cannot start/u],
    [
      'no JSON',
      node(`console.log('nope')`),
      { output: 'json' },
      /COMMAND_FAILED: Cannot read the output of `.*` as JSON: SyntaxError[^]*\nnope\n/u,
    ],
    [
      'no output in place of JSON',
      node(''),
      { output: 'json' },
      /as JSON: SyntaxError: [^\n]+ JSON input\nPrint one JSON value/u,
    ],
    [
      'JSON with a hole',
      node(`console.log('"' + 'x'.repeat(100) + '"')`),
      { output: 'json', maxOutputBytes: 10 },
      /as JSON as 93 bytes of it were left out/u,
    ],
    [
      'its timeout',
      node('setTimeout(() => {}, 1e9)'),
      { timeout: 300 },
      /TASK_TIMEOUT: Cannot wait longer for `.*` as its timeout of 300 ms is over/u,
    ],
  ] as const)('fails for %s', async (_, line, options, message) => {
    expect(await failureOf(line as CommandLine, options)).toMatch(message);
  });

  it.each([
    ['npm test', {}, 'a line needs a shell'],
    [['npm', 'test'], { shell: true }, 'a list of arguments and `shell: true` exclude each other'],
    [[], {}, 'it is empty'],
    [[''], {}, 'it is empty'],
    ['', { shell: true }, 'it is empty'],
    [' \n', { shell: true }, 'it is empty'],
  ])('is refused at definition as %j with %j', (line, options, message) => {
    expect(() => command(line as unknown as CommandLine, options)).toThrow(message);
    expect(() => commandCheck('x', line as unknown as CommandLine, options)).toThrow(message);
  });
});

describe('makeFolder()', () => {
  it('makes all folders of a path for this user alone, and again', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'phasegate-folder-')), 'a', 'b');
    makeFolder(folder);
    makeFolder(folder);
    expect((await stat(folder)).isDirectory()).toBe(true);
  });

  // The recursive call of Node never ends there.
  it.skipIf(process.platform !== 'linux')('ends where the system makes no folders, and nothing is noted', () => {
    expect(() => makeFolder('/proc/nope/phasegate')).toThrow('ENOENT');
    vi.stubEnv('XDG_STATE_HOME', '/proc/nope');
    expect(noteGroup('run', process.pid)).not.toThrow();
    vi.unstubAllEnvs();
  });
});

describe('a child process of a command', () => {
  it('is stopped with it on cancellation, even if it ignores the signal', async () => {
    const alive = await witness();
    const spawning = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(alive.deaf)}], { stdio: 'ignore' }); ${alive.code}`;
    const build = phase('build', { tasks: [task('make', { run: command(node(spawning)) })] });
    const run = startRun(definePipeline({ name: 'p', phases: [build] }));
    await alive.born(2);
    run.cancel('enough');
    expect((await run.result).status).toBe('cancelled');
    await alive.dead();
  });

  it('does not start if the run is cancelled during the load of its module', async () => {
    const stop = new AbortController();
    const file = join(await mkdtemp(join(tmpdir(), 'phasegate-')), 'begun');
    const end = runProcess({
      line: node(`require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`),
      cwd: tmpdir(),
      env: {},
      stdin: undefined,
      timeout: 0,
      maxOutputBytes: 100,
      signal: stop.signal,
    });
    stop.abort();
    expect(await end).toMatchObject({ exitCode: undefined, spawnError: undefined });
    expect(existsSync(file)).toBe(false);
  });

  it('is stopped in time although it ignores the signal and the system clock is set back', async () => {
    const alive = await witness();
    const build = phase('build', { tasks: [task('make', { run: command(node(alive.deaf)) })] });
    const run = startRun(definePipeline({ name: 'p', phases: [build] }));
    await alive.born(1);
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now -= 1000));
    run.cancel('enough');
    await run.result;
    await alive.dead();
    clock.mockRestore();
  });

  it('is stopped after the timeout of the task, and before the next try', async () => {
    const alive = await witness();
    const build = phase('build', { tasks: [task('make', { timeout: 500, run: command(node(alive.code)) })] });
    const { phases } = await startRun(definePipeline({ name: 'p', phases: [build] })).result;
    expect(phases['build']?.error?.code).toBe('TASK_TIMEOUT');
    await alive.dead();
  });

  it('is stopped when the command ends first, and does not delay the task', async () => {
    const alive = await witness();
    // The child inherits the standard output of its parent, which ends as soon as the child is alive.
    const spawning = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(`${alive.code}.on('connect', () => console.log('alive'))`)}], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.once('data', () => { console.log('done'); process.exit(0); })`;
    expect(await outputOf(node(spawning))).toBe('done');
    await alive.dead();
  });

  it('is stopped when another task of the phase fails', async () => {
    const alive = await witness();
    const build = phase('build', {
      tasks: [
        task('make', { run: command(node(alive.code)) }),
        task('lint', {
          run: async () => {
            await alive.born(1);
            throw new Error('boom');
          },
        }),
      ],
    });
    const { phases } = await startRun(definePipeline({ name: 'p', phases: [build] })).result;
    expect(phases['build']?.error?.message).toBe('boom');
    await alive.dead();
  });
});

describe('commandCheck', () => {
  async function decisionsOf(line: CommandLine, options: CommandOptions = {}, by?: Reviewer): Promise<unknown> {
    const build = phase('build', {
      tasks: [task('make', { run: () => 'x' })],
      review: {
        checks: [commandCheck('tests', line, options)],
        by,
        maxRetries: 0,
        maxReviewErrors: 0,
        onExhausted: 'reject',
      },
    });
    const { phases } = await startRun(definePipeline({ name: 'p', phases: [build] })).result;
    return JSON.parse(JSON.stringify(phases['build']?.decisions[0]?.verdict).replaceAll(NODE, 'node'));
  }

  it('passes with exit code 0, so that the reviewers are asked', async () => {
    expect(await decisionsOf(node(''))).toEqual({ type: 'approve' });
    expect(await decisionsOf(node(''), {}, () => 'REJECT: no')).toEqual({ type: 'reject', reason: 'no' });
  });

  it('asks for another attempt with the advice and both outputs', async () => {
    expect(
      await decisionsOf(
        node(`console.log('1 passed'); console.error('1 failed'); process.exitCode = 2`),
        {},
        () => 'APPROVE',
      ),
    ).toEqual({
      type: 'retry',
      requiredChange: `Make \`node --eval 'console.log('\\''1 passed'\\''); console.error('\\''1 failed'\\''); process.exitCode = 2'\` pass (exit code 2).`,
      feedback: expect.stringMatching(/^Check "tests" failed:\n(?:1 passed\n1 failed|1 failed\n1 passed)$/u) as unknown,
    });
  });

  it('asks for a faster command after its timeout', async () => {
    expect(await decisionsOf(node('setTimeout(() => {}, 1e9)'), { timeout: 200 })).toMatchObject({
      type: 'retry',
      requiredChange: "Make `node --eval 'setTimeout(() => {}, 1e9)'` end within 200 ms.",
    });
  });

  it('is a review error if the command cannot be started', async () => {
    expect(await decisionsOf(['no-such-program-x'])).toMatchObject({
      type: 'unavailable',
      error: { code: 'COMMAND_FAILED' },
    });
  });
});
