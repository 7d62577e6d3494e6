/**
 * Tokens and money in words.
 *
 * @module
 */
import type { Count } from '../../model/plan/policy-schema.ts';
import { countOf } from '../../model/plan/policy.ts';

/** Tokens and US dollars. */
export interface Amounts {
  readonly tokens: number;
  readonly costUsd: number;
}

/** Writes the used part of an allowance, such as `1/2`; without the allowance if it is unlimited or unknown. */
export function outOf(used: number, max: Count | undefined): string {
  const most = max === undefined ? Infinity : countOf(max);
  return most === Infinity ? String(used) : `${used}/${most}`;
}

/** Writes a large count, such as `12.3k`. */
export function thousands(count: number): string {
  if (count < 1000) return String(Math.round(count));
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Writes money, such as `$3.50`; small sums with two significant digits: `$0.0042`. */
export function dollars(usd: number): string {
  return usd > 0 && usd < 0.095 ? `$${Number(usd.toPrecision(2))}` : `$${usd.toFixed(2)}`;
}

/** Writes tokens and money, such as `12.3k tokens, $0.042`; empty if nothing was used. */
export function usageText({ tokens, costUsd }: Amounts): string {
  const parts = [...(tokens > 0 ? [`${thousands(tokens)} tokens`] : []), ...(costUsd > 0 ? [dollars(costUsd)] : [])];
  return parts.join(', ');
}

/** Writes the estimated part of a usage, as a suffix: `(estimated)`, or `(900 tokens of it estimated)`; empty if nothing is estimated. */
export function estimatedText(used: Amounts, estimated: Amounts): string {
  if (usageText(estimated) === '') return '';
  const isAll = used.tokens === estimated.tokens && used.costUsd === estimated.costUsd;
  return isAll ? '(estimated)' : `(${usageText(estimated)} of it estimated)`;
}
