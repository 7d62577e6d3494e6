/**
 * Verdicts in words.
 *
 * @module
 */
import type { Verdict } from '../../model/events/event.ts';
import { changeRequestText } from '../../model/review/change-request.ts';
import { said, type Said } from './phrase.ts';

/** A verdict in a few words, and what it says. */
export function verdictWords(verdict: Verdict): Said {
  switch (verdict.type) {
    case 'approve':
      return said('approve');
    case 'retry':
      return said('retry', changeRequestText(verdict));
    case 'retryPredecessor':
      return said(`send back ${verdict.phase}`, changeRequestText(verdict));
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
