/**
 * Command lines: their options, validation and execution.
 *
 * @module
 */
import { codeOf, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { commandEnv, commandInput, type CommandContext, type CommandStdin } from './command-env.ts';
import { lastLines } from './output-excerpt.ts';
import { runProcess, type ProcessEnd } from './process.ts';

/** A program and its arguments, without a shell; or, with `shell: true`, one line for the shell. */
export type CommandLine = readonly [program: string, ...args: string[]] | string;

/** Conversion of standard output to a result: the text itself, parsed JSON, or a list of lines. */
export type CommandOutput = 'text' | 'json' | 'lines';

/** Options of a command. */
export interface CommandOptions {
  /** Runs a line with the shell. Never put untrusted text in it. @default false */
  readonly shell?: boolean | undefined;
  /** Working directory. @default that of the process */
  readonly cwd?: string | undefined;
  /** Variables in addition to those of the process and the `PHASEGATE_*` ones. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Content of standard input: nothing, the whole context as one JSON object, or the prompt. @default 'none' */
  readonly stdin?: CommandStdin | undefined;
  /** @default 'text', which drops one line end at the end */
  readonly output?: CommandOutput | undefined;
  /** Milliseconds; 0 for none. The timeout of a task applies as well. @default 0 */
  readonly timeout?: number | undefined;
  /** Most bytes of output to keep: the first half and the last. @default 1048576 (one MiB) */
  readonly maxOutputBytes?: number | undefined;
}

/** Refuses an invalid command at definition time. @throws PhasegateError `DEFINITION_INVALID` */
export function refuseLine(line: CommandLine, { shell = false }: CommandOptions): void {
  const program = (typeof line === 'string' ? line.trim() : line[0]) ?? '';
  if (program !== '' && shell === (typeof line === 'string')) return;
  const problem =
    program === ''
      ? 'it is empty'
      : shell
        ? 'a list of arguments and `shell: true` exclude each other'
        : 'a line needs a shell';
  throw new PhasegateError('DEFINITION_INVALID', `Cannot make a command of ${JSON.stringify(line)} as ${problem}`, {
    hint: "Write ['program', 'argument'], or 'program argument' with `shell: true`.",
  });
}

/** Runs the program. Throws if it cannot be started or was aborted. */
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

/** The exit code or signal of a program, in words. */
export function endText({ exitCode, endedBy }: ProcessEnd): string {
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
 * The error of a program that has failed.
 *
 * @param whose Purpose of the program, if the command does not show it.
 */
export function failed(
  line: CommandLine,
  end: ProcessEnd,
  { whose = '', hint = 'Run it by hand to see its whole output.' } = {},
): PhasegateError {
  const output = tail(end.stderr.trim() === '' ? end.stdout : end.stderr);
  return new PhasegateError(
    'COMMAND_FAILED',
    `Cannot finish ${shown(line)}${whose} as it ended with ${endText(end)}${output === '' ? '' : `:\n${output}`}`,
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
  const missing = codeOf(cause) === 'ENOENT';
  const problem = missing ? `there is no such program, or no directory ${cwd}` : cause.message;
  return new PhasegateError('COMMAND_FAILED', `Cannot start ${shown(line)} as ${problem}`, {
    hint: 'Check the program, `PATH` and `cwd`; syntax of the shell needs `shell: true`.',
    cause,
  });
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
