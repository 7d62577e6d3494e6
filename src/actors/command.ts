/**
 * Programs as tasks, reviewers and checks.
 *
 * @module
 */
import { PhasegateError } from '../model/errors.ts';
import type { Check } from '../model/phase-types.ts';
import { commandEnv, commandInput, type CommandContext, type CommandStdin } from './command-context.ts';
import { lastLines } from './excerpt.ts';
import { runProcess, type ProcessEnd } from './process.ts';

/** A program and its arguments, which no shell sees; or, with `shell: true`, one line for the shell. */
export type CommandLine = readonly [program: string, ...args: string[]] | string;

/** How a command's standard output becomes its result: as it is, as JSON, or line by line. */
export type CommandOutput = 'text' | 'json' | 'lines';

/** What a command is run with. */
export interface CommandOptions {
  /** Runs a line with the shell. Never put anything in it that comes from elsewhere. @default false */
  readonly shell?: boolean | undefined;
  /** Working directory. @default that of the process */
  readonly cwd?: string | undefined;
  /** Variables on top of those of the process and of the `PHASEGATE_*` ones. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What the command can read: nothing, all that a task is given as one JSON object, or the prompt. @default 'none' */
  readonly stdin?: CommandStdin | undefined;
  /** @default 'text', which drops one line end at the end */
  readonly output?: CommandOutput | undefined;
  /** Milliseconds; 0 for none. A task has a timeout of its own beside it. @default 0 */
  readonly timeout?: number | undefined;
  /** Bytes of output that are kept: the first half and the last. @default 1048576 (one MiB) */
  readonly maxOutputBytes?: number | undefined;
}

/** A handler that runs a program. */
export type CommandHandler<O> = (context: CommandContext) => Promise<O>;

/**
 * A handler that runs a program, for `task()` and as a reviewer.
 *
 * The program is told about the attempt by variables (`PHASEGATE_PHASE`, `PHASEGATE_ATTEMPT`, `PHASEGATE_FEEDBACK`, …) and,
 * if asked for, on its standard input. It is stopped with everything it started when the attempt is over: SIGTERM, and
 * SIGKILL two seconds later. What it leaves running when it ends by itself is stopped as well.
 *
 * @throws PhasegateError `COMMAND_FAILED` where it cannot be started, exits with another code than 0, or puts out no JSON
 *   where JSON is expected; `TASK_TIMEOUT` where its timeout is over.
 *
 * @example
 * ```ts
 * task('build', { run: command(['npm', 'run', 'build'], { timeout: 60_000 }) });
 * ```
 */
export function command(
  line: CommandLine,
  options?: CommandOptions & { readonly output?: 'text' },
): CommandHandler<string>;
export function command(
  line: CommandLine,
  options: CommandOptions & { readonly output: 'lines' },
): CommandHandler<readonly string[]>;
export function command(line: CommandLine, options: CommandOptions): CommandHandler<unknown>;
export function command(line: CommandLine, options: CommandOptions = {}): CommandHandler<unknown> {
  refuseLine(line, options);
  return async (context) => {
    const end = await execute(line, options, context);
    if (end.timedOut) throw timedOut(line, options);
    if (end.exitCode !== 0) throw failed(line, end);
    return readOutput(line, options.output ?? 'text', end);
  };
}

/**
 * A check that runs a program: exit code 0 passes, any other fails the attempt with the end of its output as feedback.
 * A program that cannot be started is a review error, which no other attempt would mend.
 *
 * @param name Names the check in records.
 *
 * @example
 * ```ts
 * review: { checks: [commandCheck('tests', ['npm', 'test'])] }
 * ```
 */
export function commandCheck(
  name: string,
  line: CommandLine,
  options: Omit<CommandOptions, 'output'> = {},
): Check<unknown, unknown> {
  refuseLine(line, options);
  return {
    name,
    async run(context) {
      const end = await execute(line, options, context);
      if (!end.timedOut && end.exitCode === 0) return true;
      const wanted = end.timedOut ? `end within ${options.timeout} ms` : `pass (${howItEnded(end)})`;
      return { passed: false, requiredChange: `Make ${shown(line)} ${wanted}.`, details: tail(end.all) };
    },
  };
}

// --- internal ---

const DEFAULT_MAX_OUTPUT = 1024 * 1024;

