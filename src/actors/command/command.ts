/**
 * Programs as tasks and reviewers.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { CommandContext } from './command-env.ts';
import {
  execute,
  failed,
  refuseLine,
  shown,
  tail,
  type CommandLine,
  type CommandOptions,
  type CommandOutput,
} from './command-line.ts';
import type { ProcessEnd } from './process.ts';

/** A handler that runs a program. */
export type CommandHandler<O> = (context: CommandContext) => Promise<O>;

/**
 * Creates a handler that runs a program, for `task()` and as a reviewer.
 *
 * The program gets the attempt in variables (`PHASEGATE_PHASE`, `PHASEGATE_ATTEMPT`, `PHASEGATE_FEEDBACK`, …) and optionally on
 * its standard input. When the attempt is over, the program and its children get SIGTERM, and SIGKILL two seconds later.
 * Children that outlive the program are stopped as well.
 *
 * @throws PhasegateError `COMMAND_FAILED` if it cannot be started, exits with another code than 0, or prints invalid JSON;
 *   `TASK_TIMEOUT` if its timeout is exceeded.
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

// --- internal ---

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
      `Cannot read the output of ${shown(line)} as JSON: ${String(cause)}\n${tail(text)}`.trimEnd(),
      { hint: 'Print one JSON value on standard output, and everything else on standard error.', cause },
    );
  }
  throw new PhasegateError(
    'COMMAND_FAILED',
    `Cannot read the output of ${shown(line)} as JSON as ${omitted} bytes of it were left out`,
    { hint: 'Raise `maxOutputBytes`.' },
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
