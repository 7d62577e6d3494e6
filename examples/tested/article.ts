/**
 * The pipeline of an article: an outline, a draft with a check of its length, and a person who lets it go out.
 *
 * @module
 */
import { approve, definePipeline, human, phase, retry, retryPredecessor, task, type ReviewContext } from 'phasegate';
import { z } from 'zod';

/** The places where work leaves the program. Tests pass their own. */
export interface Services {
  /** Asks a model. */
  readonly ask: (prompt: string) => Promise<string>;
  /** Sends a text to readers. A key that was sent before sends nothing. */
  readonly send: (key: string, text: string) => Promise<void>;
}

/** Most words of a draft. */
const MOST_WORDS = 60;

/** Creates the pipeline. */
export function article({ ask, send }: Services) {
  const outline = phase('outline', {
    tasks: (own) => [
      own('points', {
        description: 'List three points for an article on the topic.',
        output: z.array(z.string()).min(1),
        run: async ({ prompt }) => (await ask(prompt)).split('\n').filter((line) => line !== ''),
      }),
    ],
    review: ({ outputs }: ReviewContext<{ readonly points: readonly string[] }>) =>
      outputs.points.length === 3 ? approve() : retry('Three points were asked for.'),
  });

  const writing = phase('writing', {
    after: [outline],
    tasks: (own) => [
      own('draft', {
        description: 'Write the article.',
        run: ({ prompt, inputs }) => ask(`${prompt}\n\nPoints: ${inputs.outline.points.join('; ')}`),
      }),
    ],
    review: {
      checks: [
        {
          name: 'length',
          run: ({ outputs }) => {
            const words = String(outputs['draft']).split(/\s+/u).length;
            return words <= MOST_WORDS || `It has ${words} words, and may have ${MOST_WORDS}.`;
          },
        },
      ],
      by: task('editor', {
        run: async ({ outputs }: ReviewContext<{ readonly draft: string }>) => {
          const answer = await ask(`Answer OK, MORE or POINTS on this article:\n${outputs.draft}`);
          if (answer === 'OK') return approve();
          return answer === 'POINTS'
            ? retryPredecessor('outline', 'The points do not fit together.')
            : retry('It says too little.', { requiredChange: 'Give an example.' });
        },
      }),
    },
  });

  const sending = phase('sending', {
    after: [writing],
    tasks: (own) => [own('letter', { run: ({ inputs }) => `Dear readers,\n\n${inputs.writing.draft}` })],
    review: human({ question: 'May it go out?', expireAfterMs: 86_400_000, onExpiry: 'reject' }),
  });

  const sent = phase('sent', {
    after: [sending],
    tasks: (own) => [
      own('send', {
        run: ({ inputs, idempotencyKey }) => send(idempotencyKey, inputs.sending.letter),
      }),
    ],
  });

  return definePipeline({ name: 'article', phases: [outline, writing, sending, sent], limits: { corrections: 6 } });
}
