/**
 * From options to a function that asks.
 *
 * @module
 */
import type { Caller } from '../llm/call.ts';
import { priceOf } from '../llm/prices.ts';
import { PhasegateError } from '../model/errors.ts';
import { openaiAsk } from './ask.ts';
import type { OpenAILadder, OpenAIModel, OtherLadder, OtherModel } from './options.ts';
import { providerOf } from './provider.ts';

/** @throws PhasegateError `DEFINITION_INVALID` where no model is named, or the prices lack it. */
export function callerOf(name: string, options: OpenAIModel | OtherModel): Caller {
  const { model, prices } = options;
  if (options.ask === undefined) {
    if (isName(options.model)) {
      return { ask: openaiAsk(options), price: priceOf(prices, model), model, provider: providerOf(options) };
    }
  } else if (typeof options.ask === 'function') {
    return { ask: options.ask, price: priceOf(prices, model), model, provider: options.provider };
  }
  throw new PhasegateError('DEFINITION_INVALID', `Cannot let a model do "${name}" as none is named`, {
    hint: "Give `model: '<name>'`, or `ask: (request) => …` for any other model.",
  });
}

/**
 * The callers of a task, by attempt.
 *
 * @throws PhasegateError `DEFINITION_INVALID` as {@link callerOf} does, and where both `model` and `models` are given.
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
    const found = options.model === undefined ? wrongIn(models) : '`model` beside it';
    throw new PhasegateError('DEFINITION_INVALID', `Cannot let models do "${name}" as \`models\` has ${found}`, {
      hint: "Give `models: ['<first>', '<second>']`, or `model` alone.",
    });
  }
  const make = (model: string) => callerOf(name, { ...others, model });
  return [make(first), ...more.map(make)];
}

// --- internal ---

/** What keeps this from being a list of names, in words. */
function wrongIn(models: unknown): string {
  if (!Array.isArray(models)) return 'no list of names';
  const at = models.findIndex((one) => !isName(one));
  return at === -1 ? 'no name in its list' : `something else than a name as item ${at + 1} of its list`;
}

function isName(model: unknown): model is string {
  return typeof model === 'string' && model.trim() !== '';
}
