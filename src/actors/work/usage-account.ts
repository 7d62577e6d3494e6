/**
 * The usage that one try has reported, and its charge if it reported none.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';

/** Tokens and dollars. */
export type Usage = Pick<Report, 'tokens' | 'costUsd'>;

/** A try that is charged at its end for unreported usage. */
export interface Accounted {
  settleAccount(): void;
}

/** The account of one try with an estimate of its maximum usage. */
export class Account {
  readonly #estimate: Estimate;
  readonly #reported = { tokens: false, costUsd: false };
  /** The charge that the try has not reported yet. */
  readonly #charged = { tokens: 0, costUsd: 0 };

  constructor(estimate: Estimate) {
    this.#estimate = estimate;
  }

  /** Adds reported usage. @returns The part to count: an amount that was charged already is not counted twice. */
  add({ tokens, costUsd }: Usage): Usage {
    return { tokens: this.#rest('tokens', tokens), costUsd: this.#rest('costUsd', costUsd) };
  }

  /** Charges the try at its end, once, for all that it has not reported. */
  charge(): Usage | undefined {
    const tokens = this.#due('tokens');
    const costUsd = this.#due('costUsd');
    if (tokens === undefined && costUsd === undefined) return undefined;
    return { ...(tokens !== undefined && { tokens }), ...(costUsd !== undefined && { costUsd }) };
  }

  #rest(name: keyof Usage, used: number | undefined): number | undefined {
    if (used === undefined) return undefined;
    this.#reported[name] = true;
    const known = Math.min(used, this.#charged[name]);
    this.#charged[name] -= known;
    return used - known;
  }

  #due(name: keyof Usage): number | undefined {
    const most = this.#estimate[name];
    if (this.#reported[name] || !most) return undefined;
    this.#reported[name] = true;
    this.#charged[name] = most;
    return most;
  }
}
