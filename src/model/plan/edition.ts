/**
 * Editions of the rules in docs/semantics.md. A run keeps the edition that it began with, so that its records can be replayed.
 *
 * @module
 */

/**
 * The edition of new runs. Records of an earlier edition are replayed by its rules.
 *
 * - 1: several reviewers' requests that the verdict leaves out are dropped. Records of these runs have no edition.
 *   A phase that waits for a person keeps the place in the queue that it got when its ancestors were settled.
 * - 2: no feedback is dropped (rule 7). A phase that a person sends back waits behind all that may start (rule 2).
 *   Gates are closed by default (`former-plan.ts` has the defaults before).
 * - 3: an attempt with the same outputs as one that was sent back is reported (rule 47). Such attempts, and demands in the same
 *   words, are a loop (rule 39). A phase counts what it has read by task, and records which newer version counts as read (rule 18).
 * - 3: `limits.durationMs` does not count time in which the run only waits for people, nor time without a process (rule 21).
 */
export const EDITION = 3;

/** True if something follows the first edition. */
export function isFirstEdition(one: { readonly edition?: number | undefined }): boolean {
  return isBefore(one, 2);
}

/** True if something follows an edition before another. */
export function isBefore({ edition = EDITION }: { readonly edition?: number | undefined }, other: number): boolean {
  return edition < other;
}

/** True if all time since the start counts for `limits.durationMs`, as in the first two editions. */
export function countsAllTime(one: { readonly edition?: number | undefined }): boolean {
  return isBefore(one, 3);
}
