/**
 * Release notes as Markdown.
 *
 * @module
 */
import type { Commit } from './commits.ts';
import type { Grouping } from './grouping.ts';
import { headings } from './kinds.ts';
import { escapeMarkdown, shortenWords, wrap } from './markdown.ts';

/** The data of the notes. */
export interface Draft {
  /** The name of the commit after which they begin; `null` for the beginning of the history. */
  readonly since: string | null;
  readonly merges: number;
  readonly commits: readonly Commit[];
  readonly grouping: Grouping;
}

/** The handling of lines that are too long. */
export interface Layout {
  readonly width: number;
  readonly wrap: boolean;
  /** True to cut words that do not fit into a line. */
  readonly shorten: boolean;
}

/** The words with which a gate asks for a layout. */
export const layoutRequests = {
  wrap: 'Wrap the lines that are too long.',
  shorten: 'Shorten the words that do not fit into a line.',
} as const;

/** Returns the layout that requests have asked for so far. Without requests, lines stay long. */
export function layoutAskedFor(requested: readonly string[], width: number): Layout {
  const text = requested.join('\n');
  return { width, wrap: /\bwrap\b/iu.test(text), shorten: /\bshorten\b/iu.test(text) };
}

/** Returns a layout in which every line fits. */
export function tidyLayout(width: number): Layout {
  return { width, wrap: true, shorten: true };
}

/** Writes the notes. */
export function writeNotes(draft: Draft, layout: Layout): string {
  const shortOf = new Map(draft.commits.map(({ hash, short }) => [hash, short]));
  const sections = draft.grouping.sections.map(({ kind, entries }) => {
    const items = entries.map(({ hash, text }) =>
      layOut(`${escapeMarkdown(text)} (${shortOf.get(hash) ?? hash})`, layout, '- '),
    );
    return `## ${headings[kind]}\n\n${items.join('\n')}\n`;
  });
  return ['# Release notes\n', `${layOut(introduction(draft), layout)}\n`, ...sections].join('\n');
}

// --- internal ---

function introduction({ since, merges, commits }: Draft): string {
  const start = since === null ? 'Everything from the beginning' : `Everything since ${escapeMarkdown(since)}`;
  const left =
    merges === 0
      ? ''
      : ` Of ${counted(merges, 'merge')} only what ${merges === 1 ? 'it merges' : 'they merge'} is listed.`;
  return `${start}: ${counted(commits.length, 'commit')}.${left}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function layOut(text: string, layout: Layout, lead = ''): string {
  const fitting = layout.shorten ? shortenWords(text, layout.width - lead.length) : text;
  return layout.wrap ? wrap(fitting, layout.width, lead) : lead + fitting;
}
