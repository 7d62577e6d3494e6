/**
 * Secrets in environment variables.
 *
 * @module
 */
import { rememberSecrets } from '../../model/values/known-secrets.ts';

/** Registers the values of secret variables, so that they are masked. A variable's name tells if it is secret. */
export function rememberEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  rememberSecrets(Object.entries(env).flatMap(([name, value = '']) => (isSecret(name) ? [value] : [])));
}

// --- internal ---

/** Endings of words that mark a secret, as in `GITHUB_TOKEN`, `PGPASSWORD` and `OPENAI_API_KEY`. */
const SECRET_WORD = /(?:secret|token|key|passw(?:or)?d|passphrase|credential)s?$/iu;

/** Last words of variables that hold the place of a secret, not the secret. */
const PLACES: ReadonlySet<string> = new Set(['FILE', 'PATH', 'DIR']);

/** The part of a name that is checked, in characters from its start. */
const LONGEST = 200;

function isSecret(name: string): boolean {
  const words = name.slice(0, LONGEST).split(/[^A-Za-z\d]/u);
  if (PLACES.has(words.at(-1)?.toUpperCase() ?? '')) return false;
  return words.some((word) => SECRET_WORD.test(word)) || (words.length > 1 && words.at(-1)?.toUpperCase() === 'PWD');
}
