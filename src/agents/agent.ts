/**
 * The port of coding agents.
 *
 * An agent is a function that takes a turn and promises its result. Events are told by a callback and not by an iterator: an
 * iterator that nobody reads would have to keep or lose them, and its failure would be told twice.
 *
 * @module
 */
import type { AnswerSchema } from '../llm/call/port.ts';
import type { AgentEvent, AgentUsage } from './agent-event.ts';
import type { AgentAccess, AskAboutPermission, PermissionPolicy } from './permission.ts';

/** A coding agent: a program or a service that works in a directory until it has done what a prompt asks. */
export interface Agent {
  /** Its name in messages and records, such as `claude`. */
  readonly name: string;
  /** The provider of its model, as OpenTelemetry names it in `gen_ai.provider.name`. @default unknown */
  readonly provider?: string | undefined;
  /** Amounts that its usage events state. Limits of a run see no others. */
  readonly reports: AgentReports;
  /** Turns that it can take. A reviewer needs `read`: the agent then changes nothing. */
  readonly access: readonly AgentAccess[];
  /**
   * Takes a turn. The promise settles once all processes of the agent have ended, also if the signal is aborted.
   *
   * @returns The result. A refusal, a limit and an abort are results, and none of them is a success.
   * @throws PhasegateError `AGENT_FAILED` if the agent could not be started, died, was silent too long, or broke its protocol.
   */
  run(turn: AgentTurn): Promise<AgentResult>;
}

/** Amounts that an agent reports. */
export interface AgentReports {
  readonly tokens: boolean;
  readonly cost: boolean;
}

/** One turn of an agent: a prompt, and the conditions of the work. */
export interface AgentTurn {
  readonly prompt: string;
  /** Working directory, as an absolute path. */
  readonly cwd: string;
  /** Aborted when the result is no longer awaited. */
  readonly signal: AbortSignal;
  /** A turn that may change files, or one that only reads. */
  readonly access: AgentAccess;
  readonly permissions: PermissionPolicy;
  /** Asks a person for permission, for rules that are `'ask'`. @default nobody can be asked, and the action is rejected */
  readonly askPerson?: AskAboutPermission | undefined;
  /** The required form of the answer. An agent without such an option ignores it; the prompt describes it as well. */
  readonly schema?: AnswerSchema | undefined;
  /**
   * Returns the reason why a value of the schema cannot be used; `undefined` if it can. For agents that submit the value in the middle of the
   * turn, and can correct it. Their result is validated as well.
   */
  readonly check?: ((value: unknown) => Promise<string | undefined>) | undefined;
  /** Variables in addition to those of the process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Takes each event, in order. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /** Called with the id of each process group, so that a later process can end it. A rejection ends the turn. */
  readonly onProcess?: ((pid: number) => void | Promise<void>) | undefined;
}

/** The result of a turn. */
export interface AgentResult {
  /** Its end: the work is done, the agent refused, a limit of the agent was reached, or the signal was aborted. */
  readonly stop: 'done' | 'refused' | 'limit' | 'cancelled';
  /** The answer; with `refused` and `limit` the agent's reason. Empty if it says nothing. */
  readonly text: string;
  /** The answer as the agent has read it by the schema. Not validated. */
  readonly value?: unknown;
  /** Total usage of the turn, as far as the agent states it. */
  readonly usage?: AgentUsage | undefined;
  /** The agent's own id of the session, with which a person can look at it or continue it. */
  readonly session?: string | undefined;
}
