/**
 * The point at which a run is forked.
 *
 * @module
 */
import type { ForkRequest } from '../../../../src/server/api.ts';
import { inOneLine } from '../parts/untrusted-text.ts';

/** Parses typed input: the number of a record, or else the name of a phase. @param last The number of the latest record. */
export function forkAt(
  text: string,
  last: number,
): { readonly at: ForkRequest['at']; readonly means: string } | { readonly problem: string } {
  if (text.trim() === '') return { problem: `Enter a record number from 1 to ${last}, or the name of a phase.` };
  if (!/^\s*\d+\s*$/u.test(text)) {
    return { at: { phase: text }, means: `The new run is as if "${inOneLine(text)}" had never started.` };
  }
  const at = Number(text);
  if (at < 1 || at > last) return { problem: `The run has records 1 to ${last}.` };
  return { at, means: `The new run has the records up to ${at}.` };
}
