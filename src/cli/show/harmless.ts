/**
 * Text of errors, which may quote models, files and the runs of other people, on its way to a terminal.
 *
 * @module
 */
import { stripVTControlCharacters } from 'node:util';

/** The same lines and spaces, without anything that a terminal would obey. */
export function harmless(text: string): string {
  return text
    .split(/\r\n|[\n\r]/u)
    .map(harmlessLine)
    .join('\n');
}

// --- internal ---

function harmlessLine(line: string): string {
  return stripVTControlCharacters(line).replace(/(?!\t)[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\uFEFF]/gu, ' ');
}
