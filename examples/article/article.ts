/**
 * The pipeline of an article: research, then writing. The editor who reviews the draft may send back the research.
 *
 * @module
 */
import { definePipeline, phase, policies } from 'phasegate';
import { namesKnownSources, type Staff } from './staff.ts';

/** Creates the pipeline with a given staff. */
export function article({ gather, summary, critic, draft, editor }: Staff) {
  const research = phase('research', {
    tasks: [gather, summary],
    review: {
      checks: [{ name: 'sources exist', run: ({ outputs }) => namesKnownSources(outputs.gather) }],
      by: critic,
      maxRetries: 2,
    },
  });

  const writing = phase('writing', {
    after: [research],
    tasks: [draft],
    review: { by: editor, maxRetries: 2, maxPredecessorRetries: 1 },
  });

  return definePipeline({
    name: 'article',
    phases: [research, writing],
    policy: policies.strict,
    limits: { tokens: 200_000 },
  });
}
