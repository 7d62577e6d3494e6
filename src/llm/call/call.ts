/**
 * One call of a model for a task or a reviewer: progress, usage, and validation of the answer.
 *
 * @module
 */
import { retryHintOf } from '../../model/errors/retry-hint.ts';
import { reportCall } from '../../model/handlers/model-call.ts';
import type { Report, TaskContext } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import { createPieceMask } from '../../model/values/known-secrets.ts';
import { answerTooLong, createAnswerLimit } from './answer-limit.ts';
import { createTryUsage, type AnswerUsage, type TryUsage } from './answer-usage.ts';
import type { Fitted } from './fit.ts';
import type { Ask, AskRequest, Message } from './port.ts';
import type { Price } from './prices.ts';
import { createProgress } from './progress.ts';
import type { RateLimit } from './rate-limit.ts';
import { readReply, wholeText } from './reply.ts';
import { isTooLong, roomIn } from './too-long.ts';
import type { WarnOnce } from './warn-once.ts';

/** A model, its price, and its fallback. */
export interface Caller {
  readonly ask: Ask;
  readonly price: Price | undefined;
  /** Name of the model, if known. */
  readonly model?: string | undefined;
  /** Name of the provider, if known. */
  readonly provider?: string | undefined;
  /** Most concurrent requests. */
  readonly concurrency: number;
  /** Shared by all callers of the same server. */
  readonly limit: () => RateLimit;
  readonly warnOnce: WarnOnce;
  /** Asked one after the other if the previous one gives no complete answer. */
  readonly fallback: readonly Caller[];
}

/** A question to a model. `retryEmpty` is true if another try of the task may help after an empty answer. */
export interface Question extends Pick<AskRequest, 'schema'> {
  /** Creates the messages with at most so many characters of material. */
  readonly messages: (most: number) => Asked;
  /** Most characters of material. */
  readonly maxMaterial: number;
  /** Most characters of the answer. */
  readonly maxAnswerChars: number;
  readonly retryEmpty: boolean;
  /** True if records have the messages and the answer. */
  readonly recordCalls: boolean;
  /** Estimated maximum usage of the answer. */
  readonly estimate: Estimate;
}

/** Messages, and the material that they contain. */
export interface Asked {
  readonly messages: readonly Message[];
  readonly fitted: Fitted;
}

/** The part of a handler's context that a call needs. */
export type CallContext = Pick<TaskContext, 'run' | 'phase' | 'task' | 'attempt' | 'signal' | 'report' | 'wait'>;

/**
 * Asks a model, and reports its usage even if the answer is unusable. If a model gives no complete answer, its fallback models are asked in
 * order.
 *
 * @returns The text of a complete answer that is not empty.
 * @throws `MODEL_ANSWER_INVALID` if there is none; errors of the model's function.
 */
export async function callModel(caller: Caller, question: Question, context: CallContext): Promise<string> {
  const errors: unknown[] = [];
  const callers = [caller, ...caller.fallback];
  const usage = createTryUsage(question.estimate);
  for (const [at, one] of callers.entries()) {
    try {
      return await shrinkOnce(one, { ...question, usage }, context);
    } catch (error) {
      context.signal.throwIfAborted();
      errors.push(error);
      const next = callers[at + 1];
      if (next) {
        const message = `Model ${nameOf(next)} is asked in place of ${nameOf(one)}: ${firstLine(error)}`;
        context.report({ warning: { code: 'MODEL_FALLBACK', message } });
      }
    }
  }
  // Prefers an error after which another try may help.
  throw errors.find((error) => retryHintOf(error).retryable) ?? errors[0];
}

// --- internal ---

/** A question, with the usage of its answers. */
interface TryQuestion extends Question {
  readonly usage: TryUsage;
}

/** Asks again with less material if the model reports that it was too much, but not a third time. */
async function shrinkOnce(caller: Caller, question: TryQuestion, context: CallContext): Promise<string> {
  const first = question.messages(question.maxMaterial);
  try {
    return await askOnce(caller, question, first, context);
  } catch (error) {
    const room = isTooLong(error) ? roomIn(error, first.fitted.shown) : undefined;
    if (room === undefined || room < LEAST || context.signal.aborted) throw error;
    return askOnce(caller, question, question.messages(room), context);
  }
}

/** Fewest characters of material that justify another question. */
const LEAST = 100;

async function askOnce(
  { ask, price, model, provider, limit, concurrency, warnOnce }: Caller,
  { schema, retryEmpty, maxAnswerChars, recordCalls, usage: ofTry }: TryQuestion,
  { messages, fitted }: Asked,
  context: CallContext,
): Promise<string> {
  const { phase, task, attempt, signal, report, wait } = context;
  const who = `"${task}" of phase "${phase}"`;
  if (fitted.shown < fitted.whole) {
    const message = `The model of ${who} is shown ${fitted.shown} of ${fitted.whole} characters of material in attempt ${attempt + 1}`;
    warnOnce(context, 'MATERIAL_CUT', message);
  }
  const progress = createProgress(who, report);
  const mask = createPieceMask();
  const whose = `the model of ${who}`;
  const answer = createAnswerLimit(whose, maxAnswerChars, signal);
  const onDelta = (piece: unknown) => {
    if (typeof piece === 'string') answer.count(piece);
    progress(typeof piece === 'string' ? mask.push(piece) : piece);
  };
  const tokens = createTokenCount();
  const usage = ofTry.answer(price, (used) => {
    tokens.add(used);
    report({ ...used, model, provider });
  });
  const asked: Promise<unknown> = limit().run(
    () => ask({ model, messages, schema, signal: answer.signal, onDelta, onUsage: usage.grow, maxAnswerChars }),
    { signal, wait },
    concurrency,
  );
  const reply = await replyTo(answer.first(asked), usage, (given) => readReply(given, who, maxAnswerChars));
  const { isWhole } = usage.end(reply.usage);
  if (recordCalls && !reply.isTooLong) {
    reportCall(report, task, { messages, answer: reply.text, model, ...tokens.read() });
  }
  if (!isWhole) usage.chargeEstimate();
  if (reply.usage && !isWhole) {
    const message = `The usage of an answer of model ${nameOf({ model })} is incomplete: the estimate counts if there is one`;
    warnOnce(context, 'USAGE_UNREADABLE', message);
  }
  if (reply.isTooLong) throw answerTooLong(whose, maxAnswerChars);
  return wholeText(reply, who, retryEmpty);
}

type Tokens = Pick<Report, 'inputTokens' | 'outputTokens'>;

/** Counts the tokens of one answer; they stay undefined until some are reported. */
function createTokenCount(): { add(used: Tokens): void; read(): Tokens } {
  let count: Tokens = {};
  return {
    add({ inputTokens, outputTokens }) {
      count = {
        inputTokens: inputTokens === undefined ? count.inputTokens : (count.inputTokens ?? 0) + inputTokens,
        outputTokens: outputTokens === undefined ? count.outputTokens : (count.outputTokens ?? 0) + outputTokens,
      };
    },
    read: () => count,
  };
}

/** Reads the reply. If there is none, the usage so far counts all the same. */
async function replyTo<R>(asked: Promise<unknown>, usage: AnswerUsage, read: (given: unknown) => R): Promise<R> {
  try {
    return read(await asked);
  } catch (error) {
    usage.end();
    throw error;
  }
}

function nameOf({ model }: Pick<Caller, 'model'>): string {
  return model === undefined ? 'without a name' : `"${model}"`;
}

function firstLine(error: unknown): string {
  const message: unknown = error instanceof Error ? error.message : String(error);
  return String(message).split('\n', 1)[0] ?? '';
}
