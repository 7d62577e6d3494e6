/**
 * Permissions of agents.
 *
 * @module
 */
import type { ToolKind } from './agent-event.ts';

/** Access of a turn: it may change files of its directory, or it only reads. */
export type AgentAccess = 'write' | 'read';

/** The answer to a question for permission. */
export type PermissionAnswer = 'allow' | 'reject';

/** A rule about actions: an answer, or a person is asked each time. */
export type PermissionRule = PermissionAnswer | 'ask';

/**
 * Actions that an agent may take beyond its directory's files. In a `write` turn it may read and change those; in a `read` turn it may
 * only read them.
 *
 * With `'ask'`, a question of the agent becomes an item of the inbox, and a person allows it once or rejects it. An agent of the command line
 * is told its permissions at the start, and cannot ask: `'ask'` then rejects. If it cannot be told one of its permissions, it gets less.
 */
export interface PermissionPolicy {
  /**
   * Commands. Without a sandbox they can do all that the user can, also in a `read` turn: change files, leave the directory, use the network.
   * An agent with a sandbox, such as Codex, runs commands in it in any case. `'ask'` is also for actions of an unknown kind.
   *
   * @default 'reject'
   */
  readonly commands?: PermissionRule | undefined;
  /** Files outside of the directory. @default 'reject' */
  readonly outside?: PermissionRule | undefined;
  /** Requests to the network, by tools and from a sandbox. @default 'reject' */
  readonly network?: PermissionRule | undefined;
  /**
   * Milliseconds that a person has for an answer; then the action is rejected. 0 for as long as the turn lasts.
   *
   * @default 600000 (ten minutes)
   */
  readonly answerWithin?: number | undefined;
  /** Decides questions that the fields above reject, if the agent can ask. A failure rejects. @default rejects */
  readonly ask?: ((question: PermissionQuestion) => PermissionAnswer | Promise<PermissionAnswer>) | undefined;
}

/** A question of an agent. */
export interface PermissionQuestion {
  readonly kind: ToolKind;
  /** One line for people. */
  readonly title: string;
  /** Paths that it is about, as the agent states them. */
  readonly paths: readonly string[];
  /** The arguments of the action and its changes of files, as the agent states them, cut; empty if it states none. */
  readonly details: string;
  /** A hash of the arguments and changes, uncut. @default that of `details` */
  readonly whole?: string | undefined;
  readonly cwd: string;
  readonly access: AgentAccess;
}

/** Asks a person about one question. The signal is aborted once no answer is awaited. */
export type AskAboutPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
