/**
 * Exit codes of the process.
 *
 * @module
 */
import type { RunResult } from '../../projections/run/run-result.ts';

/** Exit codes of every command; `docs/cli.md` explains them. */
export const exitCode = {
  completed: 0,
  /** The run was rejected, failed, reached a limit, or was cancelled for another reason than those below; or a run could not be read. */
  unsuccessful: 1,
  /** Nothing ran: an invalid flag, an unreadable file, an invalid definition or input. */
  usage: 2,
  /** The run is stored and waits for a person who cannot be asked here. */
  waiting: 3,
  hangup: 129,
  interrupted: 130,
  /** The reader of the output has closed the pipe, as with `| head`. */
  brokenPipe: 141,
  terminated: 143,
} as const;

/** An exit code. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Returns the exit code of a run that ended by itself or was suspended because it waits for a person. */
export function exitCodeOf({ status, error }: Pick<RunResult, 'status' | 'error'>): ExitCode {
  if (status === 'completed') return exitCode.completed;
  if (status === 'suspended') return exitCode.waiting;
  return error?.code === 'INPUT_INVALID' ? exitCode.usage : exitCode.unsuccessful;
}
