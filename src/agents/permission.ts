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

/**
 * Actions that an agent may take beyond its directory's files. In a `write` turn it may read and change those; in a `read` turn it may
 * only read them.
 *
 * An agent of the command line is told its permissions at the start, and cannot ask. If it cannot be told one of them, it gets less.
 */
export interface PermissionPolicy {
  /**
   * Commands. Without a sandbox they can do all that the user can, also in a `read` turn: change files, leave the directory, use the network.
   * An agent with a sandbox, such as Codex, runs commands in it in any case.
   *
   * @default 'reject'
   */
  readonly commands?: PermissionAnswer | undefined;
  /** Files outside of the directory. @default 'reject' */
  readonly outside?: PermissionAnswer | undefined;
  /** Requests to the network, by tools and from a sandbox. @default 'reject' */
  readonly network?: PermissionAnswer | undefined;
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
  readonly cwd: string;
  readonly access: AgentAccess;
}
