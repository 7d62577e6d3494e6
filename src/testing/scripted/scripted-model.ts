/**
 * A model that answers from a script.
 *
 * @module
 */
import type { Ask, AskReply, AskRequest } from '../../llm/call/port.ts';
import { stepper } from './script-steps.ts';

/** A scripted model, for the option `ask` of model tasks and reviewers, with the requests that it got. */
export interface ScriptedModel extends Ask {
  /** Requests so far, oldest first. */
  readonly requests: readonly AskRequest[];
}

/**
 * Makes a model that answers from a script, without a network.
 *
 * @param steps One step for each request, or one for all: a text, a value that becomes JSON, a reply `{ text, usage?, finishReason? }`, a
 *   function of the request that returns one of these, `verdict(…)`, `fails(error)`, or `repeats(step)`.
 * @throws PhasegateError `SCRIPT_INVALID`, from the request, if the script is too short or has a step for rehearsals. No retry follows.
 *
 * @example
 * ```ts
 * const ask = scriptedModel([{ title: 'Gates' }, verdict('approved')]);
 * openaiTask('draft', { ask, output: z.object({ title: z.string() }) });
 * ```
 */
export function scriptedModel(steps: unknown): ScriptedModel {
  const next = stepper('a scripted model', steps);
  const requests: AskRequest[] = [];
  const ask = async (request: AskRequest): Promise<AskReply> => {
    requests.push(request);
    return replyOf(await next(request));
  };
  return Object.assign(ask, { requests });
}

// --- internal ---

function replyOf(value: unknown): AskReply {
  if (typeof value === 'string') return { text: value };
  return isReply(value) ? value : { text: JSON.stringify(value) };
}

/** True for a reply with its text and nothing that a reply does not have: any other value is the answer itself. */
function isReply(value: unknown): value is AskReply {
  if (typeof value !== 'object' || value === null || !('text' in value) || typeof value.text !== 'string') return false;
  const keys = Object.keys(value);
  return keys.length > 1 && keys.every((key) => REPLY.has(key));
}

const REPLY: ReadonlySet<string> = new Set(['text', 'usage', 'finishReason']);
