/**
 * What programs print, as text that a model or a person can read.
 *
 * @module
 */

/**
 * The text as a terminal would leave it: without colours and other escape sequences, without what a progress bar has written
 * over, without control characters and marks that turn text around. Lines and tabs stay. Takes time in proportion to the text.
 */
export function plainText(output: string): string {
  return overwritten(withoutCodes(output))
    .replace(CONTROLS, '')
    .replace(/\uFFFD+/gu, '\uFFFD');
}

/** The text without colours and other sequences for terminals. */
export function withoutCodes(text: string): string {
  return text.replace(SEQUENCES, '');
}

/** Whether a text would move the cursor of a terminal or hide what it says: it has more than lines and tabs. */
export function hasControls(text: string): boolean {
  return /(?![\t\n\r])\p{Cc}|\r[^\r\n]/u.test(text);
}

// --- internal ---

/** Of ECMA-48: strings up to their end, sequences with parameters, and the short ones. None looks past the next escape. */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u0080-\u009F]*(?:\u0007|\u001B\\|\u009C)`,
    String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]`,
    String.raw`\u001B[ -/]*[0-~]`,
  ].join('|'),
  'gu',
);

const CONTROLS = /(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** Of a line that was written several times, each over the one before, the last; line ends without a return. */
function overwritten(text: string): string {
  return text.includes('\r') ? text.split('\n').map(lastWritten).join('\n') : text;
}

function lastWritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
