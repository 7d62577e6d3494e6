/**
 * The programs that prepare a workspace and tidy up after it.
 *
 * @module
 */
import { failed, shown, type CommandLine } from '../../actors/command/command-line.ts';
import { runProcess } from '../../actors/command/process.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/** Options of {@link runScript}. */
export interface ScriptOptions {
  readonly line: CommandLine;
  /** Purpose, such as `setup`. */
  readonly name: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Runs a program in a workspace to its end. @throws PhasegateError `COMMAND_FAILED` if it fails or is stopped. */
export async function runScript({ line, name, folder, env, timeout, signal }: ScriptOptions): Promise<void> {
  const end = await runProcess({
    line,
    cwd: folder,
    env,
    stdin: undefined,
    timeout,
    maxOutputBytes: 256 * 1024,
    signal,
  });
  const whose = ` as ${name} of a workspace`;
  if (end.spawnError || end.timedOut || signal.aborted) {
    const problem = end.timedOut ? `it took longer than ${timeout} ms` : (end.spawnError?.message ?? 'it was stopped');
    throw new PhasegateError('COMMAND_FAILED', `Cannot finish ${shown(line)}${whose} as ${problem}`, {
      hint: `Check the option \`${name}\` of the workspaces.`,
      cause: end.spawnError,
    });
  }
  if (end.exitCode !== 0) throw failed(line, end, { whose });
}
