/**
 * Editions of the rules in docs/semantics.md: a run goes by the one that it began with, so that its records can be replayed.
 *
 * @module
 */

/**
 * The edition that new runs go by. Records of an earlier one lead to what they led to then.
 *
 * - 1: what several reviewers ask for beside the verdict is told to nobody. Runs of it do not say so.
 *   A phase that waits for a person keeps the place in the queue that it got when its ancestors were settled.
 * - 2: no feedback is dropped (rule 7), a phase that a person sends back waits behind all that may start (rule 2), and gates are closed by default (`former-plan.ts` has the defaults before).
 * - 3: an attempt that puts out what was sent back is said (rule 47). Such attempts, and demands in the same words, are a loop (rule 39).
 *   A phase counts what it has read by task, and says which newer version counts as read (rule 18).
 * - 3: `limits.durationMs` does not count the time in which only people are waited for, nor that without a process (rule 21).
 */
export const EDITION = 3;

/** Whether something goes by the first edition. */
export function isFirstEdition(one: { readonly edition?: number | undefined }): boolean {
  return isBefore(one, 2);
}

/** Whether something goes by an edition before another. */
export function isBefore({ edition = EDITION }: { readonly edition?: number | undefined }, other: number): boolean {
  return edition < other;
}

/** If all time since the start counts for `limits.durationMs`, as in the first two editions. */
export function countsAllTime(one: { readonly edition?: number | undefined }): boolean {
  return isBefore(one, 3);
}
