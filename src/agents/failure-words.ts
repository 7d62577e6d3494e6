/**
 * Meaning of a failure by the words of providers and agents.
 *
 * @module
 */
import { cutEnd } from '../model/values/text-limits.ts';

/** Advice about another try after a failure. */
export interface FailureAdvice {
  readonly retryable: boolean;
  /** Shortest delay before the next try, in milliseconds, if it is stated. */
  readonly retryAfterMs?: number | undefined;
  readonly hint: string;
}

/**
 * Reads the message of a failure. Failures of access and of the bill are permanent; limits of rate and usage pass, and so may any
 * other failure.
 *
 * @param status HTTP status of the provider, if it is known.
 */
export function adviseOn(message: string, status?: number): FailureAdvice {
  // The end of a long message has the cause.
  const text = message.length > LONGEST ? message.slice(-LONGEST) : message;
  const isRate = status === 429 || status === 529 || RATE.test(text);
  if (status === 401 || status === 403 || ACCESS.test(text))
    return { retryable: false, hint: 'Log in with the program of the agent, or set its key.' };
  if (status === 402 || BILL.test(text))
    return { retryable: false, hint: 'Check the plan and the billing of the account.' };
  if (isRate) {
    return {
      retryable: true,
      retryAfterMs: delayIn(text),
      hint: 'Wait until the limit is over; more `retry.attempts`, or a longer `retry.backoff.max`, wait longer.',
    };
  }
  return { retryable: true, retryAfterMs: delayIn(text), hint: 'Run the program by hand to see its whole output.' };
}

/** One line of a message, cut, for use in an error. */
export function clauseOf(message: string): string {
  return cutEnd(message, LONGEST).replaceAll(/\s+/gu, ' ').trim();
}

/** Milliseconds until a time in seconds since 1970; `undefined` if it is over. */
export function delayUntil(seconds: number): number | undefined {
  const ms = Math.ceil(seconds * 1000 - Date.now());
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

// --- internal ---

const LONGEST = 4000;

const ACCESS =
  /invalid (?:api|authentication) ?key|invalid_api_key|not logged in|please (?:run )?\/?log ?in|authentication_(?:error|failed)|unauthori[sz]ed|status:? 401\b/iu;
const BILL = /credit balance|insufficient_quota|billing|payment required|out of credits/iu;
const RATE =
  /rate[ _-]?limit|usage limit|session limit|limit reached|too many requests|overloaded|resource_exhausted|quota|\b429\b|\b529\b/iu;

/** Begin of a stated delay, such as `try again in 3 hours 12 minutes` or `retry in 34.07s`. */
const BEGIN = /(?:try again|retry) (?:in|after):? /iu;
const PART =
  /(\d{1,9}(?:\.\d{1,9})?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)\b[, ]{0,2}(?:and )?/iuy;
/** Seconds since 1970 at which a usage limit ends. */
const ENDS_AT = /limit reached\|(\d{10})\b/iu;

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function delayIn(text: string): number | undefined {
  const endsAt = ENDS_AT.exec(text)?.[1];
  if (endsAt !== undefined) return delayUntil(Number(endsAt));
  const begin = BEGIN.exec(text);
  if (!begin) return undefined;
  let [at, sum] = [begin.index + begin[0].length, 0];
  for (let parts = 0; parts < MOST_PARTS; parts++) {
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (!part) break;
    sum += Number(part[1]) * unitOf(part[2] ?? '');
    at = PART.lastIndex;
  }
  return sum > 0 ? Math.ceil(sum) : undefined;
}

const MOST_PARTS = 4;

function unitOf(word: string): number {
  const unit = word.toLowerCase();
  if (unit === 'ms' || unit.startsWith('milli')) return 1;
  return UNITS[unit.charAt(0)] ?? 0;
}
