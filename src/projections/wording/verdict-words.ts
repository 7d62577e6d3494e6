/**
 * Verdicts in words.
 *
 * @module
 */
import type { Verdict } from '../../model/events/event.ts';
import { changeRequestText } from '../../model/review/change-request.ts';
import { phrase, type Phrase } from './phrase.ts';

/** Writes a verdict as a few words and its text. */
export function verdictWords(verdict: Verdict): Phrase {
  switch (verdict.type) {
    case 'approve':
      return phrase('approve');
    case 'retry':
      return phrase('retry', changeRequestText(verdict));
    case 'retryPredecessor':
      return phrase(`send back ${verdict.phase}`, changeRequestText(verdict));
    case 'reject':
    case 'escalate':
      return phrase(verdict.type, verdict.reason);
    case 'unrecognised':
      return phrase('no verdict in the answer', verdict.text);
    case 'inconclusive': {
      const { what, text } = verdictWords(verdict.decision);
      return phrase(`not sure enough to ${what}`, text);
    }
    case 'unavailable':
      return phrase('no answer', verdict.error.message);
  }
}
