/**
 * Agents that are programs which write one JSON object a line.
 *
 * @module
 */
import type { CommandLine } from '../../actors/command/command-line.ts';
import { endText } from '../../actors/command/command-line.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { agentFailed, outputTail } from '../agent-error.ts';
import { bounded, type AgentEvent, type AgentUsage } from '../agent-event.ts';
import type { Agent, AgentResult, AgentTurn } from '../agent.ts';
import { adviseOn, clauseOf } from '../failure-words.ts';
import { fullDeadlines, type Deadlines, type FullDeadlines } from '../process/deadlines.ts';
import { createLineSplitter } from '../process/line-splitter.ts';
import { runProgram, type ProgramEnd } from '../process/run-program.ts';
import { withFile } from '../process/turn-files.ts';
import { PROFILES, type ProfileName } from './profiles.ts';
import type { AgentEnding, JsonlProfile, JsonlReader } from './profile.ts';

/** Options of {@link jsonlAgent}. */
export interface JsonlAgentOptions extends Deadlines {
  /** Name of the agent in messages and records. @default that of the profile */
  readonly name?: string | undefined;
  /** The program, or the first words of its command line. @default that of the profile, found by `PATH` */
  readonly program?: string | readonly [string, ...string[]] | undefined;
  /** Model of the agent. @default the program's own choice */
  readonly model?: string | undefined;
  /** Arguments after those of the profile. They can widen its permissions. @default none */
  readonly args?: readonly string[] | undefined;
  /** Variables in addition to those of the process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Most bytes of a line. A longer one is skipped, with a `raw` event. @default 4194304 (four MiB) */
  readonly maxLineBytes?: number | undefined;
}

/**
 * An agent that is a program of the command line. The prompt is its standard input, so it may be long.
 *
 * Lines of an unknown form are `raw` events and never a failure. The turn ends with the process: an exit code other than 0 is a failure,
 * also after a result, and so is an exit without one.
 *
 * @param profile `claude`, `codex`, `gemini`, or a profile of your own.
 * @throws PhasegateError `DEFINITION_INVALID` for an unknown profile, or an invalid option.
 *
 * @example
 * ```ts
 * const coder = jsonlAgent('claude', { model: 'sonnet', args: ['--max-budget-usd', '2'] });
 * ```
 */
export function jsonlAgent(profile: ProfileName | JsonlProfile, options: JsonlAgentOptions = {}): Agent {
  const known = typeof profile === 'string' ? PROFILES[profile] : profile;
  if (known === undefined) throw unknownProfile(profile);
  const { name = known.name, maxLineBytes = 4 * 1024 * 1024 } = options;
  const { provider, reports, access } = known;
  if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < 1) {
    const problem = `Cannot define agent "${name}" as \`maxLineBytes\` is ${String(maxLineBytes)}, not a whole number from 1`;
    throw new PhasegateError('DEFINITION_INVALID', problem, { hint: 'Give it in bytes, such as 4194304.' });
  }
  const setting = { ...options, name, maxLineBytes, profile: known, deadlines: fullDeadlines(name, options) };
  return { name, provider, reports, access, run: (turn) => takeTurn(setting, turn) };
}

/** The events of one line. */
export function eventsOf(reader: JsonlReader, text: string): readonly AgentEvent[] {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return [{ type: 'raw', because: 'notJson', text }];
  }
  return reader.read(line) ?? [{ type: 'raw', because: 'unknown', text }];
}

// --- internal ---

interface Setting extends JsonlAgentOptions {
  readonly name: string;
  readonly maxLineBytes: number;
  readonly profile: JsonlProfile;
  readonly deadlines: FullDeadlines;
}

async function takeTurn(setting: Setting, turn: AgentTurn): Promise<AgentResult> {
  const { profile, model, program = profile.program, args = [] } = setting;
  const { access, permissions } = turn;
  const by = turn.schema && profile.schemaBy?.(turn.schema);
  const json = by && JSON.stringify(turn.schema?.schema);
  return withFile('schema.json', by === 'file' ? json : undefined, (schemaFile) => {
    const schema = by === 'argument' ? json : undefined;
    const own = profile.args({ access, permissions, model, schema, schemaFile, more: args });
    const [first, ...words] = typeof program === 'string' ? [program] : program;
    return follow(setting, turn, [first, ...words, ...own]);
  });
}

/** Runs the program, and tells its events. */
async function follow(setting: Setting, turn: AgentTurn, line: CommandLine): Promise<AgentResult> {
  const { name, profile, maxLineBytes, deadlines, env } = setting;
  const reader = profile.reader();
  let usage: AgentUsage | undefined;
  const tell = (event: AgentEvent) => {
    if (event.type === 'usage') {
      const { type: _, ...amounts } = event;
      usage = amounts;
    }
    turn.onEvent?.(bounded(event));
  };
  const lines = createLineSplitter(maxLineBytes, {
    line: (text) => eventsOf(reader, text).forEach(tell),
    tooLong: (start, bytes) => tell({ type: 'raw', because: 'tooLong', text: `${start}… (${bytes} bytes)` }),
  });
  const end = await runProgram(
    {
      name,
      line,
      env,
      deadlines,
      stdin: turn.prompt,
      maxOutputBytes: MOST_OUTPUT,
      onOutput(chunk, from) {
        if (from === 'stdout') lines.push(chunk);
        return reader.ending() !== undefined;
      },
    },
    turn,
  );
  lines.end();
  if (end.isCancelled) return { stop: 'cancelled', text: '', usage };
  return { ...resultOf(setting, reader.ending(), end), usage };
}

/** Bytes of output that are kept for messages. */
const MOST_OUTPUT = 64 * 1024;

/** The result; throws if the turn has failed. A stated end other than success counts whatever the exit code is. */
function resultOf({ name, profile }: Setting, told: AgentEnding | undefined, end: ProgramEnd): AgentResult {
  const isClean = end.exitCode === 0 || end.hasLingered;
  const ending = told && (isClean || told.stop !== 'done') ? told : profile.exits?.[end.exitCode ?? -1];
  if (ending?.stop === 'failed') {
    const { advice, text } = ending;
    const said = clauseOf(text === '' ? 'it does not say why' : text);
    throw agentFailed(name, `it failed: ${said}`, { ...advice, output: end.stderr });
  }
  if (ending) return ending;
  const found = isClean
    ? 'it ended without a result'
    : `it ended with ${endText(end)}${told ? ' after its result' : ''}`;
  const output = outputTail(end.stderr) === '' ? end.stdout : end.stderr;
  throw agentFailed(name, found, { ...adviseOn(output), output });
}

function unknownProfile(profile: unknown): PhasegateError {
  const problem = `Cannot define an agent as there is no profile ${JSON.stringify(profile)}`;
  const hint = `Use one of ${Object.keys(PROFILES).join(', ')}, or a profile of your own.`;
  return new PhasegateError('DEFINITION_INVALID', problem, { hint });
}
