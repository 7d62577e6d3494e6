/**
 * Conversion of terminal output into text that a model or a person can read.
 *
 * @module
 */

/**
 * Returns the text that a terminal would show. It removes colours and other escape sequences, lines that a progress bar has
 * overwritten, control characters, and marks that reverse text. Lines and tabs stay. Takes linear time.
 */
export function plainText(output: string): string {
  return overwritten(withoutCodes(output))
    .replace(CONTROLS, '')
    .replace(/\uFFFD+/gu, '\uFFFD');
}

/** Removes colours and other escape sequences. */
export function withoutCodes(text: string): string {
  return text.replace(SEQUENCES, '');
}

/** True if a text has control characters that would move the cursor of a terminal or hide text. Line ends and tabs are allowed. */
export function hasControls(text: string): boolean {
  return /(?![\t\n\r])\p{Cc}|\r[^\r\n]/u.test(text);
}

// --- internal ---

/** Sequences of ECMA-48: strings up to their end, sequences with parameters, and the short ones. None matches past the next escape. */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u0080-\u009F]*(?:\u0007|\u001B\\|\u009C)`,
    String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]`,
    String.raw`\u001B[ -/]*[0-~]`,
  ].join('|'),
  'gu',
);

const CONTROLS = /(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** Keeps the last version of each line that was overwritten by carriage returns. Removes the carriage returns. */
function overwritten(text: string): string {
  return text.includes('\r') ? text.split('\n').map(lastWritten).join('\n') : text;
}

function lastWritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
