/**
 * Scripts of scripted agents.
 *
 * @module
 */

/** A script, and the file that gets the questions. */
export interface Script {
  readonly turns: readonly (readonly Step[])[];
  readonly asked: string;
}

/** One step of a turn. In `json` and `text`, `<prompt>` becomes the prompt, `<nonce>` its nonce, and `<mark>` the mark of agents. */
export type Step =
  /** Leaves standard input unread. Only as the first step. */
  | { readonly type: 'ignoreInput' }
  | { readonly type: 'json'; readonly line: unknown }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'bytes'; readonly base64: string }
  | { readonly type: 'file'; readonly path: string }
  /** A line with a text of that length. */
  | { readonly type: 'giant'; readonly length: number }
  /** The same line, thousands of times. */
  | { readonly type: 'flood'; readonly count: number; readonly line: unknown }
  | { readonly type: 'stderr'; readonly text: string }
  /** Ignores SIGTERM. */
  | { readonly type: 'deaf' }
  /** Starts a child that ignores SIGTERM and never ends, and that writes its id into a file. */
  | { readonly type: 'background'; readonly path: string }
  | { readonly type: 'create'; readonly path: string; readonly content: string }
  | { readonly type: 'waitFor'; readonly path: string }
  | { readonly type: 'hang' }
  | { readonly type: 'kill'; readonly signal: NodeJS.Signals }
  | { readonly type: 'exit'; readonly code: number }
  /** Over ACP: asks for permission, waits for the answer, and says it as a part of its message. */
  | { readonly type: 'ask'; readonly toolCall: object; readonly options?: readonly object[] }
  /** Over ACP: connects to the MCP server that it got, calls its first tool with each value, and says what it answers. */
  | { readonly type: 'submit'; readonly values: readonly unknown[] }
  /** Over ACP: ends the turn. */
  | { readonly type: 'stop'; readonly response: object }
  | { readonly type: 'error'; readonly code: number; readonly message: string };

/** One question that a program got. */
export interface Asked {
  readonly prompt: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The schema in the file that the arguments name. */
  readonly schema?: unknown;
}
