/**
 * Secrets that this process knows by their text: keys that it sends, and values of its environment.
 *
 * What a secret looks like is guessed elsewhere; these need no guess. They are masked wherever texts are masked.
 *
 * @module
 */

/** Stands for what was taken out. */
export const MASK = '[redacted]';

/** Shortest text that counts as a secret, in characters: shorter ones are words of other texts, too. */
export const SHORTEST_SECRET = 8;

/** Has texts masked from now on, in all of this process. Those that are too short are left. */
export function rememberSecrets(texts: readonly string[]): void {
  const known = registry();
  for (const text of texts.flatMap(spellingsOf)) {
    if (text.length < SHORTEST_SECRET || MASK.includes(text)) continue;
    // What was given last stays longest.
    known.texts.delete(text);
    known.texts.add(text);
  }
  for (const oldest of known.texts) {
    if (known.texts.size <= MOST) break;
    known.texts.delete(oldest);
  }
  known.longestFirst = [...known.texts].toSorted((a, b) => b.length - a.length);
}

/** The text with every known secret masked. */
export function maskKnown(text: string): string {
  const { longestFirst } = registry();
  if (longestFirst.length === 0 || text.length < SHORTEST_SECRET) return text;
  return longestFirst.reduce((left, secret) => (left.includes(secret) ? left.replaceAll(secret, MASK) : left), text);
}

/** Masks a text that comes in pieces. */
export interface PieceMask {
  /** @returns What can be shown already: an end that a secret may begin with is held back. */
  push(piece: string): string;
  /** @returns What was held back. */
  end(): string;
}

/** Masks secrets also where they are split over pieces. */
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

/** Secrets that are kept in mind. Keys that are renewed every hour take years to be so many. */
const MOST = 10_000;

interface Registry {
  readonly texts: Set<string>;
  longestFirst: readonly string[];
}

/** One for all copies of this package in a process: a pipeline may have another one than the command that runs it. */
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

/** A secret as it is, and as it stands in JSON. */
function spellingsOf(text: string): readonly string[] {
  const plain = text.trim();
  const quoted = JSON.stringify(plain).slice(1, -1);
  return quoted === plain ? [plain] : [plain, quoted];
}

/** The place in a text from which more may belong to a secret, of which the rest is to come. */
function openFrom(text: string, secrets: readonly string[]): number {
  let cut = text.length;
  for (const secret of secrets) {
    for (let at = Math.max(0, text.length - secret.length + 1); at < cut; at += 1) {
      if (text[at] === secret[0] && secret.startsWith(text.slice(at))) cut = at;
    }
  }
  // A secret that begins before the cut and ends behind it stays in one part.
  for (let before = Infinity; cut < before;) {
    before = cut;
    for (const secret of secrets) {
      const at = text.indexOf(secret, Math.max(0, before - secret.length + 1));
      if (at !== -1 && at < cut) cut = at;
    }
  }
  return cut;
}
