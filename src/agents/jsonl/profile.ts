/**
 * Profiles: programs that write one JSON object a line.
 *
 * @module
 */
import type { AnswerSchema } from '../../llm/call/port.ts';
import { TEXT_LIMITS } from '../../model/values/text-limits.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { Agent, AgentResult } from '../agent.ts';
import type { FailureAdvice } from '../failure-words.ts';
import type { AgentAccess, PermissionPolicy } from '../permission.ts';

/** A program that writes one JSON object a line: its command line, and the meaning of its lines. It gets the prompt on standard input. */
export interface JsonlProfile extends Pick<Agent, 'name' | 'provider' | 'reports' | 'access'> {
  /** The program, if no other is named. */
  readonly program: string;
  /** All arguments for a turn, those of the user included. */
  args(turn: ProfileTurn): readonly string[];
  /** The way in which it takes this schema; `undefined` if it takes none. @default none */
  readonly schemaBy?: ((schema: AnswerSchema) => 'argument' | 'file' | undefined) | undefined;
  /** Creates the reader of one turn. */
  reader(): JsonlReader;
  /** Meaning of exit codes other than 0. @default each is a failure */
  readonly exits?: Readonly<Record<number, AgentEnding>> | undefined;
}

/** The part of a turn that a command line depends on. */
export interface ProfileTurn {
  readonly access: AgentAccess;
  readonly permissions: PermissionPolicy;
  readonly model: string | undefined;
  /** The schema, if it is passed as an argument. */
  readonly schema: string | undefined;
  /** The path of the schema, if it is passed as a file. */
  readonly schemaFile: string | undefined;
  /** Arguments of the user. */
  readonly more: readonly string[];
}

/** Reader of the lines of one turn. It depends on the lines only. */
export interface JsonlReader {
  /** The events of a line; `undefined` if its form is unknown. */
  read(line: unknown): readonly AgentEvent[] | undefined;
  /** The end of the turn; `undefined` if no line so far has told it. */
  ending(): AgentEnding | undefined;
}

/** The end of a turn, as the program tells it. */
export type AgentEnding =
  | (Pick<AgentResult, 'text' | 'value' | 'session'> & { readonly stop: 'done' | 'refused' | 'limit' })
  | {
      readonly stop: 'failed';
      /** The message of the program. */
      readonly text: string;
      readonly advice: FailureAdvice;
    };

/** Cuts a text so that it is just too long for an answer, if it is too long. */
export function answerText(text: string): string {
  return text.slice(0, TEXT_LIMITS.modelAnswer + 1);
}
