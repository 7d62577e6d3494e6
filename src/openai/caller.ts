/**
 * Callers of models, created from options.
 *
 * @module
 */
import type { Caller } from '../llm/call/call.ts';
import { priceOf } from '../llm/call/prices.ts';
import { createWarnOnce } from '../llm/call/warn-once.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { openaiAsk } from './ask.ts';
import { limitOf } from './limits.ts';
import type { Fallback, OpenAILadder, OpenAIModel, OtherLadder, OtherModel } from './options.ts';
import { providerOf } from './provider.ts';

/**
 * Creates the callers of a task or a reviewer, one for each attempt.
 *
 * @throws PhasegateError `DEFINITION_INVALID` if no model is named, the prices lack it, both `model` and `models` are given, or an
 *   option is invalid.
 */
export function callersOf(
  name: string,
  options: OpenAIModel | OtherModel | OpenAILadder | OtherLadder,
): readonly [Caller, ...Caller[]] {
  if (options.models === undefined) return [callerOf(name, options)];
  const { models, ...others } = options;
  const names: readonly unknown[] = Array.isArray(models) ? models : [];
  const [first, ...more] = names.filter(isName);
  if (options.model !== undefined || first === undefined || more.length + 1 < names.length) {
    const found = options.model === undefined ? wrongIn(models) : '`model` next to it';
    throw new PhasegateError('DEFINITION_INVALID', `Cannot let models do "${name}" as \`models\` has ${found}`, {
      hint: "Give `models: ['<first>', '<second>']`, or `model` alone.",
    });
  }
  const make = (model: string) => callerOf(name, { ...others, model });
  return [make(first), ...more.map(make)];
}

// --- internal ---

function callerOf(name: string, options: OpenAIModel | OtherModel): Caller {
  const { model, prices, concurrency = 'unlimited', fallback = [] } = options;
  if (concurrency !== 'unlimited' && !(Number.isSafeInteger(concurrency) && concurrency > 0)) {
    throw refused(
      name,
      `\`concurrency\` is ${String(concurrency)}, not a whole number from 1`,
      'Give 4, or leave it out.',
    );
  }
  if (!Array.isArray(fallback)) throw refused(name, '`fallback` is not a list', "Give `fallback: ['<model>']`.");
  return {
    ask: askOf(name, options),
    price: priceOf(prices, model),
    model,
    provider: options.ask === undefined ? providerOf(options) : options.provider,
    concurrency: concurrency === 'unlimited' ? Infinity : concurrency,
    limit: () => limitOf(options),
    warnOnce: createWarnOnce(),
    fallback: fallback.map((one: Fallback) => callerOf(name, alternativeOf(options, one))),
  };
}

/** @throws PhasegateError `DEFINITION_INVALID` if no model is named. */
function askOf(name: string, options: OpenAIModel | OtherModel) {
  if (options.ask === undefined) {
    if (options.client !== undefined && (options.apiKey !== undefined || options.baseURL !== undefined)) {
      const hint = 'Leave them out: the client has a key and a server of its own.';
      throw refused(name, '`client` is combined with `apiKey` or `baseURL`', hint);
    }
    if (isName(options.model)) return openaiAsk(options);
  } else if (typeof options.ask === 'function') return options.ask;
  throw new PhasegateError('DEFINITION_INVALID', `Cannot let a model do "${name}" as no model is named`, {
    hint: "Give `model: '<name>'`, or `ask: (request) => …` for any other model.",
  });
}

/**
 * Options of a fallback model. A name is another model behind the same server. An object stands alone, and inherits only the prices.
 */
function alternativeOf({ prices, ...options }: OpenAIModel | OtherModel, one: Fallback): OpenAIModel | OtherModel {
  const own = { prices, ...(typeof one === 'string' ? { ...options, model: one } : one) };
  return { ...own, fallback: undefined };
}

function refused(name: string, found: string, hint: string): PhasegateError {
  return new PhasegateError('DEFINITION_INVALID', `Cannot let a model do "${name}" as ${found}`, { hint });
}

/** The defect of a list of names, in words. */
function wrongIn(models: unknown): string {
  if (!Array.isArray(models)) return 'no valid list of names';
  const at = models.findIndex((one) => !isName(one));
  return at === -1 ? 'no name in its list' : `an invalid name as item ${at + 1} of its list`;
}

function isName(model: unknown): model is string {
  return typeof model === 'string' && model.trim() !== '';
}
