/**
 * From options to a function that asks.
 *
 * @module
 */
import type { Caller } from '../llm/call.ts';
import { priceOf } from '../llm/prices.ts';
import { PhasegateError } from '../model/errors.ts';
import { openaiAsk } from './ask.ts';
import type { OpenAIModel, OtherModel } from './options.ts';

/** @throws PhasegateError `DEFINITION_INVALID` where no model is named, or the prices lack it. */
export function callerOf(name: string, options: OpenAIModel | OtherModel): Caller {
  const { model, prices } = options;
  if (options.ask === undefined) {
    if (typeof options.model === 'string' && options.model.trim() !== '') {
      return { ask: openaiAsk(options), price: priceOf(prices, model), model };
    }
  } else if (typeof options.ask === 'function') return { ask: options.ask, price: priceOf(prices, model), model };
  throw new PhasegateError('DEFINITION_INVALID', `Cannot let a model do "${name}" as none is named`, {
    hint: "Give `model: '<name>'`, or `ask: (request) => …` for any other model.",
  });
}
