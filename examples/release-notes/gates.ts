/**
 * Checks and reviews of the notes before they are published. They read the text itself, and do not rely on its construction.
 *
 * @module
 */
import { approve, reject, retryPredecessor, type CheckResult, type Decision } from 'phasegate';
import type { Commit } from './commits.ts';
import { leadingWords, requests, type Grouping, type Signal } from './grouping.ts';
import { lengthOf } from './markdown.ts';
import { layoutRequests } from './notes.ts';
import type { Range } from './range.ts';

/** Rejects a range without commits, as there is nothing to write about. */
export function requireCommits(found: {
  readonly commits: readonly Commit[];
  readonly range: Range;
  readonly merges: number;
}): Decision {
  if (found.commits.length > 0) return approve();
  const { since } = found.range;
  const what = found.merges > 0 ? 'no commits but merges' : 'no commits';
  const where = since === null ? '' : ` since "${since}"`;
  return reject(`Cannot write release notes as there are ${what}${where}. Pass an earlier commit as \`since\`.`);
}

/** Checks that every commit has exactly one entry, and that every entry has a commit. */
export function coversEveryCommitOnce(notes: string, commits: readonly Commit[]): true | string {
  const find = finderOf(commits);
  const entries = entriesOf(notes).map((entry) => ({ entry, commit: find(ENDING_HASH.exec(entry)?.[1] ?? '') }));
  const listed = new Map<Commit, number>();
  for (const { commit } of entries) if (commit) listed.set(commit, (listed.get(commit) ?? 0) + 1);
  const stray = entries.filter(({ commit }) => !commit).map(({ entry }) => entry);
  const missing = commits.filter((commit) => !listed.has(commit));
  const twice = commits.filter((commit) => (listed.get(commit) ?? 0) > 1);
  return verdictOf([
    [missing.map(nameOf), 'List the commits that are missing'],
    [twice.map(nameOf), 'List once what is listed more than once'],
    [stray, 'Remove the entries of no commit'],
  ]);
}

/** Checks that every hash in the notes belongs to a commit of the range, or was written by an author. */
export function inventsNoHash(notes: string, commits: readonly Commit[], since: string | null): true | string {
  const typed = [since ?? '', ...commits.flatMap(({ subject, breakingNote }) => [subject, breakingNote])].join('\n');
  const find = finderOf(commits);
  const invented = [...new Set(notes.match(HASH) ?? [])].filter((word) => !find(word) && !typed.includes(word));
  return verdictOf([[invented, 'Remove the hashes that are not in the range']]);
}

/** Checks that every section has entries. */
export function hasNoEmptySection(notes: string): true | string {
  const sections = notes.split(/^(?=## )/mu).slice(1);
  const empty = sections.filter((section) => entriesOf(section).length === 0);
  return verdictOf([[empty.map((section) => section.trim()), 'Leave out the sections without entries']]);
}

/** Checks the length of lines. Asks to wrap long lines, or to shorten words if no line can be wrapped. */
export function fitsWidth(notes: string, width: number): CheckResult {
  const lines = notes.split('\n').map((text, index) => ({ text, number: index + 1 }));
  const long = lines.filter(({ text }) => lengthOf(text) > width);
  const unbreakable = long.every(({ text }) => !text.replace(/^(?:- | {2})/u, '').includes(' '));
  const names = long.map(({ text, number }) => `line ${number} (${lengthOf(text)} characters)`);
  return {
    passed: long.length === 0,
    requiredChange: unbreakable ? layoutRequests.shorten : layoutRequests.wrap,
    details: `${long.length} of ${lines.length} lines are longer than ${width} characters: ${some(names)}.`,
  };
}

/**
 * Sends the grouping back if too large a share of the commits is in "Other", and names the signal to read next.
 *
 * If no signal is left, it approves the grouping with a remark.
 */
export function reviewGrouping(
  grouping: Grouping,
  commits: readonly Commit[],
  maxOther: number,
  remark: (text: string) => void,
): Decision {
  const hashes = new Set(grouping.sections.find(({ kind }) => kind === 'other')?.entries.map(({ hash }) => hash));
  const other = commits.filter(({ hash }) => hashes.has(hash));
  if (other.length <= maxOther * commits.length) return approve();
  const share = `${other.length} of ${commits.length} commits are in "Other"`;
  const [hint] = hintsOf(other, grouping.signals);
  if (!hint) {
    remark(`${share}, and nothing is left that could tell what they are`);
    return approve();
  }
  const problem = `${share}, more than ${Math.round(maxOther * 100)} %. ${hint.reason}`;
  const feedback = [problem, ...list(other.map(nameOf))].join('\n');
  return retryPredecessor('group', feedback, { requiredChange: requests[hint.signal] });
}

// --- internal ---

const HASH = /(?<![\p{L}\p{N}_])[0-9a-f]{7,64}(?![\p{L}\p{N}_])/gu;

const ENDING_HASH = /\(([0-9a-f]{7,64})\)$/u;

/** Returns the list items of a Markdown text, each joined to one line. */
function entriesOf(notes: string): readonly string[] {
  return (notes.match(/^- .*(?:\n {2}.*)*/gmu) ?? []).map((item) => item.replaceAll(/\n {2}/gu, ' '));
}

/** Indexes commits by the beginning of their hashes, so that lookups are fast among thousands. */
function finderOf(commits: readonly Commit[]): (hash: string) => Commit | undefined {
  const byStart = new Map<string, Commit[]>();
  for (const commit of commits) {
    const start = commit.hash.slice(0, 7);
    byStart.set(start, [...(byStart.get(start) ?? []), commit]);
  }
  return (hash) => byStart.get(hash.slice(0, 7))?.find((commit) => commit.hash.startsWith(hash));
}

interface Hint {
  readonly signal: Signal;
  /** The number of commits that have the signal. */
  readonly found: number;
  readonly reason: string;
}

/** Returns the unread signals that some commits have, those of most commits first. Signals of at least half of the commits rank equal. */
function hintsOf(other: readonly Commit[], read: readonly Signal[]): readonly Hint[] {
  const enough = other.length / 2;
  const worded = other.filter((commit) => leadingWords(commit).length > 0).length;
  const touching = other.filter(({ paths }) => paths.length > 0).length;
  const hints: readonly Hint[] = [
    {
      signal: 'verb',
      found: worded,
      reason: `${worded} of them have no type prefix but begin with a word:`,
    },
    { signal: 'paths', found: touching, reason: `${touching} of them touch files that may tell what they are:` },
  ];
  return hints
    .filter(({ signal, found }) => !read.includes(signal) && found > 0)
    .toSorted((a, b) => Math.min(b.found, enough) - Math.min(a.found, enough));
}

function verdictOf(findings: readonly (readonly [found: readonly string[], change: string])[]): true | string {
  const wrong = findings.filter(([found]) => found.length > 0);
  return wrong.length === 0 || wrong.map(([found, change]) => `${change}: ${some(found)}.`).join('\n');
}

function nameOf({ short, subject }: Commit): string {
  return `${short} ${subject}`.trim();
}

const MOST_NAMED = 5;

function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function list(names: readonly string[]): readonly string[] {
  const more = names.length - MOST_NAMED;
  return [...names.slice(0, MOST_NAMED).map((name) => `- ${name}`), ...(more > 0 ? [`- and ${more} more`] : [])];
}
