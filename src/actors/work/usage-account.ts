/**
 * The usage that one try has reported, and its charge if it reported none.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';

/** Tokens and dollars. */
export type Usage = Pick<Report, 'tokens' | 'costUsd'>;

/** A try that is charged at its end what it has not said. */
export interface Accounted {
  settleAccount(): void;
}

/** The account of one try that says what it uses at most. */
export class Account {
  readonly #estimate: Estimate;
  readonly #said = { tokens: false, costUsd: false };
  /** The charge that it has not reported yet. */
  readonly #charged = { tokens: 0, costUsd: 0 };

  constructor(estimate: Estimate) {
    this.#estimate = estimate;
  }

  /** Takes down what the try says. @returns What of that has to be counted: what it was charged already is not counted twice. */
  say({ tokens, costUsd }: Usage): Usage {
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
    this.#said[name] = true;
    const known = Math.min(used, this.#charged[name]);
    this.#charged[name] -= known;
    return used - known;
  }

  #due(name: keyof Usage): number | undefined {
    const most = this.#estimate[name];
    if (this.#said[name] || !most) return undefined;
    this.#said[name] = true;
    this.#charged[name] = most;
    return most;
  }
}
