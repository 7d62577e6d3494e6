/**
 * Usage of answers, reported once: its growth during an answer, and the rest at the end.
 *
 * A server may state the usage so far while it answers. If that is reported, a limit of the run can end the answer in the
 * middle.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import type { Usage } from './port.ts';
import { leastCost, type Price } from './prices.ts';
import { readUsage, type ReadUsage } from './usage.ts';

/** Usage of all answers in one try. */
export interface TryUsage {
  /** Begins an answer. @param report Called with the usage to count. */
  answer(price: Price | undefined, report: (used: Report) => void): AnswerUsage;
}

/** Usage of one answer. */
export interface AnswerUsage {
  /**
   * Takes the total usage of the answer so far. It is reported once it has grown enough. Anything that is not an object is
   * ignored.
   */
  readonly grow: (usage: unknown) => void;
  /** Reports the rest at the end of the answer. @param usage Final usage. @default the last usage of `grow` */
  end(usage?: Usage | null): { readonly isWhole: boolean };
  /** Charges the try up to its estimate. */
  chargeEstimate(): void;
}

/** Creates the usage of one try. @param expected Estimated maximum usage of the try. */
export function createTryUsage(expected: Estimate): TryUsage {
  const all = { tokens: 0, costUsd: 0 };

  /** Adds the difference between the estimate and the usage of all answers. Returns `undefined` if there is none. */
  function missing(name: keyof typeof all): number | undefined {
    const rest = (expected[name] ?? 0) - all[name];
    if (rest <= 0) return undefined;
    all[name] += rest;
    return rest;
  }

  return {
    answer(price, report) {
      const reported = { tokens: 0, costUsd: 0, inputTokens: 0, outputTokens: 0 };
      let last: Usage | undefined;
      let first: number | undefined;
      let next = 0;
      let hasReported = false;

      function reportGrowth({ tokens, costUsd, inputTokens, outputTokens }: Omit<ReadUsage, 'isWhole'>): void {
        const more: Report = {
          tokens: grown('tokens', tokens),
          costUsd: grown('costUsd', costUsd),
          inputTokens: grown('inputTokens', inputTokens),
          outputTokens: grown('outputTokens', outputTokens),
        };
        const isNothing = more.tokens === undefined && more.costUsd === undefined;
        if (isNothing || (hasReported && !more.tokens && !more.costUsd)) return;
        hasReported = true;
        all.tokens += more.tokens ?? 0;
        all.costUsd += more.costUsd ?? 0;
        report(more);
      }

      /** The part of an amount that was not reported yet. */
      function grown(name: keyof typeof reported, amount: number | undefined): number | undefined {
        if (amount === undefined) return undefined;
        const more = Math.max(0, amount - reported[name]);
        reported[name] += more;
        return more;
      }

      return {
        grow(usage) {
          if (typeof usage !== 'object' || usage === null) return;
          last = usage;
          const read = readUsage(usage, undefined);
          const { tokens } = read;
          if (tokens === undefined || tokens < next) return;
          first ??= tokens;
          next = tokens + Math.max(STEP, (tokens - first) / 8);
          reportGrowth({ ...read, costUsd: price && leastCost({ ...read, tokens }, price) });
        },
        end(usage) {
          const read = readUsage(usage ?? last ?? {}, price);
          reportGrowth(read);
          return read;
        },
        chargeEstimate() {
          const tokens = missing('tokens');
          const costUsd = missing('costUsd');
          if ((tokens ?? costUsd) !== undefined) report({ tokens, costUsd, estimated: true });
        },
      };
    },
  };
}

// --- internal ---

/** Tokens by which an answer must grow before the next report; an eighth of its growth so far if that is more. */
const STEP = 50;