function refuseLine(line: CommandLine, { shell = false }: CommandOptions): void {
  if (typeof line === 'string' ? shell && line.trim() !== '' : !shell && line[0] !== undefined && line[0] !== '')
    return;
  const problem =
    line.length === 0 || line[0] === ''
      ? 'it is empty'
      : shell
        ? 'a list of arguments and `shell: true` exclude each other'
        : 'a line needs a shell';
  throw new PhasegateError('DEFINITION_INVALID', `Cannot make a command of ${JSON.stringify(line)} as ${problem}`, {
    hint: "Write ['program', 'argument'], or 'program argument' with `shell: true`.",
  });
}

/** Runs the program; throws where there is no end of it to judge. */
async function execute(line: CommandLine, options: CommandOptions, context: CommandContext): Promise<ProcessEnd> {
  const { cwd = process.cwd(), timeout = 0, maxOutputBytes = DEFAULT_MAX_OUTPUT } = options;
  const { signal } = context;
  if (signal.aborted) throw stopped(line, signal);
  const end = await runProcess({
    line,
    cwd,
    env: { ...commandEnv(context), ...options.env },
    stdin: commandInput(options.stdin ?? 'none', context),
    timeout,
    maxOutputBytes,
    signal,
  });
  if (signal.aborted) throw stopped(line, signal);
  if (end.spawnError) throw unstartable(line, cwd, end.spawnError);
  return end;
}

function stopped(line: CommandLine, signal: AbortSignal): PhasegateError {
  return new PhasegateError('COMMAND_FAILED', `Cannot finish ${shown(line)} as it was stopped`, {
    cause: signal.reason,
  });
}

function readOutput(line: CommandLine, output: CommandOutput, { stdout, omitted }: ProcessEnd): unknown {
  const text = stdout.replace(/\r?\n$/u, '');
  switch (output) {
    case 'text':
      return text;
    case 'lines':
      return text === '' ? [] : text.split(/\r?\n/u);
    case 'json':
      return readJson(line, text, omitted);
  }
}

function readJson(line: CommandLine, text: string, omitted: number): unknown {
  try {
    if (omitted === 0) return JSON.parse(text);
  } catch (cause) {
    throw new PhasegateError(
      'COMMAND_FAILED',
      `Cannot read the output of ${shown(line)} as JSON: ${String(cause)}\n${tail(text)}`,
      { hint: 'Print one JSON value on standard output, and everything else on standard error.', cause },
    );
  }
  throw new PhasegateError(
    'COMMAND_FAILED',
    `Cannot read the output of ${shown(line)} as JSON as ${omitted} bytes of it were left out`,
    { hint: 'Raise `maxOutputBytes`.' },
  );
}

function failed(line: CommandLine, end: ProcessEnd): PhasegateError {
  const output = tail(end.stderr.trim() === '' ? end.stdout : end.stderr);
  return new PhasegateError(
    'COMMAND_FAILED',
    `Cannot finish ${shown(line)} as it ended with ${howItEnded(end)}${output === '' ? '' : `:\n${output}`}`,
    { hint: 'Run it by hand to see its whole output.' },
  );
}

function timedOut(line: CommandLine, { timeout }: CommandOptions): PhasegateError {
  return new PhasegateError(
    'TASK_TIMEOUT',
    `Cannot wait longer for ${shown(line)} as its timeout of ${timeout} ms is over`,
    {
      hint: 'Raise `timeout`, or make the command faster.',
    },
  );
}

function unstartable(line: CommandLine, cwd: string, cause: Error): PhasegateError {
  const missing = 'code' in cause && cause.code === 'ENOENT';
  const problem = missing ? `there is no such program, or no directory ${cwd}` : cause.message;
  return new PhasegateError('COMMAND_FAILED', `Cannot start ${shown(line)} as ${problem}`, {
    hint: 'Check the program, `PATH` and `cwd`; syntax of the shell needs `shell: true`.',
    cause,
  });
}

function howItEnded({ exitCode, endedBy }: ProcessEnd): string {
  return exitCode === undefined ? `signal ${endedBy ?? 'unknown'}` : `exit code ${exitCode}`;
}

function tail(output: string): string {
  return lastLines(output, 20, 4000);
}

/** A command as a person would type it. */
function shown(line: CommandLine): string {
  const words =
    typeof line === 'string' ? [line] : line.map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : quote(word)));
  const text = words.join(' ');
  return `\`${text.length > 200 ? `${text.slice(0, 200)}…` : text}\``;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
