/**
 * Estimates the width of text, for pictures that nothing measures.
 *
 * @module
 */

/** Estimates the width of a text in common fonts. An average character has width 1. */
export function widthInCharacters(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** Cuts a text to a width in average characters, and marks the cut with `…`. */
export function shortened(text: string, most: number): string {
  if (widthInCharacters(text) <= most) return text;
  let start = '';
  let width = 1;
  for (const { segment } of graphemes.segment(text.slice(0, most * MOST_UNITS))) {
    width += widthInCharacters(segment);
    if (width > most) break;
    start += segment;
  }
  return `${start.trimEnd()}…`;
}

// --- internal ---

const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
const BROAD = /[mwMWÆŒ@%&…—→]/u;
const CAPITAL = /[\p{Lu}<>=+~#]/u;
const SLIM = /[iIjlrtf.,:;'"`|!()[\]{} ]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

function widthOf(character: string): number {
  if (WIDE.test(character)) return 2;
  if (NO_WIDTH.test(character)) return 0;
  if (BROAD.test(character)) return 1.6;
  if (SLIM.test(character)) return 0.65;
  return CAPITAL.test(character) ? 1.25 : 1;
}

/** Code units that one character may have: an emoji of a family has eleven. */
const MOST_UNITS = 16;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
