/**
 * Release notes in the words of a model. Which entries there are, and how lines are laid out, stays with functions.
 *
 * @module
 */
import type { Decision, Inputs, Task } from 'phasegate';
import { openaiReviewer, openaiTask, type OpenAIModel } from 'phasegate/openai';
import { z } from 'zod';
import { commitSchema, type Commit } from './commits.ts';
import { groupingSchema, type Grouping } from './grouping.ts';
import { headings } from './kinds.ts';

/** What a model says of each commit. Hashes are as short as it was shown them. */
export const wordingSchema = z.object({
  entries: z.array(z.object({ hash: z.string(), text: z.string() })),
});

export type Wording = z.infer<typeof wordingSchema>;

/** Words the entries. */
export function wordingBy(model: OpenAIModel): Task<'wording', Wording, Inputs> {
  return openaiTask('wording', {
    ...model,
    description: 'Word one entry of release notes for each commit.',
    instructions:
      'You write for people who use the software. One line for each commit, in the words of its subject where they are clear. Promise nothing that is not there. Of what breaks, say what has to be changed.',
    material: ({ inputs }) => ({ Commits: shownCommits(inputs) }),
    output: wordingSchema,
  });
}

/** Judges the whole notes against the commits. */
export function editorBy(model: OpenAIModel): Task<'editor', Decision, Inputs> {
  return openaiReviewer('editor', {
    ...model,
    criteria:
      '- Every entry says what its commit says, and nothing else.\n- Whoever uses the software understands it.\n- What breaks says what has to be changed.',
    material: ({ outputs, inputs }) => ({ notes: outputs['notes'], commits: shownCommits(inputs) }),
  });
}

/** A grouping in other words. What has no words is left out, and what is of no commit stands in "Other": the gate finds both. */
export function inWordsOf({ entries }: Wording, { signals, sections }: Grouping, commits: readonly Commit[]): Grouping {
  const hashOf = (short: string) => commits.find((commit) => short.length >= 7 && commit.hash.startsWith(short))?.hash;
  const worded = entries.map(({ hash, text }) => ({
    hash: hashOf(hash) ?? hash,
    text: text.replaceAll(/\s+/gu, ' ').trim(),
  }));
  const known = new Set(commits.map(({ hash }) => hash));
  const strays = worded.filter(({ hash }) => !known.has(hash));
  const own = sections.map(({ kind, entries: planned }) => ({
    kind,
    entries: planned.flatMap(({ hash }) => worded.filter((one) => one.hash === hash)),
  }));
  const other = strays.length > 0 ? [{ kind: 'other' as const, entries: strays }] : [];
  return { signals, sections: [...own, ...other].filter((section) => section.entries.length > 0) };
}

// --- internal ---

/** What a model has to know of the commits, in the order of the notes. */
function shownCommits(inputs: Inputs): readonly object[] {
  const commits = z.array(commitSchema).parse(inputs['collect']?.['commits']);
  const { sections } = groupingSchema.parse(inputs['group']?.['grouping']);
  return sections.flatMap(({ kind, entries }) =>
    entries.flatMap(({ hash }) =>
      commits
        .filter((commit) => commit.hash === hash)
        .map(({ short, subject, breakingNote }) => ({ section: headings[kind], hash: short, subject, breakingNote })),
    ),
  );
}
