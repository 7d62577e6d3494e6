/**
 * Usage of answers, reported once: as it grows while they come, and what is left of it at their end.
 *
 * A server may say while it answers what it has used so far. Where that is reported, a limit of the run ends the answer in the
 * middle.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import type { Usage } from './port.ts';
import { leastCost, type Price } from './prices.ts';
import { readUsage, type ReadUsage } from './usage.ts';

/** Usage of all answers that one try asks for. */
export interface TryUsage {
  /** Begins an answer. @param report Takes what has to be counted. */
  answer(price: Price | undefined, report: (used: Report) => void): AnswerUsage;
}

/** Usage of one answer. */
export interface AnswerUsage {
  /** Takes what the answer has used so far, all of it. It is reported when it has grown enough; what is no usage is nothing. */
  readonly grow: (usage: unknown) => void;
  /** Reports what is left, at the end of the answer. @param usage Said at the end. @default what was said last */
  end(usage?: Usage | null): { readonly isWhole: boolean };
  /** Charges the try what is missing to its estimate. */
  chargeEstimate(): void;
}

/** Nothing is used at first. @param expected What the try is expected to use at most. */
export function createTryUsage(expected: Estimate): TryUsage {
  const all = { tokens: 0, costUsd: 0 };

  /** Charges what all answers are less than the estimate. */
  function missing(name: keyof typeof all): number | undefined {
    const rest = (expected[name] ?? 0) - all[name];
    if (rest <= 0) return undefined;
    all[name] += rest;
    return rest;
  }

  return {
    answer(price, report) {
      const said = { tokens: 0, costUsd: 0, inputTokens: 0, outputTokens: 0 };
      let last: Usage | undefined;
      let first: number | undefined;
      let next = 0;
      let isTold = false;

      function tell({ tokens, costUsd, inputTokens, outputTokens }: Omit<ReadUsage, 'isWhole'>): void {
        const more: Report = {
          tokens: grown('tokens', tokens),
          costUsd: grown('costUsd', costUsd),
          inputTokens: grown('inputTokens', inputTokens),
          outputTokens: grown('outputTokens', outputTokens),
        };
        const isNothing = more.tokens === undefined && more.costUsd === undefined;
        if (isNothing || (isTold && !more.tokens && !more.costUsd)) return;
        isTold = true;
        all.tokens += more.tokens ?? 0;
        all.costUsd += more.costUsd ?? 0;
        report(more);
      }

      /** The part of an amount that was not said yet. */
      function grown(name: keyof typeof said, amount: number | undefined): number | undefined {
        if (amount === undefined) return undefined;
        const more = Math.max(0, amount - said[name]);
        said[name] += more;
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
          tell({ ...read, costUsd: price && leastCost({ ...read, tokens }, price) });
        },
        end(usage) {
          const read = readUsage(usage ?? last ?? {}, price);
          tell(read);
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

/** Tokens that an answer has grown by before that is reported again; or an eighth of what it has grown by, if that is more. */
const STEP = 50;
