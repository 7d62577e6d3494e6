/**
 * The record of a call of a model or an agent: its messages and its answer. It is an artifact of the task or the reviewer.
 *
 * @module
 */
import { maskSecrets } from '../events/secrets.ts';
import { elided } from '../values/text-limits.ts';
import type { Report } from './task.ts';

/** A message of a call. */
export interface CallMessage {
  /** Such as `system` or `user`. */
  readonly role: string;
  readonly content: string;
}

/** A call. */
export interface ModelCall {
  readonly messages: readonly CallMessage[];
  /** The answer as it came, also if it could not be used. */
  readonly answer: string;
  /** The model, or the agent; absent if it has no name. */
  readonly model?: string | undefined;
  /** Tokens of this call, as far as they are known. */
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** Most characters of each text of a call in a record. Of longer texts the middle is cut out, with a note. */
export const LONGEST_CALL_TEXT = 65_536;

/** Reports a call. Secrets are masked before texts are cut, as no mask finds the rest of one that is cut. */
export function reportCall(report: (report: Report) => void, task: string, call: ModelCall): void {
  const { messages, answer, model, inputTokens, outputTokens } = call;
  const content = {
    type: TYPE,
    ...(model !== undefined && { model }),
    messages: messages.map(({ role, content: text }) => ({ role, content: bounded(text) })),
    answer: bounded(answer),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
  report({ artifact: { name: `model call of ${task}`, content } });
}

/** Reads the content of an artifact as a call; `undefined` if it is none. */
export function modelCallIn(content: unknown): ModelCall | undefined {
  if (typeof content !== 'object' || content === null || !('type' in content) || content.type !== TYPE)
    return undefined;
  if (!('messages' in content && Array.isArray(content.messages))) return undefined;
  if (!('answer' in content && typeof content.answer === 'string')) return undefined;
  const messages: readonly unknown[] = content.messages;
  if (!messages.every(isMessage)) return undefined;
  const { answer } = content;
  return {
    messages,
    answer,
    ...('model' in content && typeof content.model === 'string' && { model: content.model }),
    ...('inputTokens' in content && isCount(content.inputTokens) && { inputTokens: content.inputTokens }),
    ...('outputTokens' in content && isCount(content.outputTokens) && { outputTokens: content.outputTokens }),
  };
}

// --- internal ---

const TYPE = 'model.call';

function bounded(text: string): string {
  return elided(maskSecrets(text), LONGEST_CALL_TEXT);
}

function isMessage(one: unknown): one is CallMessage {
  if (typeof one !== 'object' || one === null || !('role' in one) || !('content' in one)) return false;
  return typeof one.role === 'string' && typeof one.content === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}
