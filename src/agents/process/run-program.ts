/**
 * The program of an agent, from its start to the end of all its processes.
 *
 * @module
 */
import { shown, type CommandLine } from '../../actors/command/command-line.ts';
import { runProcess, type ProcessEnd, type ProcessInput } from '../../actors/command/process.ts';
import { agentFailed } from '../agent-error.ts';
import { agentEnv } from '../agent-marker.ts';
import type { AgentTurn } from '../agent.ts';
import { watchDeadlines, type Expired, type FullDeadlines } from './deadlines.ts';

/** A program to run for a turn. */
export interface Program {
  /** Name of the agent, for messages. */
  readonly name: string;
  readonly line: CommandLine;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Content of standard input. */
  readonly stdin?: string | undefined;
  readonly deadlines: FullDeadlines;
  /** Most bytes of each output to keep: the first half and the last. */
  readonly maxOutputBytes: number;
  /** Takes output as it arrives. If it throws, the program is stopped. @returns True once the result is known. */
  readonly onOutput?: ((chunk: Uint8Array, from: 'stdout' | 'stderr') => boolean) | undefined;
  /** Takes standard input, which then stays open. */
  readonly onInput?: ((input: ProcessInput) => void) | undefined;
  /** True if errors on standard error count as signs of life. @default false */
  readonly hearsErrors?: boolean | undefined;
}

/** The end of a program. */
export interface ProgramEnd extends ProcessEnd {
  /** True if the signal of the turn was aborted. */
  readonly isCancelled: boolean;
  /** True if it was stopped as it had its result and did not end. */
  readonly hasLingered: boolean;
}

/**
 * Runs a program until it and all processes of its group have ended.
 *
 * @throws PhasegateError `AGENT_FAILED` if it cannot be started, or exceeds a deadline; errors of `onProcess` and `onOutput`.
 */
export async function runProgram(program: Program, turn: AgentTurn): Promise<ProgramEnd> {
  const { name, line, deadlines, maxOutputBytes, stdin, onOutput, onInput, hearsErrors = false } = program;
  const ending = new AbortController();
  let broken: { readonly error: unknown } | undefined;
  let expired: Expired | undefined;
  let noted: Promise<void> | undefined;
  const breakOff = (error: unknown) => {
    broken ??= { error };
    ending.abort();
  };
  const watch = watchDeadlines(deadlines, (which) => {
    expired = which;
    ending.abort();
  });
  const end = await runProcess({
    line,
    cwd: turn.cwd,
    env: agentEnv({ ...program.env, ...turn.env }),
    stdin,
    timeout: 0,
    maxOutputBytes,
    signal: AbortSignal.any([turn.signal, ending.signal]),
    onInput,
    onStart(pid) {
      noted = note(turn, pid).catch(breakOff);
    },
    onOutput(chunk, from) {
      if (broken) return;
      if (from === 'stdout' || hearsErrors) watch.heard();
      try {
        if (onOutput?.(chunk, from) === true) watch.finish();
      } catch (error) {
        breakOff(error);
      }
    },
  });
  watch.stop();
  await noted;
  const isCancelled = turn.signal.aborted;
  if (!isCancelled && broken) throw broken.error;
  if (!isCancelled && end.spawnError) throw unstartable(program, turn, end.spawnError);
  if (!isCancelled && expired !== undefined && expired !== 'linger') {
    throw agentFailed(name, LATE[expired](deadlines[expired]), {
      hint: `Raise \`${expired}\` (milliseconds, 0 for none), or run ${shown(line)} by hand to see what it waits for.`,
      retryable: true,
      output: end.stderr,
    });
  }
  return { ...end, isCancelled, hasLingered: expired === 'linger' };
}

// --- internal ---

/** A deadline that has passed, as a clause. */
const LATE: Readonly<Record<Exclude<Expired, 'linger'>, (ms: number) => string>> = {
  handshake: (ms) => `it gave no sign of life within ${ms} ms`,
  silence: (ms) => `it was silent for ${ms} ms`,
  total: (ms) => `its turn took longer than ${ms} ms`,
};

async function note({ onProcess }: AgentTurn, pid: number): Promise<void> {
  await onProcess?.(pid);
}

function unstartable({ name, line }: Program, { cwd }: AgentTurn, cause: Error): Error {
  const isMissing = 'code' in cause && cause.code === 'ENOENT';
  const found = isMissing ? `there is no such program, or no directory ${cwd}` : cause.message;
  return agentFailed(name, `${shown(line)} cannot be started: ${found}`, {
    hint: 'Install the program, and check `PATH` and the working directory.',
    retryable: false,
    cause,
  });
}
