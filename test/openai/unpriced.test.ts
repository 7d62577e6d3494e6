/** Limits in dollars for models without a price. */
import { expect, it } from 'vitest';
import { openaiReviewer, openaiTask } from '../../src/openai.ts';
import { definePipeline, phase, PipelineInvalidError } from '../../src/index.ts';

it.each([
  ['no price', {}, {}, 2],
  ['a price', { prices: { m: { inputPerMillion: 1, outputPerMillion: 2 } } }, {}, 0],
  ['an estimate', {}, { estimate: { costUsd: 1 } }, 0],
])('a limit in dollars with %s', (_, options, more, count) => {
  const fields = { model: 'm', ...options, ...more };
  const define = () =>
    definePipeline({
      name: 'p',
      limits: { costUsd: 5 },
      phases: [
        phase('a', {
          tasks: [openaiTask('t', { description: 'Write.', ...fields })],
          review: { by: openaiReviewer('judge', { criteria: 'It is good.', ...fields }) },
        }),
      ],
    });
  expect(codesOf(define)).toEqual(Array.from({ length: count }, () => 'ESTIMATE_MISSING'));
});

function codesOf(define: () => unknown): readonly string[] {
  try {
    define();
    return [];
  } catch (error) {
    if (error instanceof PipelineInvalidError) return error.problems.map(({ code }) => code);
    throw error;
  }
}
