/**
 * The size of a run on Restate. A message of Restate has 32 MiB at most, and some messages have all that a run keeps, several times.
 *
 * @module
 */
import { errorInfo, PhasegateError } from '../model/errors/phasegate-error.ts';
import type { WorkBatch } from '../runtime/steps/work-batch.ts';

/** Most bytes that a run keeps, but for small facts: its records, with each large value once, and the results of runs that its tasks have started. */
export const MOST_BYTES = 8_000_000;

/** True if facts do not fit into a run. @param known Bytes that it keeps. @param own Bytes of the facts. */
export function exceedsRun(known: number, own: number): boolean {
  return known + own > MOST_BYTES + (own > SMALL ? 0 : RESERVE);
}

/** Returns the error of an answer that does not fit into a run; a small one always does. */
export function refusalOfAnswer(known: number, reply: unknown): PhasegateError | undefined {
  const own = bytesOf(reply);
  return own > SMALL && exceedsRun(known, own) ? runTooLarge('Cannot take this answer', known + own) : undefined;
}

/** Returns the bytes of a value as JSON in UTF-8. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/**
 * The error of a run that would keep more than it can.
 *
 * @param attempt The attempt that failed, such as `Cannot take this answer`.
 * @param bytes Number of bytes that it would have.
 */
export function runTooLarge(attempt: string, bytes: number): PhasegateError {
  const found = `the run would keep ${bytes} bytes on Restate`;
  return new PhasegateError('RUN_TOO_LARGE', `${attempt} as ${found}, and ${MOST_BYTES} is most`, {
    hint: 'Return less, such as the address of a file or of an object in a bucket; or run it with a store.',
  });
}

/** Returns a batch that fits into messages: the same one, or one that fails the work. */
export function fitting(batch: WorkBatch): WorkBatch {
  const bytes = bytesOf(batch.facts);
  return bytes <= MOST_BYTES ? batch : { facts: [], end: tooLargeFor(bytes) };
}

/** The outcome of work whose facts do not fit into the run. */
export function tooLargeFor(bytes: number): WorkBatch['end'] & { readonly type: 'failed' } {
  return { type: 'failed', error: errorInfo(runTooLarge('Cannot record the work of a phase', bytes)) };
}

// --- internal ---

/** Bytes of facts or of an answer that are small: a full run takes them, so that a decision can still lead it to its end. */
const SMALL = 500_000;

/** Bytes that small facts may add to a full run. */
const RESERVE = 2_000_000;
