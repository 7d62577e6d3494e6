/**
 * Secrets whose text this process knows: keys that it sends, and values of its environment.
 *
 * `events/secrets.ts` guesses secrets by their look; these need no guess. They are masked in every masked text.
 *
 * @module
 */

/** The replacement of a masked secret. */
export const MASK = '[redacted]';

/** Shortest text that counts as a secret, in characters: shorter ones are common words of other texts. */
export const SHORTEST_SECRET = 8;

/** Registers texts to be masked from now on, in the whole process. Too short ones are ignored. */
export function rememberSecrets(texts: readonly string[]): void {
  const known = registry();
  for (const text of texts.flatMap(spellingsOf)) {
    if (text.length < SHORTEST_SECRET || MASK.includes(text)) continue;
    // Move the latest to the end, so that the oldest are dropped first.
    known.texts.delete(text);
    known.texts.add(text);
  }
  for (const oldest of known.texts) {
    if (known.texts.size <= MOST) break;
    known.texts.delete(oldest);
  }
  known.longestFirst = [...known.texts].toSorted((a, b) => b.length - a.length);
}

/** True if any secret is known. */
export function knowsSecrets(): boolean {
  return registry().longestFirst.length > 0;
}

/** Masks every known secret in a text. */
export function maskKnown(text: string): string {
  const { longestFirst } = registry();
  if (longestFirst.length === 0 || text.length < SHORTEST_SECRET) return text;
  return longestFirst.reduce((left, secret) => (left.includes(secret) ? left.replaceAll(secret, MASK) : left), text);
}

/** Masks a text that comes in pieces. */
export interface PieceMask {
  /** @returns The part that is safe to show. An end that may be the start of a secret is held back. */
  push(piece: string): string;
  /** @returns The part that was held back. */
  end(): string;
}

/** Makes a mask that also finds secrets split across pieces. */
export function createPieceMask(): PieceMask {
  let held = '';
  return {
    push(piece) {
      const { longestFirst } = registry();
      const text = held + piece;
      const cut = openFrom(text, longestFirst);
      held = text.slice(cut);
      return maskKnown(text.slice(0, cut));
    },
    end() {
      const rest = held;
      held = '';
      return maskKnown(rest);
    },
  };
}

// --- internal ---

/** Most secrets in the registry. Keys that are renewed every hour take a year to reach it. */
const MOST = 10_000;

interface Registry {
  readonly texts: Set<string>;
  longestFirst: readonly string[];
}

/** Key of the registry, shared by all copies of this package in a process: a pipeline may import another copy than the command. */
const REGISTRY = Symbol.for('phasegate.secrets');

function registry(): Registry {
  const found: unknown = Reflect.get(globalThis, REGISTRY);
  if (isRegistry(found)) return found;
  const made: Registry = { texts: new Set(), longestFirst: [] };
  Reflect.set(globalThis, REGISTRY, made);
  return made;
}

function isRegistry(value: unknown): value is Registry {
  return typeof value === 'object' && value !== null && 'texts' in value && 'longestFirst' in value;
}

/** Returns a secret as it is, and as it looks inside a JSON string. */
function spellingsOf(text: string): readonly string[] {
  const plain = text.trim();
  const quoted = JSON.stringify(plain).slice(1, -1);
  return quoted === plain ? [plain] : [plain, quoted];
}

/** Returns the place in a text from which the rest may be the start of a secret that is still incomplete. */
function openFrom(text: string, secrets: readonly string[]): number {
  let cut = text.length;
  for (const secret of secrets) {
    for (let at = Math.max(0, text.length - secret.length + 1); at < cut; at += 1) {
      if (text[at] === secret[0] && secret.startsWith(text.slice(at))) cut = at;
    }
  }
  // A secret that begins before the cut and ends after it stays in one part.
  for (let before = Infinity; cut < before;) {
    before = cut;
    for (const secret of secrets) {
      const at = text.indexOf(secret, Math.max(0, before - secret.length + 1));
      if (at !== -1 && at < cut) cut = at;
    }
  }
  return cut;
}
