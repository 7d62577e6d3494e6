import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { definePipeline, phase, runPipeline, type Decision, type TaskContext } from '../../src/index.ts';
import { openaiReviewer, openaiTask, type Ask } from '../../src/openai.ts';

const ask: Ask = () => Promise.resolve({ text: '' });

describe('types flow', () => {
  it('openaiTask() has the type of its schema, or text', () => {
    const plan = phase('plan', {
      tasks: [
        openaiTask('steps', { model: 'm', output: z.array(z.object({ step: z.string() })) }),
        openaiTask('note', { ask }),
      ],
      review: openaiReviewer('editor', { ask, criteria: 'It is short.' }),
    });
    phase('use', {
      after: [plan],
      tasks: (task) => [
        task('read', {
          run: ({ inputs }) => {
            expectTypeOf(inputs.plan.steps).toEqualTypeOf<{ step: string }[]>();
            expectTypeOf(inputs.plan.note).toEqualTypeOf<string>();
          },
        }),
        openaiTask('write', {
          model: 'm',
          after: ['read'],
          material: ({ inputs }) => ({ Steps: inputs['plan']?.['steps'] }),
        }),
      ],
      review: {
        by: [
          openaiReviewer('one', { ask, criteria: 'c' }),
          ({ outputs }) => (outputs.write === '' ? 'RETRY: more' : 'APPROVE'),
        ],
        quorum: 1,
      },
    });
    const pipeline = definePipeline({ name: 'p', phases: [plan] });
    expectTypeOf(runPipeline(pipeline)).resolves.toEqualTypeOf<{
      readonly plan: { readonly steps: { step: string }[]; readonly note: string };
    }>();
  });

  it('openaiReviewer() is a task whose output is a decision', () => {
    const editor = openaiReviewer('editor', { model: 'm', criteria: 'c' });
    expectTypeOf<NonNullable<(typeof editor)['types']>['output']>().toEqualTypeOf<Decision>();
    expectTypeOf(editor.name).toEqualTypeOf<'editor'>();
  });

  it('either a model or a function is given', () => {
    // @ts-expect-error neither
    openaiTask('draft', { description: 'x' });
    // @ts-expect-error options of the client are of no use to a function
    openaiTask('draft', { ask, apiKey: 'k' });
    // @ts-expect-error criteria are missing
    openaiReviewer('editor', { model: 'm' });
    // @ts-expect-error there is no such API
    openaiTask('draft', { model: 'm', api: 'completions' });
    openaiTask('draft', { ask: () => Promise.resolve({ text: '', finishReason: 'end_turn', usage: null }) });
    // @ts-expect-error a client has a key of its own, which the runtime checks; a number is no client in any case
    openaiTask('draft', { model: 'm', client: 5 });
    openaiReviewer('editor', { models: ['small', 'large'], fallback: ['other', { ask }], criteria: 'x' });
    // @ts-expect-error a fallback has none of its own
    openaiReviewer('editor', { model: 'm', fallback: [{ ask, fallback: ['other'] }], criteria: 'x' });
    openaiTask('draft', {
      model: 'm',
      material: (context) => ({ own: expectTypeOf(context).toEqualTypeOf<TaskContext>() }),
    });
  });
});
