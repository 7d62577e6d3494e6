/**
 * Text of errors, which may quote models, files and the runs of other people, on its way to a terminal.
 *
 * @module
 */
import { stripVTControlCharacters } from 'node:util';
import { OBEYED } from './text.ts';

/** The same lines and spaces, without anything that a terminal would obey. */
export function stripControls(text: string): string {
  return text
    .split(/\r\n|[\n\r]/u)
    .map(harmlessLine)
    .join('\n');
}

// --- internal ---

const OBEYED_BUT_TABS = new RegExp(String.raw`(?!\t)[${OBEYED}]`, 'gu');

function harmlessLine(line: string): string {
  return stripVTControlCharacters(line).replace(OBEYED_BUT_TABS, ' ');
}
