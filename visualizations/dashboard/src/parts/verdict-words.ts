/**
 * Verdicts in words.
 *
 * @module
 */
import { wordsOf } from '../../../../src/model/demand.ts';
import type { Verdict } from '../../../../src/model/event.ts';
import { inOneLine } from './foreign-text.ts';
import type { Look } from './standing.tsx';

/** A verdict, told. */
export interface VerdictWords extends Pick<Look, 'mark' | 'tone'> {
  /** What it is, in a few words. */
  readonly word: string;
  /** What it says, whole; '' where it says nothing. */
  readonly text: string;
  /** How sure whoever judged was: ordinal, 0 to 1. */
  readonly confidence: number | undefined;
}

/** Tells a verdict. */
export function verdictWords(verdict: Verdict): VerdictWords {
  switch (verdict.type) {
    case 'approve':
      return { mark: '✓', tone: 'good', word: 'approve', text: '', confidence: verdict.confidence };
    case 'retry':
      return { mark: '↻', tone: 'warn', word: 'retry', text: wordsOf(verdict), confidence: verdict.confidence };
    case 'retryPredecessor': {
      const word = `send back ${inOneLine(verdict.phase)}`;
      return { mark: '↶', tone: 'warn', word, text: wordsOf(verdict), confidence: verdict.confidence };
    }
    case 'reject':
      return { mark: '✗', tone: 'bad', word: 'reject', text: verdict.reason, confidence: verdict.confidence };
    case 'escalate':
      return { mark: '‖', tone: 'warn', word: 'escalate', text: verdict.reason, confidence: verdict.confidence };
    case 'unrecognised':
      return { mark: '?', tone: 'warn', word: 'no verdict in the answer', text: verdict.text, confidence: undefined };
    case 'inconclusive': {
      const inner = verdictWords(verdict.decision);
      return { ...inner, mark: '?', tone: 'warn', word: `not sure enough to ${inner.word}` };
    }
    case 'unavailable': {
      const text = verdict.error.message.replace(/\nDocs: \S+$/u, '');
      return { mark: '–', tone: 'quiet', word: 'no answer', text, confidence: undefined };
    }
  }
}
