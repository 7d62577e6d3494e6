/**
 * A phase without a pipeline: an application invokes a phase, does the work itself, and restarts the phase on request.
 *
 * @module
 */
import { approve, definePipeline, phase, retry, task } from 'phasegate';
import type { RunEvent } from 'phasegate/records';
import { fromAsync, phaseLogic, type PhaseOutput } from 'phasegate/machines';
import { assign, sendTo, setup } from 'xstate';

/** The plan of the phase, which `definePipeline` creates and validates. The work below replaces its functions. */
const [plan] = definePipeline({
  name: 'lesson',
  phases: [
    phase('exercise', {
      tasks: [task('repeat', { run: () => null })],
      review: { by: () => 'REJECT: The coach reviews', maxRetries: 3 },
    }),
  ],
}).plan.phases;
if (!plan) throw new Error('The lesson has a phase');

const exercise = phaseLogic({
  attempt: fromAsync(({ input }) => ({ type: 'done', outputs: { repeat: input.attempt + 1 } })),
  review: fromAsync(({ input }) => ({
    verdict: Number(input.outputs?.['repeat']) < 3 ? retry('Once more.') : approve(),
    verdicts: {},
  })),
});

interface CoachContext {
  readonly heard: readonly string[];
  readonly result: PhaseOutput | null;
}
const types: { readonly context?: CoachContext; readonly events?: RunEvent } = {};

/** The coach: restarts the phase after each rejected attempt, and stores its result. */
export const coachMachine = setup({
  types,
  actors: { exercise },
  actions: {
    hear: assign({ heard: ({ context, event }) => [...context.heard, event.type] }),
    again: sendTo('exercise', { type: 'restart' }),
    keep: assign({ result: (_, result: PhaseOutput) => result }),
  },
}).createMachine({
  id: 'coach',
  context: { heard: [], result: null },
  initial: 'training',
  states: {
    training: {
      invoke: {
        src: 'exercise',
        id: 'exercise',
        input: { run: 'lesson 1', phase: plan, attempt: 0, inputs: {} },
        onDone: { target: 'done', actions: { type: 'keep', params: ({ event }) => event.output } },
      },
      on: {
        // A phase starts only its first attempt by itself. Its parent starts the others with `restart`, which may carry new inputs.
        'phase.retrying': { actions: ['hear', 'again'] },
        '*': { actions: 'hear' },
      },
    },
    done: { type: 'final' },
  },
});
