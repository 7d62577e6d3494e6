/** Programs as checks: real tools, real processes, and output that does not belong in a prompt. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePipeline, phase, startRun, task, type Check, type RunResult } from '../src/index.ts';
import { commandCheck, type CommandCheckOptions, type CommandLine } from '../src/node.ts';
import { failureCount } from '../src/actors/command/failure-count.ts';
import { plainText } from '../src/model/values/plain-text.ts';

const NODE = process.execPath;
const MODULES = fileURLToPath(new URL('../node_modules/', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phasegate-checks-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function put(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await mkdtemp(join(folder, 'work-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  return cwd;
}

function node(code: string): CommandLine {
  return [NODE, '--eval', code];
}

async function run(checks: readonly Check<unknown, unknown>[], work: () => unknown = () => 'x'): Promise<RunResult> {
  const build = phase('build', {
    tasks: [task('make', { run: work })],
    review: { checks, maxRetries: 0, maxReviewErrors: 0, onExhausted: 'reject' },
  });
  return startRun(definePipeline({ name: 'p', phases: [build] })).result;
}

interface Demand {
  readonly change: string;
  readonly feedback: string;
}

/** Runs a check with a command that fails. @returns The required change and the feedback. */
async function demandOf(line: CommandLine, options: CommandCheckOptions = {}): Promise<Demand> {
  const { phases, status } = await run([commandCheck('check', line, options)]);
  const verdict = phases['build']?.decisions[0]?.verdict;
  if (verdict?.type !== 'retry') throw new Error(`It is ${status}: ${JSON.stringify(verdict)}`);
  const shorten = (text: string) => text.replaceAll(NODE, 'node').replaceAll(MODULES, '');
  return { change: shorten(verdict.requiredChange ?? ''), feedback: shorten(verdict.feedback) };
}

describe('the change that a failed command asks for', () => {
  it('is the given one, for every kind of command', async () => {
    const named = { requiredChange: 'Name a number.', kind: 'test' } as const;
    expect(await demandOf(node('process.exitCode=3'), named)).toEqual({
      change: 'Name a number.',
      feedback: 'Check "check" failed.',
    });
    expect((await demandOf(node('setInterval(() => {}, 1000)'), { ...named, timeout: 50 })).change).toMatch(
      /end within 50 ms\.$/u,
    );
  });

  it.each([
    [undefined, 'Make `node --eval process.exitCode=3` pass (exit code 3).'],
    ['build', 'Make the build `node --eval process.exitCode=3` succeed (exit code 3).'],
    ['format', 'Format the files as `node --eval process.exitCode=3` asks (exit code 3).'],
    ['lint', 'Fix the problems that `node --eval process.exitCode=3` finds (exit code 3).'],
    ['test', 'Make the tests of `node --eval process.exitCode=3` pass (exit code 3).'],
    ['types', 'Fix the type errors that `node --eval process.exitCode=3` finds (exit code 3).'],
  ] as const)('fits the kind %s', async (kind, change) => {
    expect(await demandOf([NODE, '--eval', 'process.exitCode=3'], { kind })).toEqual({
      change,
      feedback: 'Check "check" failed.',
    });
  });

  it('counts names in the output, each once', async () => {
    const code = `console.log('not ok 1 - adds\\nok 2\\nnot ok 3 - divides\\nnot ok 3 - divides'); process.exitCode = 1`;
    const failures = /^not ok \d+ - (.+)$/u;
    expect((await demandOf(node(code), { kind: 'test', failures })).change).toMatch(
      /^Fix the 2 failing tests reported by `/u,
    );
    expect((await demandOf(node(code), { kind: 'lint', failures: /divides/u })).change).toMatch(
      /^Fix the problem reported by/u,
    );
    expect((await demandOf(node(code), { failures })).change).toMatch(/^Make .* pass \(exit code 1\)\.$/u);
    // Names are not counted if the output was cut.
    const long = `${code}; console.log('x'.repeat(5000))`;
    expect((await demandOf(node(long), { kind: 'test', failures, maxOutputBytes: 1000 })).change).toMatch(
      /^Make the tests of/u,
    );
  });

  it('names the signal that ended it', async () => {
    expect((await demandOf(node(`process.kill(process.pid, 'SIGKILL')`), { kind: 'test' })).change).toMatch(
      /^Make the tests of .* pass \(signal SIGKILL\)\.$/u,
    );
  });

  it('is to be faster after a timeout, with the output until then', async () => {
    const stuck: CommandLine = ['sh', '-c', 'echo waiting for a port; exec sleep 1000'];
    const { change, feedback } = await demandOf(stuck, { kind: 'test', timeout: 2000 });
    expect(change).toMatch(/^Make `.*` end within 2000 ms\.$/u);
    expect(feedback).toBe('Check "check" failed: waiting for a port');
  });

  it.each([
    ['text', '"text"'],
    [null, 'object'],
  ])('refuses %j as the pattern of failures', (failures, found) => {
    expect(() => commandCheck('x', ['y'], { failures: failures as never })).toThrow(
      `Cannot define check "x" as \`failures\` is ${found}, which is not a RegExp\n`,
    );
  });

  it('refuses an unknown kind', () => {
    expect(() => commandCheck('x', ['y'], { kind: 'tests' as never })).toThrow(
      'Cannot define check "x" as there is no kind "tests"\nUse one of build, format, lint, test, types, or leave it out.',
    );
  });
});

