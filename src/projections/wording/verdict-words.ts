/**
 * Verdicts in words.
 *
 * @module
 */
import { wordsOf } from '../../model/review/change-request.ts';
import type { Verdict } from '../../model/events/event.ts';
import { said, type Said } from './phrase.ts';

/** A verdict in a few words, and what it says. */
export function verdictWords(verdict: Verdict): Said {
  switch (verdict.type) {
    case 'approve':
      return said('approve');
    case 'retry':
      return said('retry', wordsOf(verdict));
    case 'retryPredecessor':
      return said(`send back ${verdict.phase}`, wordsOf(verdict));
    case 'reject':
    case 'escalate':
      return said(verdict.type, verdict.reason);
    case 'unrecognised':
      return said('no verdict in the answer', verdict.text);
    case 'inconclusive': {
      const { what, text } = verdictWords(verdict.decision);
      return said(`not sure enough to ${what}`, text);
    }
    case 'unavailable':
      return said('no answer', verdict.error.message);
  }
}
