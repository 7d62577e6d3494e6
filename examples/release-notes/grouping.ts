/**
 * Grouping of commits into sections.
 *
 * It starts with the cheapest signal, the prefixes of Conventional Commits. It reads the leading verb and the touched paths
 * only if a review asks for them.
 *
 * @module
 */
import { z } from 'zod';
import type { Commit } from './commits.ts';
import { headings, kindOfPath, kindOfType, kindOfVerb, type Kind } from './kinds.ts';

/** The signals of a commit, in the order of precedence. */
export const SIGNALS = ['prefix', 'verb', 'paths'] as const;

/** A signal of a commit. */
export type Signal = (typeof SIGNALS)[number];

/** The words with which a gate asks for a signal. `signalsAskedFor` parses them. */
export const requests: Readonly<Record<Signal, string>> = {
  prefix: 'Read the type prefix of each commit.',
  verb: 'Read the leading verb of each commit.',
  paths: 'Look at the paths that each commit touches.',
};

const kinds = Object.keys(headings).filter((key): key is Kind => key in headings);

export const groupingSchema = z.object({
  /** The signals that were read. */
  signals: z.array(z.enum(SIGNALS)),
  /** The sections in the order of the notes, and the hashes of their commits, newest first. */
  sections: z.array(
    z.object({
      kind: z.enum(kinds),
      entries: z.array(z.object({ hash: z.string(), text: z.string() })),
    }),
  ),
});

/** Commits by section. */
export type Grouping = z.infer<typeof groupingSchema>;

/** Sorts every commit into a section by the first signal that decides; a commit without such a signal goes to `other`. */
export function groupCommits(commits: readonly Commit[], signals: readonly Signal[]): Grouping {
  const sections = kinds.map((kind): Grouping['sections'][number] => ({ kind, entries: [] }));
  for (const commit of commits) {
    const kind = kindOf(commit, signals);
    sections.find((section) => section.kind === kind)?.entries.push({ hash: commit.hash, text: textOf(commit) });
  }
  return { signals: [...signals], sections: sections.filter((section) => section.entries.length > 0) };
}

/** Returns the signals to read: prefixes, and those that requests of gates or people name. */
export function signalsAskedFor(requested: readonly string[]): readonly Signal[] {
  const text = requested.join('\n');
  return SIGNALS.filter((signal) => signal === 'prefix' || WORDS[signal].test(text));
}

/** Returns the words that may be the verb: the first after a label such as `[cli]`, and the first after `net/http:`. */
export function leadingWords({ subject }: Commit): readonly string[] {
  const first = /^(?:\[[^\]]*\])?[^\p{L}\p{N}]*(\p{L}+)/u.exec(subject)?.[1];
  const scoped = /^[\w./,*-]+: *(\p{L}+)/u.exec(subject)?.[1];
  return [first, scoped].filter((word) => word !== undefined);
}

// --- internal ---

const WORDS: Readonly<Record<Signal, RegExp>> = {
  prefix: /\bprefix/iu,
  verb: /\bleading (?:verb|word)s?\b/iu,
  paths: /\b(?:look at|read) the (?:paths|files)\b/iu,
};

function kindOf(commit: Commit, signals: readonly Signal[]): Kind {
  if (commit.breaking) return 'breaking';
  return firstOf(signals.map((signal) => readers[signal](commit))) ?? 'other';
}

function firstOf(found: readonly (Kind | undefined)[]): Kind | undefined {
  return found.find((kind) => kind !== undefined);
}

const readers: Readonly<Record<Signal, (commit: Commit) => Kind | undefined>> = {
  prefix: ({ subject }) => kindOfType(PREFIX.exec(subject)?.groups?.['type'] ?? ''),
  verb: (commit) => firstOf(leadingWords(commit).map(kindOfVerb)),
  paths: ({ paths }) => kindOfPaths(paths),
};

/** The prefix of a conventional commit: `feat: ...`, `fix(cli): ...`, `refactor(api)!: ...` */
const PREFIX = /^(?<type>[a-z]+)(?:\((?<scope>[^)]*)\))?!?: *(?<text>.*)$/iu;

/** Returns the kind of the touched paths. Code wins, as tests and documentation accompany it; else the most frequent kind wins. */
function kindOfPaths(paths: readonly string[]): Kind | undefined {
  const touched = paths.map(kindOfPath);
  if (touched.includes('change')) return 'change';
  const count = (kind: Kind) => touched.filter((one) => one === kind).length;
  return kinds.filter((kind) => touched.includes(kind)).toSorted((a, b) => count(b) - count(a))[0];
}

/** Returns the entry of a commit. A prefix that the section already expresses is left out; its scope stays. */
function textOf({ subject, breakingNote }: Commit): string {
  const { type = '', scope = '', text = '' } = PREFIX.exec(subject)?.groups ?? {};
  const bare = kindOfType(type) && text !== '' ? [scope, text].filter((part) => part !== '').join(': ') : subject;
  const shown = bare === '' ? '(no subject)' : bare;
  return breakingNote === '' ? shown : `${shown} — ${breakingNote}`;
}
