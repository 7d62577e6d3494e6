/**
 * Release notes worded by a model. Functions still decide on the entries and on the layout of lines.
 *
 * @module
 */
import type { Decision, Inputs, Task } from 'phasegate';
import { openaiReviewer, openaiTask, type OpenAIModel } from 'phasegate/openai';
import { z } from 'zod';
import { commitSchema, type Commit } from './commits.ts';
import { groupingSchema, type Grouping } from './grouping.ts';
import { headings } from './kinds.ts';

/** The schema of a model's entries. Hashes are the short ones that it was shown. */
export const wordingSchema = z.object({
  entries: z.array(z.object({ hash: z.string(), text: z.string() })),
});

export type Wording = z.infer<typeof wordingSchema>;

/** Creates the task that words the entries. */
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

/** Creates the reviewer that compares the whole notes with the commits. */
export function editorBy(model: OpenAIModel): Task<'editor', Decision, Inputs> {
  return openaiReviewer('editor', {
    ...model,
    criteria:
      '- Every entry says what its commit says, and nothing else.\n- Whoever uses the software understands it.\n- What breaks says what has to be changed.',
    material: ({ outputs, inputs }) => ({ notes: outputs['notes'], commits: shownCommits(inputs) }),
  });
}

/** Replaces the texts of a grouping. Commits without words are left out, and entries of no commit go to "Other"; the gate finds both. */
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

/** Returns the facts about the commits that a model needs, in the order of the notes. */
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
