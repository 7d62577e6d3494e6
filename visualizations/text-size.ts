/**
 * How much room text takes in a picture, where nothing is there to measure it.
 *
 * @module
 */

/** About how many narrow characters a text is as wide as. Characters of East Asia and emoji count twice, marks on others not at all. */
export function widthInCharacters(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : NO_WIDTH.test(character) ? 0 : 1;
  return width;
}

/** The start of a text that is at most so many narrow characters wide; `…` stands for what is left out. */
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
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Code units that one character is given: an emoji of a family takes eleven. */
const MOST_UNITS = 16;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
