/**
 * Agents that are any program: a prompt goes in, and text comes out.
 *
 * @module
 */
import { endText, refuseLine, shown } from '../../actors/command/command-line.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { plainText } from '../../model/values/plain-text.ts';
import { agentFailed, outputTail } from '../agent-error.ts';
import { bounded } from '../agent-event.ts';
import type { Agent, AgentResult, AgentTurn } from '../agent.ts';
import { adviseOn } from '../failure-words.ts';
import { fullDeadlines, type Deadlines, type FullDeadlines } from '../process/deadlines.ts';
import { createLineSplitter } from '../process/line-splitter.ts';
import { runProgram } from '../process/run-program.ts';
import { withFile } from '../process/turn-files.ts';

/** A program and its arguments. One word may have `{prompt}` in it. */
export type AgentLine = readonly [program: string, ...args: string[]];

/** Options of {@link commandAgent}. Its `handshake` is 0 by default, as many programs are silent until they end. */
export interface CommandAgentOptions extends Deadlines {
  /** Name of the agent in messages and records. @default the program */
  readonly name?: string | undefined;
  /**
   * The way in which the program gets the prompt: on standard input, or in place of `{prompt}` in its line as the path of a file or as the
   * text itself.
   *
   * @default 'stdin'
   */
  readonly prompt?: 'stdin' | 'file' | 'argument' | undefined;
  /**
   * The line for turns that only read, such as one with a flag that forbids changes. `true` if the program changes nothing with the same
   * line. Nothing else prevents changes: the program gets no permissions.
   *
   * @default none: a reviewer cannot use the agent
   */
  readonly readOnly?: AgentLine | true | undefined;
  /** Variables in addition to those of the process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Most bytes of output to keep: the first half and the last. @default 1048576 (one MiB) */
  readonly maxOutputBytes?: number | undefined;
}

/**
 * An agent that is any program, such as one that only writes text. Its standard output is the answer. It reports no usage, so limits of
 * tokens and dollars need an estimate.
 *
 * There is no shell, so a prompt is never read as a command.
 *
 * @throws PhasegateError `DEFINITION_INVALID` for an empty line, or if `{prompt}` and `prompt` disagree.
 *
 * @example
 * ```ts
 * const aider = commandAgent(['aider', '--yes-always', '--message-file', '{prompt}'], { prompt: 'file' });
 * ```
 */
export function commandAgent(line: AgentLine, options: CommandAgentOptions = {}): Agent {
  const { name = line[0], readOnly, prompt = 'stdin', maxOutputBytes = 1024 * 1024 } = options;
  const readLine = readOnly === true ? line : readOnly;
  for (const one of readLine ? [line, readLine] : [line]) {
    refuseLine(one, {});
    refusePlace(name, one, prompt);
  }
  const setting = { name, prompt, maxOutputBytes, env: options.env, deadlines: fullDeadlines(name, options, 0) };
  return {
    name,
    reports: { tokens: false, cost: false },
    access: readLine ? ['write', 'read'] : ['write'],
    run: (turn) => takeTurn(setting, turn.access === 'read' ? readLine : line, turn),
  };
}

// --- internal ---

interface Setting extends Pick<CommandAgentOptions, 'env'> {
  readonly name: string;
  readonly prompt: 'stdin' | 'file' | 'argument';
  readonly maxOutputBytes: number;
  readonly deadlines: FullDeadlines;
}

const PLACE = '{prompt}';
/** Most bytes of a line that is told. */
const LONGEST_LINE = 64 * 1024;

async function takeTurn(setting: Setting, line: AgentLine | undefined, turn: AgentTurn): Promise<AgentResult> {
  const { name, prompt, env, deadlines, maxOutputBytes } = setting;
  if (!line) {
    throw agentFailed(name, 'it has no line for a turn that only reads', {
      hint: 'Give `readOnly`.',
      retryable: false,
    });
  }
  return withFile('prompt.md', prompt === 'file' ? turn.prompt : undefined, async (path) => {
    const words = filled(line, path ?? turn.prompt.replaceAll('\0', ''));
    const stdin = prompt === 'stdin' ? turn.prompt : undefined;
    // Lines are told as they arrive. The answer has the whole text.
    const tell = (text: string) => turn.onEvent?.(bounded({ type: 'text', text: `${plainText(text)}\n` }));
    const lines = createLineSplitter(LONGEST_LINE, {
      line: tell,
      tooLong: (start, bytes) =>
        turn.onEvent?.(bounded({ type: 'raw', because: 'tooLong', text: `${start}… (${bytes} bytes)` })),
    });
    const onOutput = (chunk: Uint8Array, from: 'stdout' | 'stderr') => {
      if (from === 'stdout') lines.push(chunk);
      return false;
    };
    const program = { name, line: words, env, stdin, deadlines, maxOutputBytes, hearsErrors: true, onOutput };
    const end = await runProgram(program, turn);
    lines.end();
    if (end.isCancelled) return { stop: 'cancelled', text: '' };
    if (end.exitCode === 0) return { stop: 'done', text: plainText(end.stdout).trim() };
    const output = outputTail(end.stderr) === '' ? end.stdout : end.stderr;
    // The words of a prompt say nothing about the failure, so its line is shown without it.
    throw agentFailed(name, `${shown(line)} ended with ${endText(end)}`, { ...adviseOn(output), output });
  });
}

/** The line with the prompt in its place. */
function filled([program, ...args]: AgentLine, value: string): AgentLine {
  return [program, ...args.map((word) => word.replaceAll(PLACE, () => value))];
}

function refusePlace(name: string, line: AgentLine, prompt: Setting['prompt']): void {
  const [program, ...args] = line;
  const places = args.filter((word) => word.includes(PLACE)).length;
  const problem = program.includes(PLACE)
    ? 'a prompt is no program'
    : prompt === 'stdin'
      ? places > 0 && `it has ${PLACE}, and the prompt is on standard input`
      : places !== 1 && `${places === 0 ? 'no word has' : 'several words have'} ${PLACE}`;
  if (problem === false) return;
  throw new PhasegateError('DEFINITION_INVALID', `Cannot make an agent "${name}" of ${shown(line)} as ${problem}`, {
    hint: `Write ${PLACE} in one argument with \`prompt: 'file'\` or 'argument', and nowhere without.`,
  });
}
