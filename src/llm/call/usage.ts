/**
 * Usage as servers state it, with their quirks.
 *
 * @module
 */
import type { Usage } from './port.ts';
import { costOf, costOfTotal, type Price } from './prices.ts';

/** The readable part of a usage. */
export interface ReadUsage {
  /** All tokens; `undefined` if unknown. */
  readonly tokens: number | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly costUsd: number | undefined;
  /** True if the total of the answer is known. */
  readonly isWhole: boolean;
}

/** Reads the values that are numbers from 0. If two of input, output and total are known, the third is computed. */
export function readUsage(usage: Usage, price: Price | undefined): ReadUsage {
  const total = countOf(usage.totalTokens);
  const said = { input: countOf(usage.inputTokens), output: countOf(usage.outputTokens) };
  const inputTokens = said.input ?? rest(total, said.output);
  const outputTokens = said.output ?? rest(total, said.input);
  const isSplit = inputTokens !== undefined && outputTokens !== undefined;
  // A total may include tokens that are in neither part, such as reasoning.
  const tokens = isSplit ? Math.max(inputTokens + outputTokens, total ?? 0) : (total ?? inputTokens ?? outputTokens);
  const cached = countOf(usage.cachedInputTokens);
  const costUsd =
    price && tokens !== undefined
      ? isSplit
        ? costOf({ inputTokens, outputTokens: tokens - inputTokens, cachedInputTokens: cached }, price)
        : costOfTotal(tokens, price)
      : undefined;
  return { tokens, inputTokens, outputTokens, costUsd, isWhole: isSplit || total !== undefined };
}

// --- internal ---

/** A number from 0, also if written as text. */
function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/u.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}

function rest(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined || part > total ? undefined : total - part;
}
