/**
 * Agents that speak the Agent Client Protocol.
 *
 * @module
 */
import { endText, refuseLine, type CommandLine } from '../actors/command/command-line.ts';
import { agentFailed, outputTail } from '../agents/agent-error.ts';
import { bounded, type AgentEvent, type AgentUsage } from '../agents/agent-event.ts';
import type { Agent, AgentReports, AgentResult, AgentTurn } from '../agents/agent.ts';
import { adviseOn } from '../agents/failure-words.ts';
import { fieldsOf } from '../agents/jsonl/json-fields.ts';
import { fullDeadlines, type Deadlines, type FullDeadlines } from '../agents/process/deadlines.ts';
import { runProgram, type ProgramEnd } from '../agents/process/run-program.ts';
import { withSubmission, type Submission } from '../agents/submit/submission.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { converse, loadAcp, type AcpPackage, type Conversation } from './conversation.ts';
import { createMessageStream, type MessageStream } from './message-stream.ts';
import { createUpdateReader } from './updates.ts';

/** Options of {@link acpAgent}. */
export interface AcpAgentOptions extends Deadlines {
  /** The program, such as `gemini`. */
  readonly command: string;
  /** Its arguments, such as `['--acp']`. @default [] */
  readonly args?: readonly string[] | undefined;
  /** Name of the agent in messages and records. @default the program */
  readonly name?: string | undefined;
  /** The provider of its model, as OpenTelemetry names it. @default unknown */
  readonly provider?: string | undefined;
  /** Amounts that the agent reports. Many report none, and limits of a run then need an estimate. @default none */
  readonly reports?: Partial<AgentReports> | undefined;
  /** Mode of the session for turns that only read, as the agent names it, such as `ask`. @default the agent's own mode */
  readonly readMode?: string | undefined;
  /** Variables in addition to those of the process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Most bytes of a message. A longer one is skipped, with a `raw` event. @default 4194304 (four MiB) */
  readonly maxLineBytes?: number | undefined;
}

/**
 * An agent that speaks the Agent Client Protocol on its standard input and output. It asks for permission, which the policy of the turn
 * decides. Each turn is a process and a session of its own.
 *
 * Turns that only read depend on the agent: it changes nothing as far as it asks, or its `readMode` holds. A workspace that compares is a
 * better guard.
 *
 * @throws PhasegateError `DEFINITION_INVALID` for an empty command; a turn rejects with `PACKAGE_MISSING` if the package
 *   `@agentclientprotocol/sdk` is not installed.
 *
 * @example
 * ```ts
 * const coder = acpAgent({ command: 'opencode', args: ['acp'] });
 * ```
 */
export function acpAgent(options: AcpAgentOptions): Agent {
  const { command, args = [], name = command, provider, reports = {}, maxLineBytes = 4 * 1024 * 1024 } = options;
  const line: CommandLine = [command, ...args];
  refuseLine(line, {});
  if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < 1) {
    const problem = `Cannot define agent "${name}" as \`maxLineBytes\` is ${String(maxLineBytes)}, not a whole number from 1`;
    throw new PhasegateError('DEFINITION_INVALID', problem, { hint: 'Give it in bytes, such as 4194304.' });
  }
  const setting = { ...options, name, line, maxLineBytes, deadlines: fullDeadlines(name, options) };
  return {
    name,
    provider,
    reports: { tokens: reports.tokens ?? false, cost: reports.cost ?? false },
    access: ['write', 'read'],
    async run(turn) {
      const acp = await loadAcp();
      return withSubmission(turn, (submission) => takeTurn(setting, acp, turn, submission));
    },
  };
}

// --- internal ---

interface Setting extends AcpAgentOptions {
  readonly name: string;
  readonly line: CommandLine;
  readonly maxLineBytes: number;
  readonly deadlines: FullDeadlines;
}

/** Milliseconds that an agent may take to end once its turn is over. Many wait for another prompt, also without an input. */
const LINGER_MS = 1000;
/** Bytes of output that are kept for messages. */
const MOST_OUTPUT = 64 * 1024;

type Told = { readonly result: AgentResult } | { readonly error: unknown };

async function takeTurn(
  setting: Setting,
  acp: AcpPackage,
  turn: AgentTurn,
  submission: Submission | undefined,
): Promise<AgentResult> {
  const { name, line, env, deadlines, maxLineBytes, readMode } = setting;
  let usage: AgentUsage | undefined;
  let messages: MessageStream | undefined;
  let conversation: Conversation | undefined;
  let told: Promise<Told> | undefined;
  const tell = (event: AgentEvent) => {
    if (event.type === 'usage') {
      const { type: _, ...amounts } = event;
      usage = { ...usage, ...known(amounts) };
    }
    turn.onEvent?.(bounded(event.type === 'usage' ? { type: 'usage', ...usage } : event));
  };
  const end = await runProgram(
    {
      name,
      line,
      env,
      deadlines,
      maxOutputBytes: MOST_OUTPUT,
      onOutput(chunk, from) {
        if (from === 'stdout') messages?.push(chunk);
        return false;
      },
      onTalk(talk) {
        const { input } = talk;
        const updates = createUpdateReader();
        messages = createMessageStream(input, maxLineBytes, {
          update: (params) => updates.read(fieldsOf(params)['update']).forEach(tell),
          tell,
        });
        const mode = turn.access === 'read' ? readMode : undefined;
        conversation = converse(acp, {
          name,
          messages,
          turn,
          submission,
          updates,
          mode,
          tell,
          onGreeted: talk.greeted,
          onBroken: talk.breakOff,
        });
        told = conversation.result.then(
          (result) => ({ result }),
          (error: unknown) => ({ error }),
        );
        void told.then(() => {
          input.end();
          talk.finish(LINGER_MS);
        });
      },
      onCancel: () => conversation?.cancel(),
    },
    turn,
  ).finally(() => messages?.end());
  const last = await told;
  if (end.isCancelled) return { stop: 'cancelled', text: '', usage };
  return { ...resultOf(name, last, end), usage };
}

function resultOf(name: string, told: Told | undefined, end: ProgramEnd): AgentResult {
  const isClean = end.exitCode === 0 || end.hasLingered;
  if (told && 'result' in told && (isClean || told.result.stop !== 'done')) return told.result;
  // An agent that has died tells more by its exit than by the end of its connection.
  if (isClean && told && 'error' in told) throw told.error;
  const output = outputTail(end.stderr);
  const after = told && 'result' in told ? ' after its result' : '';
  throw agentFailed(name, `it ended with ${endText(end)}${after}`, { ...adviseOn(output), output });
}

/** Amounts that are stated. */
function known(usage: AgentUsage): AgentUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
}
