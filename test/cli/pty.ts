/**
 * The command line on a pseudo-terminal that Python provides.
 *
 * @module
 */
import { spawn, spawnSync } from 'node:child_process';
import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { main } from './cli.ts';
import { createScreen, type ScreenModel, type ScreenSize } from './screen.ts';

/**
 * A Python script that runs a program on a terminal.
 *
 * Its standard input is what is typed. Its fourth descriptor takes sizes of the terminal, such as `24 80` for rows
 * and columns. The first size must come before the program starts.
 */
const PTY = `
import fcntl, os, pty, select, struct, sys, termios
def resize(line):
    rows, columns = map(int, line.split())
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
sizes = os.fdopen(3, buffering=1)
size = sizes.readline()
start, started = os.pipe()
pid, terminal = pty.fork()
if pid == 0:
    os.read(start, 1)
    os.execvp(sys.argv[1], sys.argv[1:])
resize(size)
os.write(started, b'1')
typed = 0
while True:
    ready, _, _ = select.select([terminal, sizes] + ([typed] if typed is not None else []), [], [])
    if sizes in ready:
        resize(sizes.readline())
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

/** The code at the end of each drawn frame. */
const END_FRAME = '\u001B[?2026l';

/** True if Python and the modules that the script needs are installed. */
export const python = spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0;

/** The text on the terminal, and the exit code. */
export interface Screen {
  readonly code: number | null;
  readonly text: string;
}

/** Events on the terminal in addition to typing. */
export interface TerminalOptions {
  /** @default 80 by 24 */
  readonly size?: ScreenSize;
  /** Sizes that the terminal takes when the screen first shows a text, by that text. */
  readonly resize?: Readonly<Record<string, ScreenSize>>;
  /** The working folder. @default that of the tests */
  readonly cwd?: string;
  /** Called with the screen whenever the live tree was drawn or erased, and at the end. */
  readonly onFrame?: (screen: ScreenModel) => void;
}

/**
 * Runs the command line on a terminal.
 *
 * @param type Keys to type when the screen first shows a text, by that text.
 */
export function onTerminal(
  args: readonly string[],
  type: Readonly<Record<string, string>> = {},
  env: NodeJS.ProcessEnv = {},
  options: TerminalOptions = {},
): Promise<Screen> {
  return programOnTerminal([process.execPath, main, ...args], type, env, options);
}

/** Runs any program on a terminal. @param words The program and its arguments. */
export function programOnTerminal(
  words: readonly string[],
  type: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
  { size = { columns: 80, rows: 24 }, resize = {}, onFrame, cwd }: TerminalOptions = {},
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
  const child = spawn('python3', ['-c', PTY, ...words], {
    cwd,
    env: clean,
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdin, stdout } = child;
  const sizes = child.stdio[3];
  if (!stdin || !stdout || !(sizes instanceof Writable)) throw new Error('There are no pipes');
  const setSize = ({ rows, columns }: ScreenSize) => sizes.write(`${rows} ${columns}\n`);
  setSize(size);
  // Other programs write codes that the screen model does not know.
  const screen = onFrame ? createScreen(size) : undefined;
  const left = new Map<string, string | ScreenSize>([...Object.entries(type), ...Object.entries(resize)]);
  let text = '';
  stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    const pieces = more.split(END_FRAME);
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      screen?.write(piece + END_FRAME);
      if (screen) onFrame?.(screen);
    }
    screen?.write(last);
    for (const [awaited, then] of left) {
      if (!text.includes(awaited)) continue;
      left.delete(awaited);
      if (typeof then === 'string') stdin.write(then);
      else {
        setSize(then);
        screen?.resize(then);
      }
    }
  });
  return new Promise((resolve) =>
    child.on('close', (code) => {
      if (screen) onFrame?.(screen);
      resolve({ code, text });
    }),
  );
}
