/** A second signal: the process ends at once, and leaves the terminal and the run in good order. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { put, untilExists } from './article.ts';
import { files, start } from './cli.ts';
import { onTerminal, python } from './pty.ts';

const ESC = '\u001B';

function moduleOf(tasks: string): string {
  return `import { existsSync, writeFileSync } from 'node:fs';
    import { definePipeline, phase, task } from 'phasegate';
    import { command } from 'phasegate/node';
    export default definePipeline({ name: 'article', phases: [phase('draft', { tasks: [${tasks}] })] });`;
}

/**
 * A pipeline whose command ignores its signal, so that the first Ctrl-C has to wait. A task next to it reports the
 * signal.
 */
const DEAF = moduleOf(`
  task('deaf', { run: command(['sh', '-c', "trap '' TERM INT; touch $0; while :; do sleep 0.05; done", new URL('deaf', import.meta.url).pathname]) }),
  task('say', { run: ({ report, signal }) => new Promise(() => {
    signal.addEventListener('abort', () => console.log('told to stop'));
    const look = () => existsSync(new URL('deaf', import.meta.url)) ? report({ progress: 'at work' }) : setTimeout(look, 10);
    look();
  }) }),
`);

describe.skipIf(!python)('Ctrl-C twice on a terminal', () => {
  it.each([
    ['says how to go on with a run that is kept', 'runs.db', 130],
    ['says nothing of a run that is not', 'memory', 130],
  ])('shows the cursor again, and %s', async (_, store, expected) => {
    const cwd = await files({ 'p.mjs': DEAF });
    const file = store === 'memory' ? store : join(cwd, store);
    const { code, text } = await onTerminal(
      ['run', join(cwd, 'p.mjs'), '--run-id', 'r1'],
      { 'at work': '\u0003', 'told to stop\r\n': '\u0003' },
      { PHASEGATE_STORE: file, NO_COLOR: '1' },
    );
    expect(text).not.toMatch(/suspended|cancelled in/u);
    expect(text.lastIndexOf(`${ESC}[?25h`)).toBeGreaterThan(text.lastIndexOf(`${ESC}[?25l`));
    expect(text.includes('  resume with: phasegate resume r1\r\n')).toBe(store !== 'memory');
    expect(text).not.toContain('process.exit()');
    expect(code).toBe(expected);
  });

  it('by a task that ends the process shows the cursor again, too', async () => {
    const cwd = await files({
      'p.mjs': moduleOf(`task('end', { run: async ({ report }) => { report({ progress: 'at work' });
        await new Promise((done) => setTimeout(done, 300)); process.exit(0); } })`),
    });
    const { code, text } = await onTerminal(['run', join(cwd, 'p.mjs')]);
    expect(text.lastIndexOf(`${ESC}[?25h`)).toBeGreaterThan(text.lastIndexOf(`${ESC}[?25l`));
    expect(text).toContain('did a task call process.exit()?');
    expect(code).toBe(1);
  });
});

describe('two signals while a task blocks the process', () => {
  it('end it as signals do, and print the command that resumes', async () => {
    const cwd = await files({
      'p.mjs': moduleOf(`task('block', { run: async () => {
        writeFileSync('blocked', '');
        while (!existsSync('go'));
        return new Promise(() => undefined);
      } })`),
    });
    const blocked = untilExists(cwd, 'blocked');
    const { child, ended } = start(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    await blocked;
    child.kill('SIGINT');
    child.kill('SIGTERM');
    await put(cwd, 'go');
    const { code, stdout, stderr } = await ended;
    // The run may be suspended in good order before the second signal is handled.
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('resume'))).toEqual([
      '  resume with: phasegate resume r1',
    ]);
    // Either of two pending signals may come first.
    expect([130, 143]).toContain(code);
  });
});
