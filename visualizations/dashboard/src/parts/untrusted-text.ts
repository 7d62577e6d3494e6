/**
 * Text that models and files have written, made fit to be read.
 *
 * Nothing of it is markup here. What is left are characters that a browser obeys: marks that turn text around would show a
 * change as another than it is, and controls would not be seen at all.
 *
 * @module
 */
import { counted } from './words.ts';

/**
 * The same text with such characters as words, such as `⟨U+202E⟩`; line ends and tabs are kept. Of marks that stand above or
 * below a character, those that would pile up over other lines are counted: `⟨42 more marks⟩`.
 */
export function readable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(OBEYED, (one) => `⟨U+${hexOf(one)}⟩`)
    .replace(PILE, (_, kept: string, rest: string) => `${kept}⟨${counted(Array.from(rest).length, 'more mark')}⟩`);
}

/** The same in one line, for names and titles. */
export function inOneLine(text: string): string {
  return readable(text.replaceAll(/\s+/gu, ' ')).trim();
}

/** The start of a text, in one line; `…` stands for what is left out. @param most Characters. */
export function startOf(text: string, most: number): string {
  const line = inOneLine(text.slice(0, most * 2));
  const isWhole = line.length <= most && text.length <= most * 2;
  // The first half of a character says nothing.
  return isWhole
    ? line
    : `${line
        .slice(0, most)
        .replace(/[\uD800-\uDBFF]$/u, '')
        .trimEnd()}…`;
}

/** Outputs as text: text as it is, all else as JSON over several lines. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

// --- internal ---

/** Controls without tab and line feed, line separators, marks that turn text around or have no width. */
const OBEYED = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** Marks beyond the fourth on one character: hardly any script has so many. */
const PILE = /(\p{M}{4})(\p{M}+)/gu;

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
