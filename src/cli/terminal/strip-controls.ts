/**
 * Removal of control characters from texts for a terminal, which may quote models, files and runs of other people.
 *
 * @module
 */
import { stripVTControlCharacters } from 'node:util';
import { CONTROLS } from './text.ts';

/** Removes everything that a terminal would interpret. Lines, spaces and tabs stay. */
export function stripControls(text: string): string {
  return text
    .split(/\r\n|[\n\r]/u)
    .map(strippedLine)
    .join('\n');
}

// --- internal ---

const CONTROLS_BUT_TABS = new RegExp(String.raw`(?!\t)[${CONTROLS}]`, 'gu');

function strippedLine(line: string): string {
  return stripVTControlCharacters(line).replace(CONTROLS_BUT_TABS, ' ');
}
