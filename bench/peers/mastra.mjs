/**
 * The work as a workflow of Mastra: a loop of two steps for each phase.
 *
 * @module
 */
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';
import { review, work } from './shared.mjs';

const schema = z.object({ value: z.number(), attempt: z.number(), isApproved: z.boolean() });

/** Creates the engine for a chain, or for one phase that all others follow. */
export function create({ after }) {
  const isChain = after.every((sources, index) => sources.length === 0 || sources[0] === index - 1);
  const whole = createWorkflow({ id: 'whole', inputSchema: schema, outputSchema: z.any() });
  const [first, ...others] = after.map((_, index) => loopOf(index));
  const started = whole.then(first);
  if (isChain) for (const one of others) started.then(one);
  else started.parallel(others);
  const workflow = started.commit();
  return async () => {
    const run = await workflow.createRunAsync();
    const { status } = await run.start({ inputData: { value: 0, attempt: 0, isApproved: false } });
    if (status !== 'success') throw new Error(`The workflow ended ${status}`);
  };
}

/** One phase: its two steps, until the review approves. */
function loopOf(index) {
  const steps = createWorkflow({ id: `steps${index}`, inputSchema: schema, outputSchema: schema })
    .then(
      createStep({
        id: `work${index}`,
        inputSchema: schema,
        outputSchema: schema,
        execute: async ({ inputData: { value, attempt, isApproved } }) => ({
          value: await work(index, isApproved ? 0 : attempt, value),
          attempt: isApproved ? 0 : attempt,
          isApproved: false,
        }),
      }),
    )
    .then(
      createStep({
        id: `review${index}`,
        inputSchema: schema,
        outputSchema: schema,
        execute: async ({ inputData: { value, attempt } }) => ({
          value,
          attempt: attempt + 1,
          isApproved: (await review(index, attempt)) === 'APPROVE',
        }),
      }),
    )
    .commit();
  return createWorkflow({ id: `phase${index}`, inputSchema: schema, outputSchema: schema })
    .dountil(steps, async ({ inputData }) => inputData.isApproved)
    .commit();
}
