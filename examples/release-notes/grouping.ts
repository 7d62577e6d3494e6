/**
 * Which commit goes into which section.
 *
 * It begins with the cheapest signal, the prefixes of Conventional Commits, and reads another one only when it is asked
 * to: the leading verb, then the paths that were touched.
 *
 * @module
 */
import { z } from 'zod';
import type { Commit } from './commits.ts';
import { headings, kindOfPath, kindOfType, kindOfVerb, type Kind } from './kinds.ts';

/** What can be read of a commit, in the order in which it counts. */
export const SIGNALS = ['prefix', 'verb', 'paths'] as const;

/** One thing that can be read of a commit. */
export type Signal = (typeof SIGNALS)[number];

/** How a gate asks for a signal, in words. `signalsAskedFor` understands them. */
export const requests: Readonly<Record<Signal, string>> = {
  prefix: 'Read the type prefix of each commit.',
  verb: 'Read the leading verb of each commit.',
  paths: 'Look at the paths that each commit touches.',
};

const kinds = Object.keys(headings).filter((key): key is Kind => key in headings);

export const groupingSchema = z.object({
  /** What was read. */
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

/** Sorts every commit into the section that the first telling signal says; what no signal tells is `other`. */
export function groupCommits(commits: readonly Commit[], signals: readonly Signal[]): Grouping {
  const sections = kinds.map((kind): Grouping['sections'][number] => ({ kind, entries: [] }));
  for (const commit of commits) {
    const kind = kindOf(commit, signals);
    sections.find((section) => section.kind === kind)?.entries.push({ hash: commit.hash, text: textOf(commit) });
  }
  return { signals: [...signals], sections: sections.filter((section) => section.entries.length > 0) };
}

/** The signals to read: prefixes always, and those that a request names, be it a gate's or a person's own words. */
export function signalsAskedFor(requested: readonly string[]): readonly Signal[] {
  const text = requested.join('\n');
  return SIGNALS.filter((signal) => signal === 'prefix' || WORDS[signal].test(text));
}

/** The words that a verb may be: the first one after a label such as `[cli]`, and the first after `net/http:`. */
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

/** `feat: ...`, `fix(cli): ...`, `refactor(api)!: ...` */
const PREFIX = /^(?<type>[a-z]+)(?:\((?<scope>[^)]*)\))?!?: *(?<text>.*)$/iu;

/** Code wins, as its tests and documentation come with it; without code, what most of the paths are. */
function kindOfPaths(paths: readonly string[]): Kind | undefined {
  const touched = paths.map(kindOfPath);
  if (touched.includes('change')) return 'change';
  const count = (kind: Kind) => touched.filter((one) => one === kind).length;
  return kinds.filter((kind) => touched.includes(kind)).toSorted((a, b) => count(b) - count(a))[0];
}

/** What the notes say of a commit. A prefix is left out where the section says the same; its scope stays. */
function textOf({ subject, breakingNote }: Commit): string {
  const { type = '', scope = '', text = '' } = PREFIX.exec(subject)?.groups ?? {};
  const bare = kindOfType(type) && text !== '' ? [scope, text].filter((part) => part !== '').join(': ') : subject;
  const shown = bare === '' ? '(no subject)' : bare;
  return breakingNote === '' ? shown : `${shown} — ${breakingNote}`;
}
