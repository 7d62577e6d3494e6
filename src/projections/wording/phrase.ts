/**
 * Something that is told of a run: words of ours, and what somebody has said.
 *
 * There are names and texts in both that models and files have written. Whoever shows them makes them fit for the place.
 *
 * @module
 */
import { problemLine } from './error-words.ts';

/** A few words, and a text that may be long. */
export interface Phrase {
  /** What has happened, such as `sends back research 1/2`. */
  readonly what: string;
  /** What was said with it: feedback, a reason, an error; '' for nothing. It may have lines. */
  readonly text: string;
}

/** Puts the two together. A text of an error is left without where its documentation is. */
export function phrase(what: string, text = ''): Phrase {
  return { what, text: problemLine(text).trim() };
}

/** The two as one: `retry 1/2: Cite two sources.` */
export function phraseText({ what, text }: Phrase): string {
  return text === '' ? what : `${what}: ${text}`;
}
