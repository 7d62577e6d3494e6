/**
 * Conversion of plain text to Markdown that shows the same text.
 *
 * @module
 */

/** Escapes every character that Markdown or HTML would interpret. Expects text on one line. */
export function escapeMarkdown(text: string): string {
  return (
    text
      .replace(/[\\`*[\]<>~|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu, String.raw`\$&`)
      // Escapes words that would make a heading, a list or a rule at the start of a line, as wrapping may put them there.
      .replace(/(?<=^|\s)(\d*)([-+=.)]|#{1,6}|-{2,}|={2,})(?=\s|$)/gu, String.raw`$1\$2`)
  );
}

/** Counts the characters of a line, not its bytes or UTF-16 units. */
export function lengthOf(line: string): number {
  return Array.from(line).length;
}

/**
 * Breaks a paragraph at spaces so that no line is longer than `width`, except for longer words.
 *
 * @param lead The beginning of the first line. The others are indented by its length.
 */
export function wrap(text: string, width: number, lead: string): string {
  const lines: string[] = [];
  const room = width - lead.length;
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && lengthOf(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lead + lines.join(`\n${' '.repeat(lead.length)}`);
}

/** Cuts every word that is longer than `most` characters, without splitting a grapheme. */
export function shortenWords(text: string, most: number): string {
  return text
    .split(' ')
    .map((word) => (lengthOf(word) <= most ? word : `${start(word, most - 1)}…`))
    .join(' ');
}

// --- internal ---

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function start(word: string, most: number): string {
  let kept = '';
  let length = 0;
  for (const { segment } of graphemes.segment(word)) {
    length += lengthOf(segment);
    if (length > most) break;
    kept += segment;
  }
  return kept;
}
