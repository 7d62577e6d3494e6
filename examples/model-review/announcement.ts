/**
 * The announcement of a release: a model writes it, and the same or another model reviews it.
 */
import { definePipeline, phase, policies } from 'phasegate';
import { openaiReviewer, openaiTask, type OpenAIModel, type OtherModel } from 'phasegate/openai';
import { z } from 'zod';

/** Creates the pipeline with a model that writes and reviews. */
export function announcement(model: OpenAIModel | OtherModel) {
  const changes = phase('changes', {
    tasks: (task) => [
      task('list', { run: () => ['Reads files twice as fast.', 'Needs Node 20; was Node 18.', 'Is 2.0.'] }),
    ],
  });

  const note = phase('note', {
    after: [changes],
    tasks: [
      openaiTask('text', {
        ...model,
        instructions:
          'You write for people who use the parser. Be brief, and promise nothing that is not in the changes.',
        description: 'Announce the release.',
        output: z.object({ headline: z.string(), body: z.string() }),
      }),
    ],
    review: openaiReviewer('editor', {
      ...model,
      criteria: '- It names the version and everything that breaks.\n- Every claim is in the list of changes.',
    }),
  });

  const page = phase('page', {
    after: [note],
    tasks: (task) => [
      task('markdown', { run: ({ inputs }) => `# ${inputs.note.text.headline}\n\n${inputs.note.text.body}\n` }),
    ],
  });

  return definePipeline({
    name: 'announcement',
    phases: [changes, note, page],
    policy: policies.strict,
    limits: { tokens: 100_000 },
  });
}
