/**
 * Longest texts from outside: from models, programs, people and files. The table in docs/semantics.md has the same numbers.
 *
 * Each limit either refuses a longer text, or cuts its middle out and notes the length of the cut. A limit counts
 * UTF-16 characters, as JavaScript does, and applies before any pattern is matched.
 *
 * @module
 */

/** Most characters, by the kind of text. */
export const TEXT_LIMITS = {
  /** An answer of a model without its own `maxAnswerChars`. Refused. */
  modelAnswer: 1_000_000,
  /** A text that the handler of a reviewer has returned. Refused. */
  verdictText: 1_000_000,
  /** Feedback or a reason of a decision, of `needsRework` or of a cancellation; a text without a verdict. Cut. */
  feedback: 50_000,
  /** A required change, of a decision, an issue or a check. Cut. */
  requiredChange: 2000,
  /** The required change of a model's verdict: it leads the next prompt. Refused. */
  modelRequiredChange: 500,
  /** A description, evidence or an impact of an issue. Cut. */
  issueText: 4000,
  /** The name of a phase, a category or a finding in a decision. Cut; the id of the issue is then a hash of it. */
  name: 1000,
  /** A check's details of one failure. Cut. */
  checkDetails: 16_000,
  /** Progress, and a warning, that a task or a reviewer reports. Cut. */
  report: 4000,
  /** A message, a cause or a stack of an error. Cut at its end. */
  error: 16_000,
  /** Any text of a person's decision, and a reason to skip or to abort. Refused. */
  personText: 50_000,
  /** A value or an output that a person supplies, as JSON. Refused. */
  personValue: 10_000_000,
  /** A pipeline in YAML. Refused. */
  yaml: 1_000_000,
} as const;

/** Cuts the middle out of a text that is longer than `most` characters (at least 50). Never splits a surrogate pair. */
export function elided(text: string, most: number): string {
  if (text.length <= most) return text;
  const note = (gone: number) => ` [… ${gone} characters left out …] `;
  const room = Math.max(0, most - note(text.length).length);
  const head = beginning(text, Math.ceil(room / 2));
  const tail = ending(text, Math.floor(room / 2));
  return head + note(text.length - head.length - tail.length) + tail;
}

/** Cuts the end off a text that is longer than `most` characters, and notes the length of the cut. */
export function cutEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = beginning(text, most);
  return `${head} [… ${text.length - head.length} characters left out]`;
}

// --- internal ---

function beginning(text: string, length: number): string {
  return text.slice(0, isPair(text, length) ? length - 1 : length);
}

function ending(text: string, length: number): string {
  const start = text.length - length;
  return text.slice(isPair(text, start) ? start + 1 : start);
}

/** True if a place is between the two halves of a surrogate pair. */
function isPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xff_ff;
}
