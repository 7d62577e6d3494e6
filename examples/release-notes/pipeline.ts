/**
 * Release notes from the history of a git repository: collect, group, draft, publish.
 *
 * The draft passes review before it is published, and its gate sends the grouping back while it says too little.
 *
 * @module
 */
import { definePipeline, phase, type Revision } from 'phasegate';
import { z } from 'zod';
import { commitSchema, countMerges, readCommits } from './commits.ts';
import {
  coversEveryCommitOnce,
  fitsWidth,
  hasNoEmptySection,
  inventsNoHash,
  requireCommits,
  reviewGrouping,
} from './gates.ts';
import type { GitOptions } from './git.ts';
import { groupCommits, groupingSchema, signalsAskedFor } from './grouping.ts';
import { layoutAskedFor, writeNotes } from './notes.ts';
import { holdsNotes, publicationSchema, publishNotes } from './publish.ts';
import { findRange, rangeSchema } from './range.ts';
import { settingsOf, settingsSchema } from './settings.ts';

const collect = phase('collect', {
  tasks: (task) => {
    const range = task('range', {
      output: rangeSchema,
      run: ({ input, signal }) => findRange(settingsOf(input).since, gitOptions(input, signal)),
    });
    const commits = task('commits', {
      after: [range],
      output: z.array(commitSchema),
      run: ({ context, input, signal }) => readCommits(context.range, gitOptions(input, signal)),
    });
    const merges = task('merges', {
      after: [range],
      output: z.int(),
      run: ({ context, input, signal }) => countMerges(context.range, gitOptions(input, signal)),
    });
    return [range, commits, merges];
  },
  review: ({ outputs }) => requireCommits(outputs),
});

const group = phase('group', {
  after: [collect],
  tasks: (task) => [
    task('grouping', {
      description: 'Sort the commits into sections.',
      output: groupingSchema,
      run: ({ inputs, revision }) => groupCommits(inputs.collect.commits, signalsAskedFor(changesAskedFor(revision))),
    }),
  ],
});

const draft = phase('draft', {
  after: [group],
  tasks: (task) => [
    task('notes', {
      description: 'Write the release notes.',
      output: z.string(),
      run: ({ inputs, input, revision }) => {
        const { range, commits, merges } = inputs.collect;
        const layout = layoutAskedFor(changesAskedFor(revision), settingsOf(input).width);
        return writeNotes({ since: range.since, merges, commits, grouping: inputs.group.grouping }, layout);
      },
    }),
  ],
  review: {
    checks: [
      {
        name: 'every commit once',
        run: ({ outputs, inputs }) => coversEveryCommitOnce(outputs.notes, inputs.collect.commits),
      },
      {
        name: 'no invented hash',
        run: ({ outputs, inputs }) => inventsNoHash(outputs.notes, inputs.collect.commits, inputs.collect.range.since),
      },
      { name: 'no empty section', run: ({ outputs }) => hasNoEmptySection(outputs.notes) },
      { name: 'line length', run: ({ outputs, input }) => fitsWidth(outputs.notes, settingsOf(input).width) },
    ],
    by: ({ inputs, input, report }) =>
      reviewGrouping(inputs.group.grouping, inputs.collect.commits, settingsOf(input).maxOther, (remark) =>
        report({ progress: remark }),
      ),
    // Notes that break a rule after all are never published.
    onExhausted: 'reject',
  },
});

const publish = phase('publish', {
  after: [draft],
  tasks: (task) => [
    task('file', {
      output: publicationSchema,
      run: async ({ inputs, input, report, signal }) => {
        const file = await publishNotes(inputs.draft.notes, settingsOf(input).out, signal);
        report({ progress: `wrote ${file.path}` });
        return file;
      },
    }),
  ],
  review: {
    checks: [{ name: 'as approved', run: ({ outputs, inputs }) => holdsNotes(outputs.file, inputs.draft.notes) }],
  },
});

export default definePipeline({
  name: 'release notes',
  phases: [collect, group, draft, publish],
  input: settingsSchema,
});

// --- internal ---

function gitOptions(input: unknown, signal: AbortSignal): GitOptions {
  return { repo: settingsOf(input).repo, signal };
}

/** Every change that was asked for so far; of a person, whose feedback has no such line, the feedback. */
function changesAskedFor(revision: Revision | undefined): readonly string[] {
  return (revision?.history ?? []).map(({ requiredChange, feedback }) => requiredChange ?? feedback);
}
