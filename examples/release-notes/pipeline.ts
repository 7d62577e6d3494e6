/**
 * Release notes from the history of a git repository: collect, group, draft, publish.
 *
 * The draft passes review before it is published. Its gate sends the grouping back if too many commits are in "Other".
 *
 * @module
 */
import { definePipeline, phase, type Revision } from 'phasegate';
import type { OpenAIModel } from 'phasegate/openai';
import { z } from 'zod';
import { modelOf } from '../model.ts';
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
import { editorBy, inWordsOf, wordingBy } from './models.ts';
import { layoutAskedFor, tidyLayout, writeNotes } from './notes.ts';
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

/** Creates the pipeline. Without a model, the notes use the subjects of the commits. */
export function releaseNotes(model?: OpenAIModel) {
  const draft = draftBy(model);
  return definePipeline({
    name: 'release notes',
    phases: [collect, group, draft, publishing(draft)],
    input: settingsSchema,
  });
}

/** The pipeline. With OPENAI_API_KEY a model words and reviews the notes. */
export default releaseNotes(modelOf(process.env));

// --- internal ---

/** Creates the phase that drafts the notes. An editor reviews the words of a model as well. */
function draftBy(model: OpenAIModel | undefined) {
  return phase('draft', {
    after: [group],
    tasks: (task) => {
      const wording = model && wordingBy(model);
      const notes = task('notes', {
        description: 'Write the release notes.',
        after: wording ? [wording] : [],
        output: z.string(),
        run: ({ inputs, context, input, revision }) => {
          const { range, commits, merges } = inputs.collect;
          const { width } = settingsOf(input);
          const { grouping } = inputs.group;
          const told = { since: range.since, merges, commits };
          return wording
            ? writeNotes({ ...told, grouping: inWordsOf(context.wording, grouping, commits) }, tidyLayout(width))
            : writeNotes({ ...told, grouping }, layoutAskedFor(changesAskedFor(revision), width));
        },
      });
      return wording ? [wording, notes] : [notes];
    },
    review: {
      checks: [
        {
          name: 'every commit once',
          run: ({ outputs, inputs }) => coversEveryCommitOnce(outputs.notes, inputs.collect.commits),
        },
        {
          name: 'no invented hash',
          run: ({ outputs, inputs }) =>
            inventsNoHash(outputs.notes, inputs.collect.commits, inputs.collect.range.since),
        },
        { name: 'no empty section', run: ({ outputs }) => hasNoEmptySection(outputs.notes) },
        { name: 'line length', run: ({ outputs, input }) => fitsWidth(outputs.notes, settingsOf(input).width) },
      ],
      by: [
        ({ inputs, input, report }) =>
          reviewGrouping(inputs.group.grouping, inputs.collect.commits, settingsOf(input).maxOther, (remark) =>
            report({ progress: remark }),
          ),
        ...(model ? [editorBy(model)] : []),
      ],
      // Without `onExhausted` the default applies: notes that still break a rule are never published.
    },
  });
}

/** Creates the phase that publishes the approved draft. */
function publishing(draft: ReturnType<typeof draftBy>) {
  return phase('publish', {
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
}

function gitOptions(input: unknown, signal: AbortSignal): GitOptions {
  return { repo: settingsOf(input).repo, signal };
}

/** Returns all changes that were asked for so far. Feedback of people has no `requiredChange`, so the feedback itself counts. */
function changesAskedFor(revision: Revision | undefined): readonly string[] {
  return (revision?.history ?? []).map(({ requiredChange, feedback }) => requiredChange ?? feedback);
}
