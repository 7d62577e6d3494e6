/**
 * The command line on a terminal, which Python makes.
 *
 * @module
 */
import { spawn, spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { main } from './cli.ts';

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

/** Whether there is what this needs. */
export const python = spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0;

/** What was seen, and how it ended. */
export interface Screen {
  readonly code: number | null;
  readonly text: string;
}

/**
 * Runs the command line on a terminal.
 *
 * @param type What to type when the screen has this text for the first time.
 */
export function onTerminal(
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