describe('the number of failures', () => {
  it.each(['tap', 'spec', 'dot'])('is read from node:test, reporter %s', async (reporter) => {
    const cwd = await put({
      'some.test.mjs': `import { test } from 'node:test'; import assert from 'node:assert';
        test('one', () => assert.equal(1, 2)); test('two', () => {}); test('three', () => { throw new Error('# fail 7'); });`,
    });
    const { change, feedback } = await demandOf([NODE, '--test', `--test-reporter=${reporter}`, 'some.test.mjs'], {
      kind: 'test',
      cwd,
    });
    expect(change).toBe(
      reporter === 'dot'
        ? 'Make the tests of `node --test --test-reporter=dot some.test.mjs` pass (exit code 1).'
        : `Fix the 2 failing tests reported by \`node --test --test-reporter=${reporter} some.test.mjs\`.`,
    );
    if (reporter === 'tap') expect(feedback).toMatch(/# fail 2\n(?:# .*\n)*# duration_ms [\d.]+$/u);
  });

  it('is read from vitest', async () => {
    const cwd = await put({
      'some.test.mjs': `test('one', () => { expect(1).toBe(2); }); test('two', () => {});`,
      'vitest.config.mjs': `export default { test: { globals: true } };`,
    });
    const vitest = [NODE, join(MODULES, 'vitest/vitest.mjs'), 'run', '--root', cwd] as const;
    // Colours are on, as in a build log.
    const { change, feedback } = await demandOf([...vitest], {
      kind: 'test',
      cwd,
      env: { FORCE_COLOR: '1', NO_COLOR: '' },
    });
    expect(change).toMatch(/^Fix the failing test reported by `node vitest\/vitest\.mjs run /u);
    expect(feedback).toContain('expected 1 to be 2');
    // eslint-disable-next-line no-control-regex
    expect(feedback).not.toMatch(/[\u0000-\u0008\u000B-\u001F]/u);
  });

  it('is read from tsc', async () => {
    const cwd = await put({ 'a.ts': 'const a: string = 1;\nconst b: number = "";\nexport { a, b };\n' });
    const line = [NODE, join(MODULES, 'typescript/bin/tsc'), '--noEmit', '--pretty', 'a.ts'] as const;
    const { change, feedback } = await demandOf([...line], { kind: 'types', cwd });
    expect(change).toBe('Fix the 2 type errors reported by `node typescript/bin/tsc --noEmit --pretty a.ts`.');
    expect(feedback).toContain("Type 'number' is not assignable to type 'string'.");
  });

  it('is read from oxlint', async () => {
    const cwd = await put({ 'a.js': 'debugger;\nconst a = 1;\n' });
    const { change } = await demandOf([NODE, join(MODULES, 'oxlint/bin/oxlint'), '-D', 'no-debugger', 'a.js'], {
      kind: 'lint',
      cwd,
    });
    expect(change).toBe('Fix the 2 problems reported by `node oxlint/bin/oxlint -D no-debugger a.js`.');
  });

  it.each([
    [
      'jest',
      'test',
      'Test Suites: 1 failed, 2 passed, 3 total\nTests:       4 failed, 10 passed, 14 total\nSnapshots:   0 total',
      4,
    ],
    ['mocha', 'test', '\n  12 passing (8ms)\n  3 failing\n\n  1) adds', 3],
    ['pytest', 'test', 'FAILED a.py::test_a\n========= 2 failed, 5 passed, 1 warning in 0.12s =========', 2],
    ['pytest -q', 'test', '1 failed in 1.02s', 1],
    [
      'cargo',
      'test',
      'test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
      3,
    ],
    [
      'cargo, several times',
      'test',
      'test result: FAILED. 2 passed; 3 failed; 0 ignored\ntest result: FAILED. 1 passed; 1 failed; 0 ignored',
      undefined,
    ],
    ['two tools', 'test', '# fail 1\nTests:  1 failed, 1 total', undefined],
    ['eslint', 'lint', '\n✖ 12 problems (10 errors, 2 warnings)\n', 12],
    ['ruff', 'lint', 'a.py:1:1: F401\nFound 3 errors.', 3],
    ['mypy', 'types', 'a.py:1: error: no\nFound 1 error in 1 file (checked 3 source files)', 1],
    ['nothing that failed', 'test', '# fail 0', undefined],
    ['words of a test', 'test', 'expected 3 failed logins, got 2 failed', undefined],
    ['another kind', 'build', '# fail 3', undefined],
  ] as const)('is read from what %s prints', (_, kind, text, count) => {
    expect(failureCount(kind, text)).toBe(count);
  });
});

describe('the log of a failed command', () => {
  async function logOf(code: string, options: CommandCheckOptions = {}): Promise<string> {
    const { feedback } = await demandOf(node(`${code}; process.exitCode = 1`), options);
    return feedback.replace(/^Check "check" failed:?\s?/u, '');
  }

  it('is the last lines, even of megabytes', async () => {
    const log = await logOf(`for (let i = 0; i < 300000; i++) console.log('line ' + i)`);
    const lines = log.split('\n');
    expect(lines).toHaveLength(41);
    expect([lines[0], lines[1], lines.at(-1)]).toEqual(['[…]', 'line 299960', 'line 299999']);
  });

  it('is bounded if there are no lines', async () => {
    const log = await logOf(`process.stdout.write('😀'.repeat(2_000_000))`);
    expect(log.length).toBeLessThan(4010);
    expect(log).toMatch(/^\[…\]\n(?:😀)+$/u);
  });

  it('has no escape codes, progress bars or reversed text', async () => {
    const code = String.raw`process.stdout.write('\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n10%\r50%\r100%\r\nback\bspace \x1bPq#0\x1b\\\x9b1mend\u202Eabc\u2066\x00\x07\tTab\n\x1b[2J\x1b[1;1H\x1b(Bdone')`;
    expect(await logOf(code)).toBe('red link\n100%\nbackspace endabc\tTab\ndone');
  });

  it('is text even if the output is not', async () => {
    const log = await logOf(`process.stdout.write(require('node:crypto').randomBytes(3_000_000))`);
    expect(log.length).toBeLessThan(4010);
    // eslint-disable-next-line no-control-regex
    expect(log).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/u);
    expect(JSON.parse(JSON.stringify(log))).toBe(log);
  });

  it('has no obvious secrets, which would reach models', async () => {
    const key = `sk-${'a1'.repeat(20)}`;
    const log = await logOf(
      `console.log('x'.repeat(3950) + ' key=${key} https://me:hunter22@host/'); console.error('done')`,
    );
    expect(log).toMatch(/key=\[redacted\] https:\/\/me:\[redacted\]@host\/\ndone$/u);
    expect((await demandOf(node(`process.exitCode = 1; '${key}'`))).change).toContain('[redacted]');
  });

  it.each([
    ['unterminated strings', '\u001B]'],
    ['unterminated sequences', '\u001B['],
    ['carriage returns', '\r'],
    ['carriage returns between', '\rx'],
    ['escapes', '\u001B'],
    ['strings of one byte', '\u009D'],
    ['sequences of one byte', '\u009B'],
    ['parameters', '\u001B[1;'],
    ['digits', '1'],
  ])('reads a long text of %s to its end', (_, part) => {
    const text = `${part.repeat(1_000_000 / part.length)}\nTests  3 failed | 4 passed (7)\n`;
    expect(plainText(text)).toContain('3 failed');
    expect(failureCount('test', text)).toBe(3);
  });
});

describe('a baseline of a command', () => {
  const failures = /^not ok (.+)$/u;
  const script = `const fs = require('node:fs'); const bad = fs.readFileSync('bad', 'utf8').split(' ').filter(Boolean);
    for (const one of bad) console.log('not ok ' + one); process.exitCode = bad.length > 0 ? 1 : 0`;

  it.each([
    ['which passed', '', 'new', 'rejected', 'Fix the failing test reported by `node --eval'],
    ['which failed the same way', 'old', 'old', 'completed', undefined],
    ['which failed otherwise', 'old older', 'older new', 'rejected', 'find before this phase began: new.'],
    ['which failed more', 'old older', 'old', 'completed', undefined],
  ])('%s', async (_, before, after, status, change) => {
    const cwd = await put({ bad: before });
    const check = commandCheck('tests', node(script), { kind: 'test', failures, cwd, baseline: true });
    const result = await run([check], () => writeFile(join(cwd, 'bad'), after).then(() => null));
    expect(result.status).toBe(status);
    const verdict = result.phases['build']?.decisions[0]?.verdict;
    if (change === undefined) expect(result.warnings.map(({ code }) => code)).toEqual(['CHECK_PREEXISTING']);
    else
      expect(verdict).toMatchObject({
        requiredChange: expect.stringContaining(change.replace('node', NODE)) as unknown,
      });
  });

  it('is recorded with its log', async () => {
    const cwd = await put({ bad: 'old' });
    const check = commandCheck('tests', node(script), { failures, cwd, baseline: true });
    const build = phase('build', { tasks: [task('make', { run: () => 'x' })], review: { checks: [check] } });
    const started = startRun(definePipeline({ name: 'p', phases: [build] }));
    const events: unknown[] = [];
    started.events$.subscribe(({ event }) => event.type === 'check.baselined' && events.push(event));
    await started.result;
    expect(events).toEqual([
      {
        type: 'check.baselined',
        phase: 'build',
        generation: 0,
        attempt: 0,
        passed: [],
        failed: [
          {
            check: 'tests',
            marks: [expect.stringMatching(/^[\da-f]{16}$/u)],
            details: 'Check "tests" failed: not ok old',
          },
        ],
      },
    ]);
  });

  it('has the same timeout as the command', async () => {
    const check = commandCheck('tests', ['x'], { timeout: 7_200_000 });
    expect(check.timeout).toBe(0);
    expect(commandCheck('tests', ['x']).timeout).toBeUndefined();
  });
});
