/**
 * Plain text as Markdown: what was typed is what is shown.
 *
 * @module
 */

/** Takes the meaning from every character that Markdown or HTML would give one. Expects text on one line. */
export function escapeMarkdown(text: string): string {
  return (
    text
      .replace(/[\\`*[\]<>~|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu, String.raw`\$&`)
      // Words that make a heading, a list or a rule at the start of a line, where wrapping may put them.
      .replace(/(?<=^|\s)(\d*)([-+=.)]|#{1,6}|-{2,}|={2,})(?=\s|$)/gu, String.raw`$1\$2`)
  );
}

/** How long a line is: in characters, not in bytes or UTF-16 units. */
export function lengthOf(line: string): number {
  return Array.from(line).length;
}

/**
 * Breaks a paragraph at spaces so that no line is longer than `width`, where words allow it.
 *
 * @param lead What the first line begins with; the others are indented by as much.
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

/** Cuts the end off every word that is longer than `most` characters, between what a reader takes for characters. */
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
