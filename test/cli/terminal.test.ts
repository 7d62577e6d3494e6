import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { files, main } from './cli.ts';

/** Runs a program on a terminal of 80 by 24, with what is typed on the standard input of this script. */
const PTY = `
import fcntl, os, pty, select, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
typed = 0
while True:
    ready, _, _ = select.select([terminal, typed] if typed is not None else [terminal], [], [])
    if terminal in ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if typed in ready:
        data = os.read(typed, 65536)
        if data:
            os.write(terminal, data)
        else:
            typed = None
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
`;

const python = spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0;

interface Screen {
  readonly code: number | null;
  readonly text: string;
}

/** @param type What to type when the screen has this text for the first time. */
function onTerminal(
  args: readonly string[],
  type: Readonly<Record<string, string>> = {},
  env: NodeJS.ProcessEnv = {},
): Promise<Screen> {
  const clean = {
    ...process.env,
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    CI: undefined,
    TERM: 'xterm-256color',
    PHASEGATE_STORE: 'memory',
    ...env,
  };
  const child = spawn('python3', ['-c', PTY, process.execPath, main, ...args], { env: clean });
  onTestFinished(() => void child.kill('SIGKILL'));
  const left = new Map(Object.entries(type));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    for (const [awaited, typed] of left) {
      if (!text.includes(awaited)) continue;
      left.delete(awaited);
      child.stdin.write(typed);
    }
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, text })));
}

function pipelineOf(review: string, run = `() => 'text'`): Promise<string> {
  return files({
    'p.mjs': `import { definePipeline, escalate, phase, task } from 'phasegate';
      export default definePipeline({ name: 'article', phases: [
        phase('draft', { tasks: [task('write', { run: ${run} })], review: ${review} }),
      ] });`,
  });
}

const ESC = '\u001B';

describe.skipIf(!python)('on a terminal', () => {
  it('a run is a tree in colours that is drawn anew, with what the pipeline prints above it', async () => {
    const run = `async ({ report }) => { report({ progress: 'thinking' }); console.log('said aloud'); await new Promise((done) => setTimeout(done, 300)); return 'text'; }`;
    const directory = await pipelineOf(`() => 'APPROVE'`, run);
    const { code, text } = await onTerminal(['run', join(directory, 'p.mjs'), '--run-id', 'r1']);
    // The tree is erased first, so that no part of it stays above the text.
    expect(text).toContain(`${ESC}[G${ESC}[?2026lsaid aloud\r\n`);
    expect(text).toContain(`${ESC}[36m●${ESC}[39m draft`);
    expect(text).toContain('thinking');
    expect(text).toContain(`${ESC}[32m✓${ESC}[39m draft`);
    expect(text).toContain(`${ESC}[32m✓ completed${ESC}[39m in `);
    // The cursor is hidden while the tree is drawn, and shown again.
    expect(text.lastIndexOf(`${ESC}[?25h`)).toBeGreaterThan(text.lastIndexOf(`${ESC}[?25l`));
    expect(text.indexOf(`${ESC}[?25l`)).toBeGreaterThan(-1);
    expect(code).toBe(0);
  });

  it('there are no colours where NO_COLOR is set', async () => {
    const directory = await pipelineOf(`() => 'APPROVE'`);
    const { code, text } = await onTerminal(['run', join(directory, 'p.mjs')], {}, { NO_COLOR: '1' });
    expect(text).toContain('✓ completed');
    expect(text).not.toContain(`${ESC}[3`);
    expect(code).toBe(0);
  });

  it('there are plain lines where the terminal can do no more', async () => {
    const directory = await pipelineOf(`() => 'APPROVE'`);
    const { code, text } = await onTerminal(['run', join(directory, 'p.mjs')], {}, { TERM: 'dumb' });
    expect(text).toContain('draft: approved');
    expect(text).not.toContain(ESC);
    expect(code).toBe(0);
  });

  it('a person is asked, and decides', async () => {
    const directory = await pipelineOf(`() => escalate('Legal must see this.')`);
    const { code, text } = await onTerminal(['run', join(directory, 'p.mjs')], {
      '\n> ': 'maybe\n',
      'is not a decision': '\n',
      'decides nothing': 'APPROVE\n',
    });
    expect(text).toContain('⏸ draft waits for a person');
    expect(text).toContain('Legal must see this.');
    const prompt = text.indexOf('\n> ');
    expect(text.lastIndexOf(`${ESC}[?25h`, prompt)).toBeGreaterThan(text.lastIndexOf(`${ESC}[?25l`, prompt));
    expect(text).toContain('✓ completed');
    expect(code).toBe(0);
  });

  it('the end of the input cancels the run instead of approving', async () => {
    const directory = await pipelineOf(`() => escalate('Legal must see this.')`);
    const { code, text } = await onTerminal(['run', join(directory, 'p.mjs')], { '\n> ': '\u0004' });
    expect(text).toContain('The input ended before a decision on "draft"');
    expect(code).toBe(1);
  });

  it('the end of the input leaves a run that is kept, and who resumes it is asked again', async () => {
    const directory = await pipelineOf(`() => escalate('Legal must see this.')`);
    const env = { PHASEGATE_STORE: join(directory, 'runs.db'), NO_COLOR: '1' };
    const left = await onTerminal(['run', join(directory, 'p.mjs')], { '\n> ': '\u0004' }, env);
    expect(left.text).toMatch(/run \w{26} of "article"/u);
    expect(left.text).toContain('Ctrl-C leaves the run as it is.');
    expect(left.text).toContain('⏸ suspended');
    expect(left.code).toBe(3);
    const resumed = await onTerminal(['resume', 'latest'], { '\n> ': 'APPROVE\n' }, env);
    expect(resumed.text).toContain('Legal must see this.');
    expect(resumed.text).toContain('✓ completed');
    expect(resumed.code).toBe(0);
  });

  it.each([
    ['while it works', `() => 'APPROVE'`, '() => new Promise((done) => setTimeout(done, 1e9))', '● write'],
    ['while it asks', `() => escalate('See.')`, `() => 'text'`, '\n> '],
  ])('Ctrl-C cancels the run %s', async (_, review, run, awaited) => {
    const directory = await files({
      'p.mjs': `import { definePipeline, escalate, phase, task } from 'phasegate';
        export default definePipeline({ name: 'article', phases: [
          phase('draft', { tasks: [task('write', { run: ${run} }), task('more', { run: () => 1 })], review: ${review} }),
        ] });`,
    });
    const { code, text } = await onTerminal(
      ['run', join(directory, 'p.mjs')],
      { [awaited]: '\u0003' },
      { NO_COLOR: '1' },
    );
    expect(text).toContain('✗ cancelled');
    expect(text).toContain('Interrupted by Ctrl-C');
    expect(code).toBe(130);
  });
});
