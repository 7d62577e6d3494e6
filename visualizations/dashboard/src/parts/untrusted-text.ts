/**
 * Untrusted text of models and files, made safe to read.
 *
 * React escapes markup. But browsers also act on some characters: bidirectional marks would show a text in a misleading order,
 * and controls are invisible.
 *
 * @module
 */
import { counted } from './words.ts';

/**
 * Replaces such characters by words like `⟨U+202E⟩`. Line breaks and tabs stay. Combining marks that would pile up over other
 * lines are counted: `⟨42 more marks⟩`.
 */
export function readable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(OBEYED, (one) => `⟨U+${hexOf(one)}⟩`)
    .replace(PILE, (_, kept: string, rest: string) => `${kept}⟨${counted(Array.from(rest).length, 'more mark')}⟩`);
}

/** Does the same on one line, for names and titles. */
export function inOneLine(text: string): string {
  return readable(text.replaceAll(/\s+/gu, ' ')).trim();
}

/** The start of a text on one line. `…` marks the cut. @param most Characters. */
export function startOf(text: string, most: number): string {
  const line = inOneLine(text.slice(0, most * 2));
  const isWhole = line.length <= most && text.length <= most * 2;
  // Half of a surrogate pair is not a character.
  return isWhole
    ? line
    : `${line
        .slice(0, most)
        .replace(/[\uD800-\uDBFF]$/u, '')
        .trimEnd()}…`;
}

/** Formats an output: text as it is, anything else as indented JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

// --- internal ---

/** Control characters except tab and line feed, line separators, bidirectional marks and zero-width characters. */
const OBEYED = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** Combining marks after the fourth on one character. Hardly any script has so many. */
const PILE = /(\p{M}{4})(\p{M}+)/gu;

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
