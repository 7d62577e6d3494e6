/**
 * Secrets of the environment that a command starts in.
 *
 * @module
 */
import { rememberSecrets } from '../../model/values/known-secrets.ts';

/** Has the values of variables masked whose names say that they are secret. */
export function rememberEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  rememberSecrets(Object.entries(env).flatMap(([name, value = '']) => (isSecret(name) ? [value] : [])));
}

// --- internal ---

/** Ends of words that say it, such as those of `GITHUB_TOKEN`, `PGPASSWORD` and `OPENAI_API_KEY`. */
const SECRET_WORD = /(?:secret|token|key|passw(?:or)?d|passphrase|credential)s?$/iu;

/** Last words of a name that says where a secret is, and not which. */
const PLACES: ReadonlySet<string> = new Set(['FILE', 'PATH', 'DIR']);

/** Longest name that is looked at, in characters. */
const LONGEST = 200;

function isSecret(name: string): boolean {
  const words = name.slice(0, LONGEST).split(/[^A-Za-z\d]/u);
  if (PLACES.has(words.at(-1)?.toUpperCase() ?? '')) return false;
  return words.some((word) => SECRET_WORD.test(word)) || (words.length > 1 && words.at(-1)?.toUpperCase() === 'PWD');
}
