/**
 * What answers cost. There are no prices but those that the user gives.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Report } from '../../model/handlers/task.ts';

/** The price of a model in US dollars per million tokens. */
export interface Price {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Of tokens that come from a cache. @default inputPerMillion */
  readonly cachedInputPerMillion?: number | undefined;
}

/** Prices by model. */
export type Prices = Readonly<Record<string, Price>>;

/** The price of a model, `undefined` where no prices are given. @throws `DEFINITION_INVALID` where those given lack it. */
export function priceOf(prices: Prices | undefined, model: string | undefined): Price | undefined {
  if (!prices) return undefined;
  const price = model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
  const wrong = price ? wrongIn(price) : 'no price for it';
  if (wrong === undefined) return price;
  const what = model === undefined ? 'a model without a name' : `"${model}"`;
  throw new PhasegateError('DEFINITION_INVALID', `Cannot tell what ${what} costs as \`prices\` has ${wrong}`, {
    hint: 'Give { inputPerMillion, outputPerMillion } in US dollars under the name in `model`, or no prices at all.',
  });
}

/** Tokens whose price is known. */
interface Counts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number | undefined;
}

/** US dollars. */
export function costOf({ inputTokens, outputTokens, cachedInputTokens = 0 }: Counts, price: Price): number {
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = price;
  const cached = Math.min(cachedInputTokens, inputTokens);
  return (
    ((inputTokens - cached) * inputPerMillion + cached * cachedInputPerMillion + outputTokens * outputPerMillion) / 1e6
  );
}

/** US dollars at most, where nobody says which tokens were of the messages and which of the answer. */
export function costOfTotal(tokens: number, { inputPerMillion, outputPerMillion }: Price): number {
  return (tokens * Math.max(inputPerMillion, outputPerMillion)) / 1e6;
}

/** US dollars at least, while an answer goes on. Any token of the messages may have come from a cache. A total may be all of the cheaper kind. */
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

/** The field of a price that is no number from 0, in words. */
function wrongIn({ inputPerMillion, outputPerMillion, cachedInputPerMillion = 0 }: Price): string | undefined {
  const fields: readonly (readonly [name: string, value: unknown])[] = Object.entries({
    inputPerMillion,
    outputPerMillion,
    cachedInputPerMillion,
  });
  const [name, value] = fields.find(([, one]) => !(typeof one === 'number' && Number.isFinite(one) && one >= 0)) ?? [];
  return (
    name && `${name} ${typeof value === 'string' ? JSON.stringify(value) : String(value)}, which is no number from 0`
  );
}
