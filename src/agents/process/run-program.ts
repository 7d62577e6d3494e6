/**
 * The program of an agent, from its start to the end of all its processes.
 *
 * @module
 */
import { shown, type CommandLine } from '../../actors/command/command-line.ts';
import { runProcess, type ProcessEnd, type ProcessInput } from '../../actors/command/process.ts';
import { codeOf } from '../../model/errors/phasegate-error.ts';
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
  /** Begins a conversation with the program, whose standard input then stays open. */
  readonly onTalk?: ((talk: Talk) => void) | undefined;
  /** Asks the program to end its turn. It is stopped only a second later then. */
  readonly onCancel?: (() => void) | undefined;
  /** True if errors on standard error count as signs of life. @default false */
  readonly hearsErrors?: boolean | undefined;
}

/** A conversation with a running program. */
export interface Talk {
  readonly input: ProcessInput;
  /** Notes that the program has answered its greeting: until then, output is no sign of life. */
  readonly greeted: () => void;
  /** Notes that the turn is over: the program has so many milliseconds left to end by itself. */
  readonly finish: (linger: number) => void;
  /** Ends the program with an error. */
  readonly breakOff: (error: unknown) => void;
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
  const { name, line, deadlines, maxOutputBytes, stdin, onOutput, onTalk, onCancel, hearsErrors = false } = program;
  const ending = new AbortController();
  let broken: { readonly error: unknown } | undefined;
  let expired: Expired | undefined;
  let noted: Promise<void> | undefined;
  let isGreeted = onTalk === undefined;
  let isOver = false;
  const breakOff = (error: unknown) => {
    broken ??= { error };
    ending.abort();
  };
  const watch = watchDeadlines(deadlines, (which) => {
    expired = which;
    ending.abort();
  });
  let cancelTimer: NodeJS.Timeout | undefined;
  const cancel = () => {
    if (!onCancel || isOver) ending.abort();
    else cancelTimer = setTimeout(() => ending.abort(), CANCEL_MS);
    onCancel?.();
  };
  if (turn.signal.aborted) ending.abort();
  turn.signal.addEventListener('abort', cancel, { once: true });
  const end = await runProcess({
    line,
    cwd: turn.cwd,
    env: agentEnv({ ...program.env, ...turn.env }),
    stdin,
    timeout: 0,
    maxOutputBytes,
    signal: ending.signal,
    onInput:
      onTalk &&
      ((input) =>
        onTalk({
          input,
          breakOff,
          greeted() {
            isGreeted = true;
            watch.heard();
          },
          finish(linger) {
            isOver = true;
            watch.finish(linger);
            if (turn.signal.aborted) ending.abort();
          },
        })),
    onStart(pid) {
      noted = note(turn, pid).catch(breakOff);
    },
    onOutput(chunk, from) {
      if (broken) return;
      if (isGreeted && (from === 'stdout' || hearsErrors)) watch.heard();
      try {
        if (onOutput?.(chunk, from) === true) watch.finish(LINGER_MS);
      } catch (error) {
        breakOff(error);
      }
    },
  });
  watch.stop();
  clearTimeout(cancelTimer);
  turn.signal.removeEventListener('abort', cancel);
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

/** Milliseconds that a program may take to end after its result. Some hang there, with all their work done. */
const LINGER_MS = 10_000;
/** Milliseconds between the request to end a turn and SIGTERM. */
const CANCEL_MS = 1000;

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
  const code = codeOf(cause);
  const found = code === 'ENOENT' ? `there is no such program, or no directory ${cwd}` : cause.message;
  return agentFailed(name, `${shown(line)} cannot be started: ${found}`, {
    hint:
      code === 'E2BIG'
        ? 'The prompt is too long for an argument: give it on standard input.'
        : 'Install the program, and check `PATH` and the working directory.',
    retryable: false,
    cause,
  });
}
