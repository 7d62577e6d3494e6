/**
 * Phrases about a run: words of phasegate, and a quoted text.
 *
 * Both contain names and texts from models and files. Each user interface has to escape them for its output.
 *
 * @module
 */
import { problemLine } from './error-words.ts';

/** A few words, and a text that may be long. */
export interface Phrase {
  /** The event, such as `sends back research 1/2`. */
  readonly what: string;
  /** The quoted text: feedback, a reason, an error; '' for none. It may have several lines. */
  readonly text: string;
}

/** Makes a phrase. The reference to the documentation is removed from the text of an error. */
export function phrase(what: string, text = ''): Phrase {
  return { what, text: problemLine(text).trim() };
}

/** Writes both parts as one text: `retry 1/2: Cite two sources.` */
export function phraseText({ what, text }: Phrase): string {
  return text === '' ? what : `${what}: ${text}`;
}
