/**
 * One turn over a connection of the Agent Client Protocol. All knowledge of the package is here.
 *
 * @module
 */
import type {
  ClientConnection,
  McpServer,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type * as Sdk from '@agentclientprotocol/sdk';
import { agentFailed } from '../agents/agent-error.ts';
import type { AgentEvent } from '../agents/agent-event.ts';
import type { AgentResult, AgentTurn } from '../agents/agent.ts';
import { adviseOn, clauseOf } from '../agents/failure-words.ts';
import { decidePermission } from '../agents/permission-decision.ts';
import type { Submission } from '../agents/submit/submission.ts';
import { PhasegateError, refuseMissing } from '../model/errors/phasegate-error.ts';
import type { MessageStream } from './message-stream.ts';
import { usageIn, type UpdateReader } from './updates.ts';

/** The package of the protocol. */
export type AcpPackage = typeof Sdk;

/** Parameters of a conversation. */
export interface ConversationOptions {
  readonly name: string;
  readonly messages: MessageStream;
  readonly turn: AgentTurn;
  /** The tool by which the agent submits its answer. */
  readonly submission: Submission | undefined;
  /** Reader of the updates, which do not go through the connection. */
  readonly updates: UpdateReader;
  /** Mode of the session to set; `undefined` for the agent's own. */
  readonly mode: string | undefined;
  readonly tell: (event: AgentEvent) => void;
  /** Called when the session exists, and the agent has been greeted. */
  readonly onGreeted: () => void;
  /** Called with anything that a listener throws. */
  readonly onBroken: (error: unknown) => void;
}

/** A running conversation. */
export interface Conversation {
  /** The end of the turn. Rejects if the agent answers with an error, or the connection ends. */
  readonly result: Promise<AgentResult>;
  /** Asks the agent to end the turn. */
  cancel(): void;
}

/** Loads the package. @throws PhasegateError `PACKAGE_MISSING` if it is not installed. */
export async function loadAcp(
  load: () => Promise<AcpPackage> = () => import('@agentclientprotocol/sdk'),
): Promise<AcpPackage> {
  const name = '@agentclientprotocol/sdk';
  return load().catch(refuseMissing(name, 'ask an agent by ACP', `${name}@^2.4.0`));
}

/** Begins a conversation. */
export function converse(acp: AcpPackage, options: ConversationOptions): Conversation {
  const { messages, tell, onBroken } = options;
  const cancelling = new AbortController();
  const over = new AbortController();
  let session: string | undefined;
  const connection = acp
    .client({ name: 'phasegate' })
    .onRequest(acp.methods.client.session.requestPermission, async ({ params }) => {
      const { response, event } = await answer(params, options, AbortSignal.any([cancelling.signal, over.signal]));
      try {
        tell(event);
      } catch (error) {
        onBroken(error);
      }
      return response;
    })
    .connect(messages.stream);
  return {
    result: take(acp, connection, options, (id) => void (session = id)).finally(() => over.abort()),
    cancel() {
      cancelling.abort();
      if (session === undefined) return;
      const gone = connection.agent.notify(acp.methods.agent.session.cancel, { sessionId: session });
      gone.catch(() => undefined);
    },
  };
}

// --- internal ---

/** Takes the turn, and closes the connection. */
async function take(
  acp: AcpPackage,
  connection: ClientConnection,
  { name, turn, submission, mode, updates, onGreeted, tell }: ConversationOptions,
  onSession: (id: string) => void,
): Promise<AgentResult> {
  const { agent } = connection;
  const { initialize, session } = acp.methods.agent;
  try {
    await agent.request(initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
    const mcpServers: McpServer[] = submission
      ? [{ ...submission.server, args: [...submission.server.args], env: [] }]
      : [];
    const { sessionId } = await agent.request(session.new, { cwd: turn.cwd, mcpServers });
    if (mode !== undefined) await agent.request(session.setMode, { sessionId, modeId: mode });
    onSession(sessionId);
    onGreeted();
    const text = submission ? `${turn.prompt}\n\n${submission.instruction}` : turn.prompt;
    const response = await agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
    const usage = usageIn(response);
    if (usage) tell({ type: 'usage', ...usage });
    return { stop: stopOf(response.stopReason, name), text: updates.answer(), session: sessionId.slice(0, 200) };
  } catch (error) {
    if (PhasegateError.is(error)) throw error;
    throw refused(acp, name, error);
  } finally {
    connection.close();
  }
}

function stopOf(reason: unknown, name: string): AgentResult['stop'] {
  switch (reason) {
    case 'end_turn':
      return 'done';
    case 'refusal':
      return 'refused';
    case 'max_tokens':
    case 'max_turn_requests':
      return 'limit';
    case 'cancelled':
      return 'cancelled';
    default:
      // In doubt the work is not done.
      throw agentFailed(name, `it stopped for an unknown reason: ${clauseOf(JSON.stringify(reason) ?? 'none')}`, {
        hint: 'Look up the reason in the documentation of the agent.',
        retryable: true,
      });
  }
}

/** The error of a request that the agent has refused, or of a connection that has ended. */
function refused(acp: AcpPackage, name: string, error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof acp.RequestError ? error.code : undefined;
  const advice = code === AUTH_REQUIRED ? adviseOn('not logged in') : adviseOn(message);
  const found = code === undefined ? 'its connection ended' : `it answered with error ${code}`;
  return agentFailed(name, `${found}: ${clauseOf(message)}`, { ...advice, cause: error });
}

/** The code of an agent that needs a login. */
const AUTH_REQUIRED = -32_000;

/** Answers a question for permission. */
async function answer(
  { toolCall, options }: RequestPermissionRequest,
  { updates, submission, turn: { permissions, cwd, access, askPerson }, onGreeted }: ConversationOptions,
  cancelled: AbortSignal,
): Promise<{ readonly response: RequestPermissionResponse; readonly event: AgentEvent }> {
  const { kind, title, paths } = updates.tool(toolCall);
  const submits = kind === 'other' && submission !== undefined && submission.isTitle(title);
  const decided = cancelled.aborted
    ? 'reject'
    : submits
      ? 'allow'
      : await decidePermission(
          permissions,
          { kind, title, paths, ...updates.details(toolCall), cwd, access },
          askPerson && ((question) => whileAlive(onGreeted, () => askPerson(question, cancelled))),
        );
  // Only for this once: an answer for always would outlive the rules of this turn.
  const allow = decided === 'allow' ? options.find((one) => one.kind === 'allow_once') : undefined;
  const reject =
    options.find((one) => one.kind === 'reject_once') ?? options.find((one) => one.kind === 'reject_always');
  const chosen = cancelled.aborted ? undefined : (allow ?? reject);
  return {
    response: { outcome: chosen ? { outcome: 'selected', optionId: chosen.optionId } : { outcome: 'cancelled' } },
    event: { type: 'permission', asked: title, answered: allow ? 'allow' : 'reject' },
  };
}

/** Waits for a person. The agent is silent meanwhile, which must not count as its silence. */
async function whileAlive<T>(alive: () => void, wait: () => Promise<T>): Promise<T> {
  const timer = setInterval(alive, ALIVE_MS);
  try {
    return await wait();
  } finally {
    clearInterval(timer);
  }
}

const ALIVE_MS = 1000;
