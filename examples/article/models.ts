/**
 * A staff of models.
 *
 * @module
 */
import { openaiReviewer, openaiTask, type OpenAIModel } from 'phasegate/openai';
import { SOURCES } from './sources.ts';
import { factsSchema, work, type Staff } from './staff.ts';

/** Creates a staff of one model. Each task and reviewer is shown only what it needs. */
export function models(model: OpenAIModel): Staff {
  return {
    gather: openaiTask('gather', {
      ...model,
      description: work.gather,
      instructions:
        'You research. Use the sources that you are shown, and nothing else; name them as they are named there.',
      material: () => ({ Sources: SOURCES }),
      output: factsSchema,
    }),
    summary: openaiTask('summary', {
      ...model,
      after: ['gather'],
      description: work.summary,
      instructions: 'You summarise. Leave no fact out, and add none.',
      material: ({ context }) => ({ Facts: context['gather'] }),
    }),
    critic: openaiReviewer('critic', {
      ...model,
      criteria: '- At least 3 distinct sources are cited.\n- The summary says what the facts say.',
    }),
    draft: openaiTask('draft', {
      ...model,
      description: work.draft,
      instructions:
        'You write for people who like to know why. Write Markdown; claim nothing that the research does not say.',
      material: ({ inputs }) => ({ Research: inputs['research']?.['summary'] }),
    }),
    editor: openaiReviewer('editor', {
      ...model,
      criteria:
        '- The draft explains what it promises to.\n- Every claim has a figure. A figure that the research does not have is missing in phase "research".',
    }),
  };
}
