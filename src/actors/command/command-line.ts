/**
 * How a command is written, judged and run.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { commandEnv, commandInput, type CommandContext, type CommandStdin } from './command-env.ts';
import { lastLines } from './output-excerpt.ts';
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

/** Refuses what is no command when it is defined. */
export function refuseLine(line: CommandLine, { shell = false }: CommandOptions): void {
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
export async function execute(
  line: CommandLine,
  options: CommandOptions,
  context: CommandContext,
): Promise<ProcessEnd> {
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

/** How a program ended, in words. */
export function howItEnded({ exitCode, endedBy }: ProcessEnd): string {
  return exitCode === undefined ? `signal ${endedBy ?? 'unknown'}` : `exit code ${exitCode}`;
}

/** A command as a person would type it. */
export function shown(line: CommandLine): string {
  const words =
    typeof line === 'string' ? [line] : line.map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : quote(word)));
  const text = words.join(' ');
  return `\`${text.length > 200 ? `${text.slice(0, 200)}…` : text}\``;
}

/**
 * A program that has ended otherwise than it should.
 *
 * @param whose What it is run for, where that is not plain to see.
 */
export function failed(
  line: CommandLine,
  end: ProcessEnd,
  { whose = '', hint = 'Run it by hand to see its whole output.' } = {},
): PhasegateError {
  const output = tail(end.stderr.trim() === '' ? end.stdout : end.stderr);
  return new PhasegateError(
    'COMMAND_FAILED',
    `Cannot finish ${shown(line)}${whose} as it ended with ${howItEnded(end)}${output === '' ? '' : `:\n${output}`}`,
    { hint },
  );
}

/** The last lines of an output. */
export function tail(output: string): string {
  return lastLines(output, 20, 4000);
}

// --- internal ---

const DEFAULT_MAX_OUTPUT = 1024 * 1024;

function stopped(line: CommandLine, signal: AbortSignal): PhasegateError {
  return new PhasegateError('COMMAND_FAILED', `Cannot finish ${shown(line)} as it was stopped`, {
    cause: signal.reason,
  });
}

function unstartable(line: CommandLine, cwd: string, cause: Error): PhasegateError {
  const missing = 'code' in cause && cause.code === 'ENOENT';
  const problem = missing ? `there is no such program, or no directory ${cwd}` : cause.message;
  return new PhasegateError('COMMAND_FAILED', `Cannot start ${shown(line)} as ${problem}`, {
    hint: 'Check the program, `PATH` and `cwd`; syntax of the shell needs `shell: true`.',
    cause,
  });
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
