import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { definePipeline, phase, task } from '../src/model/define.ts';
import { approve, retry } from '../src/model/decision.ts';
import type { TaskContext } from '../src/model/task-types.ts';

const research = phase('research', {
  tasks: [task('gather', { run: async () => ({ findings: ['a'] }) })],
});

describe('types flow', () => {
  it('phase() with a tasks function knows the outputs of earlier phases', () => {
    const writing = phase('writing', {
      after: [research],
      tasks: (task) => [
        task('outline', { run: ({ inputs }) => inputs.research.gather.findings.length }),
        task('draft', {
          after: ['outline'],
          run: ({ inputs }) => {
            expectTypeOf(inputs.research.gather.findings).toEqualTypeOf<string[]>();
            return 'text';
          },
        }),
      ],
      review: ({ outputs, inputs }) => {
        expectTypeOf(outputs.draft).toEqualTypeOf<string>();
        expectTypeOf(inputs.research.gather.findings).toEqualTypeOf<string[]>();
        return outputs.draft === '' ? retry('more') : approve();
      },
    });
    phase('publish', {
      after: [writing],
      tasks: (task) => [
        task('print', {
          run: ({ inputs }) => {
            expectTypeOf(inputs.research.gather.findings).toEqualTypeOf<string[]>();
            expectTypeOf(inputs.writing.draft).toEqualTypeOf<string>();
          },
        }),
      ],
    });
    const pipeline = definePipeline({ name: 'p', phases: [research, writing], input: z.object({ topic: z.string() }) });
    expectTypeOf<NonNullable<typeof pipeline.types>['outputs']['writing']['draft']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<typeof pipeline.types>['input']>().toEqualTypeOf<{ topic: string }>();
  });

  it('task() knows the outputs of the tasks it comes after, and its own schema', () => {
    const one = task('one', { output: z.object({ n: z.number() }), run: () => ({ n: 1 }) });
    task('two', {
      after: [one],
      run: ({ context }) => {
        expectTypeOf(context.one).toEqualTypeOf<{ n: number }>();
      },
    });
    // @ts-expect-error the schema wants a number
    task('bad', { output: z.object({ n: z.number() }), run: () => ({ n: 'x' }) });
  });

  it('phase() refuses a task written for inputs that it does not have', () => {
    const draft = task('draft', {
      run: ({ inputs }: TaskContext<{ research: { gather: number } }>) => inputs.research.gather,
    });
    // @ts-expect-error gather is an object with findings, not a number
    phase('writing', { after: [research], tasks: [draft] });
    const fine = task('fine', {
      run: ({ inputs }: TaskContext<{ research: { gather: { findings: string[] } } }>) => inputs.research,
    });
    phase('writing', { after: [research], tasks: [fine] });
    phase('loose', {
      after: ['research'],
      tasks: [task('any', { run: ({ inputs }) => inputs['research']?.['gather'] })],
    });
  });
});
