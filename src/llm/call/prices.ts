/**
 * Cost of answers, by the prices that the user gives. There are no built-in prices.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Report } from '../../model/handlers/task.ts';

/** The price of a model in US dollars per million tokens. */
export interface Price {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Price of tokens from a cache. @default inputPerMillion */
  readonly cachedInputPerMillion?: number | undefined;
}

/** Prices by model. */
export type Prices = Readonly<Record<string, Price>>;

/**
 * The price of a model; `undefined` if no prices are given.
 *
 * @throws `DEFINITION_INVALID` if prices are given without a valid one for it.
 */
export function priceOf(prices: Prices | undefined, model: string | undefined): Price | undefined {
  if (!prices) return undefined;
  const price = model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
  const wrong = price ? wrongIn(price) : 'no price for it';
  if (wrong === undefined) return price;
  const what = model === undefined ? 'a model without a name' : `"${model}"`;
  throw new PhasegateError('DEFINITION_INVALID', `Cannot compute the cost of ${what} as \`prices\` has ${wrong}`, {
    hint: 'Give { inputPerMillion, outputPerMillion } in US dollars under the name in `model`, or no prices at all.',
  });
}

/** Numbers of tokens by kind. */
interface Counts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number | undefined;
}

/** Cost in US dollars. */
export function costOf({ inputTokens, outputTokens, cachedInputTokens = 0 }: Counts, price: Price): number {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = price;
  const cached = Math.min(cachedInputTokens, inputTokens);
  return (
    ((inputTokens - cached) * inputPerMillion + cached * cachedInputPerMillion + outputTokens * outputPerMillion) / 1e6
  );
}

/** Highest possible cost in US dollars, if the split into input and output is unknown. */
export function costOfTotal(tokens: number, { inputPerMillion, outputPerMillion }: Price): number {
  return (tokens * Math.max(inputPerMillion, outputPerMillion)) / 1e6;
}

/**
 * Lowest possible cost in US dollars during an answer. Any token of the messages may be cached. An unsplit total may be of the
 * cheaper kind.
 */
export function leastCost(
  { tokens, inputTokens, outputTokens }: { readonly tokens: number } & Pick<Report, 'inputTokens' | 'outputTokens'>,
  { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion }: Price,
): number {
  const ofInput = Math.min(inputPerMillion, cachedInputPerMillion);
  if (inputTokens === undefined || outputTokens === undefined)
    return (tokens * Math.min(ofInput, outputPerMillion)) / 1e6;
  return (inputTokens * ofInput + (tokens - inputTokens) * outputPerMillion) / 1e6;
}

// --- internal ---

/** The field of a price that is not a number from 0, in words. */
function wrongIn({ inputPerMillion, outputPerMillion, cachedInputPerMillion = 0 }: Price): string | undefined {
  const fields: readonly (readonly [name: string, value: unknown])[] = Object.entries({
    inputPerMillion,
    outputPerMillion,
    cachedInputPerMillion,
  });
  const [name, value] = fields.find(([, one]) => !(typeof one === 'number' && Number.isFinite(one) && one >= 0)) ?? [];
  return (
    name && `${name} ${typeof value === 'string' ? JSON.stringify(value) : String(value)}, which is not a number from 0`
  );
}
