/**
 * Obvious secrets in texts.
 *
 * @module
 */

/** Stands for what was taken out. */
export const MASK = '[redacted]';

/** What a secret is called. */
const NAMES = '(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)';

/** Names of fields whose texts are secrets. */
export const SECRET_FIELD = new RegExp(NAMES, 'iu');

/** The text with every obvious secret masked. */
export function maskSecrets(text: string): string {
  if (text.length < SHORTEST) return text;
  const lower = text.toLowerCase();
  return SECRETS.reduce(
    (left, { hints, pattern, mask }) =>
      hints.some((hint) => lower.includes(hint)) ? left.replace(pattern, mask) : left,
    text,
  );
}

// --- internal ---

/** Shorter texts have no secret in them. */
const SHORTEST = 10;

const IN_NAMES = ['passw', 'passphrase', 'secret', 'token', 'key'];

/** What stands before a secret stays: the group. */
const AFTER = `$1${MASK}`;

interface Secret {
  /** Texts in lower case, one of which is there wherever the pattern is: looking for them is quick. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  readonly mask: string;
}

const SECRETS: readonly Secret[] = [
  {
    hints: ['private key-----'],
    pattern:
      /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY-----(?:(?:[^-]|-(?!-)){0,8192}-----END [A-Z\d ]{0,40}PRIVATE KEY-----|(?:\s{1,4}[A-Za-z\d+/=]{16,100})*)/gu,
    mask: MASK,
  },
  { hints: ['sk-'], pattern: /\bsk-[\w-]{14,}\w/gu, mask: MASK },
  { hints: ['gh'], pattern: /\bgh[opsur]_\w{20,}/gu, mask: MASK },
  { hints: ['github_pat_'], pattern: /\bgithub_pat_\w{20,}/gu, mask: MASK },
  { hints: ['glpat-'], pattern: /\bglpat-[\w-]{16,}\w/gu, mask: MASK },
  { hints: ['xox'], pattern: /\bxox[abeoprs]-[\w-]{9,}\w/gu, mask: MASK },
  { hints: ['npm_'], pattern: /\bnpm_\w{30,}/gu, mask: MASK },
  { hints: ['akia', 'asia'], pattern: /\bA[KS]IA[A-Z\d]{16}\b/gu, mask: MASK },
  { hints: ['aiza'], pattern: /\bAIza[\w-]{34}\w/gu, mask: MASK },
  { hints: ['eyj'], pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*\w/gu, mask: MASK },
  {
    hints: ['bearer'],
    pattern: /(\bbearer\s{1,4})(?=\S{0,200}\d)[\w.~+/-]{7,}[\w+/]=*/giu,
    mask: AFTER,
  },
  { hints: ['basic'], pattern: /(\bbasic\s{1,4})[A-Za-z\d+/]{12,}={1,2}/giu, mask: AFTER },
  {
    hints: IN_NAMES,
    pattern: new RegExp(String.raw`(${NAMES}\s{0,4}=\s{0,4}["']?)(?!\[redacted\])[^\s"',;&)\]}]+`, 'giu'),
    mask: AFTER,
  },
  {
    hints: IN_NAMES,
    pattern: new RegExp(String.raw`(${NAMES}\\{0,4}["']\s{0,4}:\s{0,4}\\{0,4}["'])(?!\[redacted\])[^"'\\]+`, 'giu'),
    mask: AFTER,
  },
  { hints: ['://'], pattern: /(:\/\/[^\s/:@]{1,200}:)(?!\[redacted\])[^\s/@]{1,200}(?=@)/gu, mask: AFTER },
];
