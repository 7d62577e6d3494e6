/**
 * One turn of an agent for a task or a reviewer.
 *
 * @module
 */
import type { AnswerSchema } from '../../llm/call/port.ts';
import type { AskPerson } from '../../model/handlers/person.ts';
import { reportCall } from '../../model/handlers/model-call.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import { maskKnown } from '../../model/values/known-secrets.ts';
import { AgentError } from '../agent-error.ts';
import type { AgentEvent } from '../agent-event.ts';
import { workEnv } from '../agent-marker.ts';
import type { Agent, AgentResult, AgentTurn } from '../agent.ts';
import { clauseOf } from '../failure-words.ts';
import type { AgentAccess, PermissionPolicy } from '../permission.ts';
import { permissionFrom } from './ask-permission.ts';
import { withRefusals } from './refused-commands.ts';
import { createTranscript } from './transcript.ts';
import { createTurnReports } from './turn-reports.ts';
import type { Workspace } from './workspace.ts';

/** The part of a handler's context that a turn needs. */
export type TurnContext = Pick<TaskContext, 'run' | 'phase' | 'task' | 'attempt' | 'signal' | 'report'>;

/** A turn to take. */
export interface TurnWork {
  readonly agent: Agent;
  readonly prompt: string;
  readonly access: AgentAccess;
  readonly permissions: PermissionPolicy;
  /** Asks people; `undefined` if nobody can be asked. */
  readonly person?: AskPerson | undefined;
  readonly schema: AnswerSchema | undefined;
  /** As in `AgentTurn`. */
  readonly check?: AgentTurn['check'];
  readonly workspace: Workspace;
  /** Most characters of the answer. */
  readonly maxAnswerChars: number;
  /** True if records have the prompt and the answer. */
  readonly recordCalls: boolean;
  readonly onEvent: ((event: AgentEvent) => void) | undefined;
}

/**
 * Takes a turn, and reports usage, progress, its transcript, and commands that were refused to the agent.
 *
 * @returns The result of a turn that is done.
 * @throws PhasegateError `AGENT_STOPPED` if the agent refused or reached a limit, `AGENT_FAILED` if its answer is too long; errors of the
 *   agent; the reason of the signal if it was aborted.
 */
export async function takeTurn(work: TurnWork, context: TurnContext): Promise<AgentResult> {
  const { agent, prompt, access, permissions, person, schema, check, workspace, maxAnswerChars } = work;
  const { recordCalls, onEvent } = work;
  const { signal, report } = context;
  signal.throwIfAborted();
  const reports = createTurnReports(report, agent.provider);
  const transcript = createTranscript();
  const turn = (env: Readonly<Record<string, string>>) =>
    agent.run({
      prompt,
      cwd: workspace.cwd,
      signal,
      access,
      permissions,
      askPerson: permissionFrom(person, agent.name, permissions),
      schema,
      check,
      env: { ...workspace.env, ...workEnv(context), ...env },
      onProcess: workspace.onProcess,
      onEvent(event) {
        reports.take(event);
        transcript.take(event);
        onEvent?.(event);
      },
    });
  const result = await withRefusals(agent.name, context, turn).finally(() => {
    // A turn that fails is the one to look into.
    const content = maskKnown(transcript.text());
    if (content !== '') report({ artifact: { name: `transcript of ${context.task}`, content } });
  });
  if (recordCalls && result.text.length <= maxAnswerChars) {
    const answer = result.text === '' && result.value !== undefined ? JSON.stringify(result.value) : result.text;
    reportCall(report, context.task, { messages: [{ role: 'user', content: prompt }], answer, model: agent.name });
  }
  // The last usage may be stated with the result only.
  if (result.usage) reports.take({ type: 'usage', ...result.usage });
  signal.throwIfAborted();
  const who = `agent "${agent.name}" for "${context.task}" of phase "${context.phase}"`;
  if (result.stop !== 'done') throw stopped(who, result);
  if (result.text.length > maxAnswerChars) throw tooLong(who, maxAnswerChars);
  return { ...result, text: maskKnown(result.text) };
}

// --- internal ---

/** The error of a turn that ended without the work. No try of the task follows, but a gate may ask again. */
function stopped(who: string, { stop, text }: AgentResult): AgentError {
  const said = clauseOf(maskKnown(text));
  const { found, hint } = ENDS[stop];
  return new AgentError('AGENT_STOPPED', `Cannot use the turn of ${who} as ${found}${said === '' ? '' : `: ${said}`}`, {
    hint,
    retryable: false,
    permanent: false,
  });
}

/** Ends that are no success, as clauses. */
const ENDS: Readonly<Record<AgentResult['stop'], { readonly found: string; readonly hint: string }>> = {
  refused: { found: 'it refused', hint: 'Change what is asked, or ask another agent.' },
  limit: { found: 'a limit of the agent was reached', hint: 'Raise the limit of the agent, or ask for less.' },
  cancelled: { found: 'it was cancelled', hint: 'Look for a process that has cancelled it.' },
  done: { found: 'it is done', hint: 'Use its result.' },
};

function tooLong(who: string, most: number): AgentError {
  const problem = `Cannot use the answer of ${who} as it has more than ${most} characters`;
  return new AgentError('AGENT_FAILED', problem, {
    hint: 'Ask for less, or have the agent write files. `maxAnswerChars` sets the limit.',
    retryable: false,
    permanent: false,
  });
}
