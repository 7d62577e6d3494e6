/**
 * Detection of obvious secrets in texts.
 *
 * @module
 */

import { MASK, maskKnown } from '../values/known-secrets.ts';

/** Usual names of secrets. */
const NAMES = '(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)';

/** Names of fields whose texts are secrets. */
export const SECRET_FIELD = new RegExp(NAMES, 'iu');

/** Masks every known and every obvious secret in a text. Takes linear time. */
export function maskSecrets(given: string): string {
  const text = maskKnown(given);
  if (text.length < SHORTEST) return text;
  const lower = text.toLowerCase();
  return SECRETS.reduce(
    (left, { hints, mask }) => (hints.some((hint) => lower.includes(hint)) ? mask(left) : left),
    text,
  );
}

// --- internal ---

/** Shorter texts have no secret in them. */
const SHORTEST = 10;

const IN_NAMES = ['passw', 'passphrase', 'secret', 'token', 'key'];

interface Secret {
  /** Lower-case texts, one of which every such secret contains: searching for them is fast. */
  readonly hints: readonly string[];
  readonly mask: (text: string) => string;
}

/**
 * Functions check lengths and shapes after the patterns have matched. So each pattern consumes every character that it reads, which
 * keeps the time linear.
 */
const SECRETS: readonly Secret[] = [
  { hints: ['private key-----'], mask: maskPrivateKeys },
  { hints: ['sk-'], mask: masking(/\bsk-[\w-]+/gu, isLonger(17)) },
  { hints: ['gh'], mask: masking(/\bgh[opsur]_\w+/gu, isLonger(23)) },
  { hints: ['github_pat_'], mask: masking(/\bgithub_pat_\w+/gu, isLonger(30)) },
  { hints: ['glpat-'], mask: masking(/\bglpat-[\w-]+/gu, isLonger(22)) },
  { hints: ['xox'], mask: masking(/\bxox[abeoprs]-[\w-]+/gu, isLonger(14)) },
  { hints: ['npm_'], mask: masking(/\bnpm_\w+/gu, isLonger(33)) },
  { hints: ['akia', 'asia'], mask: masking(/\bA[KS]IA[A-Z\d]{16}\b/gu) },
  { hints: ['aiza'], mask: masking(/\bAIza[\w-]{34}\w/gu) },
  { hints: ['eyj'], mask: masking(/\beyJ[\w.-]+/gu, isWebToken) },
  { hints: ['bearer'], mask: maskingAfter(/(\bbearer\s{1,4})([\w.~+/=-]+)/giu, isBearer) },
  { hints: ['basic'], mask: maskingAfter(/(\bbasic\s{1,4})([A-Za-z\d+/=]+)/giu, isBasic) },
  {
    hints: IN_NAMES,
    mask: maskingAfter(new RegExp(String.raw`(${NAMES}\s{0,4}=\s{0,4}["']?)([^\s"',;&)\]}]+)`, 'giu'), isOpen),
  },
  {
    hints: IN_NAMES,
    mask: maskingAfter(
      new RegExp(String.raw`(${NAMES}\\{0,4}["']\s{0,4}:\s{0,4}\\{0,4}["'])([^"'\\]+)`, 'giu'),
      isOpen,
    ),
  },
  { hints: ['://'], mask: maskingAfter(/(:\/\/[^\s/:@]{1,200}:)([^\s/@]{1,200})(?=@)/gu, isOpen) },
];

/** Masks the matches of a pattern that are secrets, except a dot or a dash at their end. */
function masking(pattern: RegExp, isSecret: (text: string) => boolean = () => true): Secret['mask'] {
  return (text) =>
    text.replace(pattern, (found) => {
      const end = found.endsWith('.') || found.endsWith('-') ? found.length - 1 : found.length;
      return isSecret(found.slice(0, end)) ? MASK + found.slice(end) : found;
    });
}

/** Masks the second group; the first one stays. */
function maskingAfter(pattern: RegExp, isSecret: (text: string) => boolean): Secret['mask'] {
  return (text) =>
    text.replace(pattern, (whole, before: string, found: string) => (isSecret(found) ? before + MASK : whole));
}

function isLonger(length: number): (text: string) => boolean {
  return (text) => text.length > length;
}

/** True for a JSON web token: header, claims and signature. */
function isWebToken(text: string): boolean {
  const [head = '', claims = '', signature = ''] = text.split('.', 3);
  return head.length > 10 && claims.length > 7 && signature !== '';
}

/** True if long enough and with a digit, unlike a word of prose. */
function isBearer(text: string): boolean {
  return text.length > 7 && /\d/u.test(text);
}

function isBasic(text: string): boolean {
  return text.length > 12 && /[^=]={1,2}$/u.test(text);
}

/** True if not masked already. */
function isOpen(text: string): boolean {
  return !text.startsWith(MASK.slice(0, -1));
}

const KEY_BEGIN = /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY-----/gu;
const KEY_END = /-----END [A-Z\d ]{0,40}PRIVATE KEY-----/uy;
const KEY_LINE = /\s{1,4}([A-Za-z\d+/=]+)/uy;

/** Longest body of a key, in characters. */
const LONGEST_KEY = 8192;

/** Masks private keys from their first line to the last. A key that was cut off is masked to the end of its base64 lines. */
function maskPrivateKeys(text: string): string {
  let left = '';
  let from = 0;
  for (const begin of text.matchAll(KEY_BEGIN)) {
    if (begin.index < from) continue;
    left += text.slice(from, begin.index) + MASK;
    from = keyEnd(text, begin.index + begin[0].length);
  }
  return left + text.slice(from);
}

function keyEnd(text: string, body: number): number {
  const dashes = text.slice(body, body + LONGEST_KEY + 2).indexOf('--');
  KEY_END.lastIndex = body + dashes;
  if (dashes !== -1 && KEY_END.test(text)) return KEY_END.lastIndex;
  let end = body;
  for (let line = lineAt(text, end); line; line = lineAt(text, end)) end += line.length;
  return end;
}

/** Returns a line of a key, with the space before it. */
function lineAt(text: string, index: number): string | undefined {
  KEY_LINE.lastIndex = index;
  const [line, word = ''] = KEY_LINE.exec(text) ?? [];
  return word.length < 16 ? undefined : line;
}
