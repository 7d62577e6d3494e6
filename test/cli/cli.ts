/**
 * The command line, in this process or built as a child process; and processes whose life can be observed.
 *
 * `phasegate(args)` runs a command in this process within milliseconds. It serves tests of output, prompts and files.
 * `start(args)` and `phasegateProcess(args)` run the build. They serve tests of signals, terminals, killed processes,
 * and the output of a pipeline's own code.
 *
 * @module
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
/** The folder of the build under test: `dist`, or the value of `PHASEGATE_BUILD`. */
const build = process.env['PHASEGATE_BUILD'] ?? 'dist';
export const main = join(isAbsolute(build) ? build : join(repository, build), 'cli/main.js');

const { cache } = createRequire(import.meta.url);
const temporary = join(tmpdir(), 'phasegate-');

/** The result of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface Going {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** The surroundings of a command. */
export interface Surroundings {
  /** Its standard input, which ends at once if absent. */
  readonly input?: string;
  /** Its working folder. A command without one stores no runs. */
  readonly cwd?: string;
  /** Variables that it has in addition to those of the tests. It inherits no key of a model. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command to its end, in this process. */
export async function phasegate(args: readonly string[], options: Surroundings = {}): Promise<Ended> {
  forgetModules();
  const stdout = collect();
  const stderr = collect();
  const code = await runProgram({
    argv: args,
    stdin: Readable.from([Buffer.from(options.input ?? '')]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: environment(options),
    cwd: options.cwd ?? repository,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** Starts the build as a child process. */
export function start(args: readonly string[], options: Surroundings = {}): Going {
  if (!existsSync(main))
    throw new Error(`${main} is missing: run "npm run build" before the tests of the command line.`);
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.cwd ?? repository,
    env: environment(options),
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  return { child, ended };
}

/** Resolves when a command has printed a text from now on. */
export function says({ child, ended }: Going, text: string): Promise<void> {
  let printed = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (more: string) => {
        printed += more;
        if (printed.includes(text)) resolve();
      });
    void ended.then(({ stdout, stderr }) => reject(new Error(`It ended before it said so: ${stdout}${stderr}`)));
  });
}

/** Runs the build to its end, as a child process. */
export function phasegateProcess(args: readonly string[], options?: Surroundings): Promise<Ended> {
  return start(args, options).ended;
}

function environment({ cwd, env }: Surroundings): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    CI: undefined,
    PHASEGATE_STORE: cwd === undefined ? 'memory' : undefined,
    OPENAI_API_KEY: undefined,
    OPENAI_BASE_URL: undefined,
    ...env,
  };
}

/**
 * Clears the module cache of pipelines, as their files change and their modules have state. A new process would load
 * them again.
 */
function forgetModules(): void {
  for (const path of Object.keys(cache)) if (path.startsWith(temporary)) delete cache[path];
}

/** Creates a stream that collects the text that is written to it. */
function collect(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

/** Writes files into a temporary directory, which is deleted after the test. @returns Its path. */
export async function files(content: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'phasegate-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(content)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return directory;
}

/** Observes the life of processes by their connections, which close when a process dies for any reason. */
export interface Witness {
  /** JavaScript for `node --eval`: connects, and lives until it is killed. */
  readonly code: string;
  /** The same for a process that ignores SIGTERM. */
  readonly deaf: string;
  /** Resolves when that number of processes have connected. */
  born(count: number): Promise<void>;
  /** Resolves when all processes that connected are dead. */
  dead(): Promise<void>;
}

/** Opens a port that processes connect to. */
export async function witness(): Promise<Witness> {
  const sockets: Socket[] = [];
  const gone: Promise<void>[] = [];
  let waiting: { readonly count: number; readonly resolve: () => void } | undefined;
  const look = () => {
    if (waiting && sockets.length >= waiting.count) waiting.resolve();
  };
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.resume();
    sockets.push(socket);
    gone.push(new Promise((resolve) => socket.on('close', () => resolve())));
    look();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const code = `require('node:net').connect(${port}, '127.0.0.1')`;
  return {
    code,
    deaf: `process.on('SIGTERM', () => {}); ${code}`,
    born(count) {
      const born = new Promise<void>((resolve) => {
        waiting = { count, resolve };
        look();
      });
      return inTime(born, () => `${sockets.length} of ${count} processes have connected`);
    },
    async dead() {
      await inTime(Promise.all(gone), () => `${sockets.filter((one) => !one.closed).length} processes still live`);
    },
  };
}

/** Rejects with the state of the wait, before the timeout of the test ends it without one. */
async function inTime<T>(awaited: Promise<T>, standing: () => string): Promise<T> {
  const timeout = AbortSignal.timeout(100_000);
  const late = new Promise<never>((_resolve, reject) => {
    timeout.addEventListener('abort', () => reject(new Error(`Waited for 100 s in vain: ${standing()}.`)));
  });
  return Promise.race([awaited, late]);
}

/** Returns the lines of plain output without their leading time. */
export function untimed(stdout: string): readonly string[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^ *[\d.]+s {2}/u, ''));
}

/** Runs the built program as a user without the rights of root. @returns Its error output. */
export function asNobody(args: readonly string[], cwd: string): Promise<string> {
  const user = process.geteuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { cwd, ...user }, (_error, _stdout, stderr) => resolve(stderr));
  });
}

/** True if the process may mount a disk or a file: only the root user of Linux may. */
export const mayMount = process.platform === 'linux' && process.geteuid?.() === 0;

/** A pipeline whose task reports its birth to a witness, and never ends. */
export function endless({ code }: Pick<Witness, 'code'>): string {
  return `import { definePipeline, phase, task } from 'phasegate';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
export default definePipeline({ name: 'slow', phases: [
  phase('a', { tasks: [task('t', { run: () => new Promise(() => { ${code}; }) })] })] });`;
}
