import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { definePipeline, phase, task, type InputOf, type OutputsOf } from '../src/model/definition/define.ts';
import type { Defect } from '../src/projections/quality/defect.ts';
import { approve, retry, retryPredecessor, type Decision } from '../src/model/decision/decision.ts';
import { runPipeline, startRun } from '../src/runtime/start.ts';
import type { Answer } from '../src/model/handlers/reviewer-answer.ts';
import type { AnyPhase } from '../src/model/handlers/phase.ts';
import { human } from '../src/model/handlers/human.ts';
import type { PhaseResult, RunOutcome } from '../src/projections/run/run-result.ts';
import type { TaskContext } from '../src/model/handlers/task.ts';

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
    expectTypeOf<OutputsOf<typeof pipeline>['writing']['draft']>().toEqualTypeOf<string>();
    expectTypeOf<InputOf<typeof pipeline>>().toEqualTypeOf<{ topic: string }>();
    expectTypeOf<NonNullable<typeof pipeline.types>['input']>().toEqualTypeOf<{ topic: string }>();
  });

  it('task() knows the outputs of its predecessors, and its own schema', () => {
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

  it('phase() refuses a task for inputs that it does not have', () => {
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

  it('phase() passes the output of its schema to its tasks, and the committed outputs to its reviewers', () => {
    const input = z.object({
      research: z.object({ gather: z.object({ findings: z.array(z.string().transform(Number)) }) }),
    });
    const counting = phase('counting', {
      after: [research],
      input,
      tasks: (task) => [
        task('sum', {
          run: ({ inputs }) => {
            expectTypeOf(inputs.research.gather.findings).toEqualTypeOf<number[]>();
            return inputs.research.gather.findings.length;
          },
        }),
      ],
      review: ({ inputs, outputs }) => {
        expectTypeOf(inputs.research.gather.findings).toEqualTypeOf<string[]>();
        expectTypeOf(outputs.sum).toEqualTypeOf<number>();
        return approve();
      },
    });
    phase('below', {
      after: [counting],
      // A schema without a known output type changes nothing.
      input: z.unknown(),
      tasks: (task) => [
        task('see', {
          run: ({ inputs }) => {
            expectTypeOf(inputs.research.gather.findings).toEqualTypeOf<string[]>();
            expectTypeOf(inputs.counting.sum).toEqualTypeOf<number>();
          },
        }),
      ],
    });
    const draft = task('draft', {
      run: ({ inputs }: TaskContext<{ research: { gather: { findings: string[] } } }>) => inputs,
    });
    // @ts-expect-error the schema makes numbers of the findings
    phase('writing', { after: [research], input, tasks: [draft] });
  });

  it('task() knows its previous output, if it has a schema', () => {
    task('one', {
      output: z.object({ n: z.string().transform(Number) }),
      run: ({ revision }) => {
        expectTypeOf(revision?.previousOutput).toEqualTypeOf<{ n: number } | undefined>();
        return { n: '1' };
      },
    });
    const open = task('open', {
      run: ({ revision }) => {
        expectTypeOf(revision?.previousOutput).toEqualTypeOf<unknown>();
        return 1;
      },
    });
    expectTypeOf<NonNullable<typeof open.types>['output']>().toEqualTypeOf<number>();
  });

  it('definePipeline() provides a phase() whose handlers know the input', () => {
    const pipeline = definePipeline({
      name: 'p',
      input: z.object({ topic: z.string(), depth: z.int().default(1) }),
      phases: (phase) => {
        const plan = phase('plan', {
          tasks: (task) => [
            task('steps', {
              run: ({ input }) => {
                expectTypeOf(input).toEqualTypeOf<{ topic: string; depth: number }>();
                return [input.topic];
              },
            }),
          ],
          review: {
            by: ({ input, outputs }) => (outputs.steps.includes(input.topic) ? approve() : retry('Keep to it.')),
            checks: [{ name: 'depth', run: ({ input, outputs }) => outputs.steps.length <= input.depth }],
          },
        });
        const build = phase('build', {
          after: [plan],
          tasks: (task) => [
            task('make', {
              output: z.string(),
              run: ({ input, inputs }) => {
                expectTypeOf(input.depth).toEqualTypeOf<number>();
                expectTypeOf(inputs.plan.steps).toEqualTypeOf<string[]>();
                return input.topic;
              },
            }),
          ],
        });
        return [plan, build];
      },
    });
    expectTypeOf<NonNullable<typeof pipeline.types>['outputs']['build']['make']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<typeof pipeline.types>['input']>().toEqualTypeOf<{
      topic: string;
      depth?: number | undefined;
    }>();
    definePipeline({
      name: 'q',
      phases: (phase) => [
        phase('open', {
          tasks: (task) => [
            task('see', {
              run: ({ input }) => {
                expectTypeOf(input).toEqualTypeOf<unknown>();
              },
            }),
          ],
        }),
      ],
    });
  });

  it('startRun() and runPipeline() require an input if the schema does', () => {
    const needing = definePipeline({ name: 'p', phases: [research], input: z.object({ topic: z.string() }) });
    const sparing = definePipeline({ name: 'p', phases: [research], input: z.string().optional() });
    const open = definePipeline({ name: 'p', phases: [research] });
    // The type checker reads this code, and nothing runs it.
    void (() => {
      startRun(needing, { input: { topic: 'gates' } });
      // @ts-expect-error there is no input
      startRun(needing);
      // @ts-expect-error there is no input
      startRun(needing, { runId: 'one' });
      // @ts-expect-error there is no input
      void runPipeline(needing);
      // @ts-expect-error the topic is text
      startRun(needing, { input: { topic: 1 } });
      startRun(sparing);
      startRun(sparing, { input: 'gates' });
      startRun(open);
      startRun(open, { input: { any: 'thing' }, runId: 'one' });
      void runPipeline(open);
      expectTypeOf(runPipeline(needing, { input: { topic: 'x' } })).resolves.toEqualTypeOf<{
        readonly research: { readonly gather: { findings: string[] } };
      }>();
    });
  });
});

describe('types know names', () => {
  const writing = phase('writing', { after: [research], tasks: [task('draft', { run: () => 'text' })] });
  const tasks = [task('t', { run: () => 1 })] as const;
  const back = <const Name extends string>(name: Name) => retryPredecessor(name, 'Again.');

  it('retryPredecessor() takes the name of a phase that the gate may send back', () => {
    phase('edit', { after: [writing], tasks, review: () => (tasks.length > 1 ? approve() : back('writing')) });
    phase('edit', { after: ['writing'], tasks, review: { by: async () => back('writing') } });
    // @ts-expect-error there is no such phase
    phase('edit', { after: [writing], tasks, review: () => back('writting') });
    // @ts-expect-error there is no such phase, in one path of a function that may wait
    phase('edit', { after: [writing], tasks, review: async () => (tasks.length > 1 ? approve() : back('writting')) });
    // @ts-expect-error there is no such phase, for one of several reviewers
    phase('edit', { after: [writing], tasks, review: { by: [() => approve(), () => back('writting')] } });
    // @ts-expect-error names in `after` count as well
    phase('edit', { after: ['writing'], tasks, review: () => back('writting') });
    // @ts-expect-error without `rewindTo` it is the direct predecessors alone
    phase('edit', { after: [writing], tasks, review: () => back('research') });
    // @ts-expect-error its own phase is no target
    phase('edit', { after: [writing], tasks, review: () => back('edit') });
    // @ts-expect-error nothing is before it
    phase('edit', { tasks, review: () => back('writing') });
    definePipeline({
      name: 'p',
      phases: (phase) => {
        const first = phase('first', { tasks });
        // @ts-expect-error there is no such phase
        return [first, phase('second', { after: [first], tasks, review: () => back('frist') })];
      },
    });
  });

  it('rewindTo takes names of phases upstream, which may then be sent back', () => {
    phase('edit', { after: [writing], tasks, review: { by: () => back('research'), rewindTo: 'ancestors' } });
    phase('edit', { after: [writing], tasks, review: { by: () => back('research'), rewindTo: ['research'] } });
    phase('edit', { after: [writing], tasks, review: { by: () => back('research'), rewindTo: [research] } });
    phase('edit', { after: [writing, 'other'], tasks, review: { by: () => back('far'), rewindTo: ['far'] } });
    // @ts-expect-error there is no such phase
    phase('edit', { after: [writing], tasks, review: { by: () => approve(), rewindTo: ['reserch'] } });
    phase('writing', {
      after: [research],
      tasks,
      // @ts-expect-error it comes later
      review: { by: () => approve(), rewindTo: [writing] },
    });
    phase('edit', {
      after: [writing],
      tasks,
      // @ts-expect-error the list does not have it
      review: { by: () => back('writing'), rewindTo: ['research'] },
    });
    phase('edit', {
      after: [writing],
      tasks,
      // @ts-expect-error there is no such phase
      review: { by: () => back('reserch'), rewindTo: 'ancestors' },
    });
  });

  it('names of type string are left to the run', () => {
    const some: string = 'writing';
    const many: readonly AnyPhase[] = [research, writing];
    const judge = (): Decision => back('writing');
    const answer = async (): Promise<Answer> => 'APPROVE';
    phase('edit', { after: [writing], tasks, review: () => back(some) });
    phase('edit', { after: [writing], tasks, review: () => back(`layer ${some.length}`) });
    phase('edit', { after: [writing], tasks, review: judge });
    phase('edit', { after: [writing], tasks, review: { by: [judge, answer, human({ question: 'Good?' })] } });
    phase('edit', { after: [writing], tasks, review: { by: judge, rewindTo: [some] } });
    phase('edit', { after: many, tasks, review: { by: () => back('any'), rewindTo: ['any'] } });
    phase(some, { after: [some], tasks, review: () => back('any') });
    void (() => startRun(definePipeline({ name: 'p', phases: many })).decide(some, 'APPROVE'));
    void (() => startRun(definePipeline({ name: 'p', phases: many })).decide('any', back('other')));
  });

  it('a reviewer answers with a decision or its text', () => {
    expectTypeOf<undefined>().not.toExtend<Answer>();
    expectTypeOf<null>().not.toExtend<Answer>();
    expectTypeOf<Decision>().toExtend<Answer<'research'>>();
    // @ts-expect-error one path returns nothing
    phase('edit', { tasks, review: () => (tasks.length > 1 ? approve() : undefined) });
    phase('edit', {
      tasks,
      // @ts-expect-error it returns nothing
      review: () => {
        approve();
      },
    });
  });

  it('a decision that is written as an object is typed like one of a constructor', () => {
    const letter = { type: 'retryPredecessor', feedback: 'Again.' } as const;
    phase('edit', { after: [writing], tasks, review: () => ({ ...letter, phase: 'writing' }) });
    phase('edit', { after: [writing], tasks, review: { by: async () => ({ ...letter, phase: 'writing' }) } });
    // @ts-expect-error there is no such phase
    phase('edit', { after: [writing], tasks, review: () => ({ ...letter, phase: 'writting' }) });
    phase('edit', {
      after: [writing],
      tasks,
      // @ts-expect-error there is no such phase, in one path
      review: () => (tasks.length > 1 ? approve() : { ...letter, phase: 'x' }),
    });
    // @ts-expect-error there is no such phase, in a promise
    phase('edit', { after: [writing], tasks, review: { by: async () => ({ ...letter, phase: 'writting' }) } });
    // @ts-expect-error there is no such phase, for one of several reviewers
    phase('edit', { after: [writing], tasks, review: { by: [() => approve(), () => ({ ...letter, phase: 'x' })] } });
    // @ts-expect-error there is no such type
    phase('edit', { after: [writing], tasks, review: () => ({ type: 'retyr', feedback: 'Again.' }) });
    // @ts-expect-error there is no such field
    phase('edit', { after: [writing], tasks, review: () => ({ type: 'retry', feedbak: 'Again.' }) });
    // @ts-expect-error a check makes no decision
    phase('edit', { after: [writing], tasks, review: { checks: [{ name: 'c', run: () => back('writing') }] } });
    phase('edit', {
      after: [writing],
      tasks,
      // @ts-expect-error a check makes no decision
      review: { checks: [{ name: 'c', run: () => ({ ...letter, phase: 'x' }) }] },
    });
  });

  it('a task as a reviewer is typed by its output', () => {
    const judge = <O>(run: () => O) => task('judge', { run });
    phase('edit', { after: [writing], tasks, review: judge(() => back('writing')) });
    phase('edit', { after: [writing], tasks, review: { by: [judge(() => 'APPROVE'), judge(async () => approve())] } });
    phase('edit', { after: [writing], tasks, review: { by: judge((): Decision => back('any')) } });
    phase('edit', { after: [writing], tasks, review: { by: judge((): unknown => JSON.parse('{}')) } });
    phase('edit', { after: [writing], tasks, review: { by: judge((): Record<string, unknown> => ({})) } });
    // Its output is inferred before the type of the gate is known. Its literals are plain strings then, which the run
    // validates.
    phase('edit', { after: [writing], tasks, review: { by: judge(() => ({ type: 'retyr', feedback: 'Again.' })) } });
    // @ts-expect-error there is no such phase
    phase('edit', { after: [writing], tasks, review: judge(() => back('writting')) });
    // @ts-expect-error there is no such phase
    phase('edit', { after: [writing], tasks, review: { by: judge(async () => back('writting')) } });
    // @ts-expect-error there is no such phase, for one of several reviewers
    phase('edit', { after: [writing], tasks, review: { by: [() => approve(), judge(() => back('writting'))] } });
    // @ts-expect-error there is no such type
    phase('edit', { after: [writing], tasks, review: { by: judge(() => ({ type: 'retyr', feedback: '' }) as const) } });
    // @ts-expect-error a number is no decision
    phase('edit', { after: [writing], tasks, review: { by: judge(() => 1) } });
    // @ts-expect-error one path returns nothing
    phase('edit', { after: [writing], tasks, review: { by: judge(() => (tasks.length > 1 ? 'APPROVE' : undefined)) } });
    // @ts-expect-error it has no type
    phase('edit', { after: [writing], tasks, review: { by: judge(() => ({ score: 1 })) } });
    definePipeline({
      name: 'p',
      phases: (phase) => {
        const first = phase('first', { tasks });
        // @ts-expect-error there is no such phase
        return [first, phase('second', { after: [first], tasks, review: { by: judge(() => back('frist')) } })];
      },
    });
  });

  it('run.decide() takes the name of a phase or of a limit', () => {
    const pipeline = definePipeline({ name: 'p', phases: [research, writing] });
    // The type checker reads this code, and nothing runs it.
    void (async () => {
      const run = startRun(pipeline);
      await run.decide('research', 'APPROVE');
      await run.decide('costUsd', 'APPROVE');
      await run.decide('writing', back('research'));
      // @ts-expect-error there is no such phase
      await run.decide('reserch', 'APPROVE');
      // @ts-expect-error there is no such phase
      await run.decide('writing', back('reserch'));
    });
  });

  it('inputs have the phases upstream and no others', () => {
    phase('edit', {
      after: [writing],
      // @ts-expect-error there is no such phase
      tasks: (task) => [task('t', { run: ({ inputs }) => String(inputs.reserch) })],
    });
    phase('edit', {
      after: [writing],
      tasks,
      review: {
        // @ts-expect-error there is no such phase
        by: ({ inputs }) => String(inputs.reserch),
        // @ts-expect-error there is no such phase
        checks: [{ name: 'c', run: ({ inputs }) => inputs.reserch !== undefined }],
      },
    });
  });

  it('result.status narrows result.outputs, and result.phases has the names of the phases', () => {
    const pipeline = definePipeline({ name: 'p', phases: [research, writing] });
    type Result = RunOutcome<OutputsOf<typeof pipeline>>;
    type Completed = Extract<Result, { readonly status: 'completed' }>;
    type Other = Exclude<Result, { readonly status: 'completed' }>;
    expectTypeOf(startRun(pipeline).result).resolves.toEqualTypeOf<Result>();
    expectTypeOf<Completed['outputs']['writing']['draft']>().toEqualTypeOf<string>();
    expectTypeOf<Other['outputs']['writing']>().toEqualTypeOf<{ readonly draft: string } | undefined>();
    expectTypeOf<keyof Result['phases']>().toEqualTypeOf<'research' | 'writing'>();
    expectTypeOf<Result['phases']['writing']>().toEqualTypeOf<PhaseResult>();
    expectTypeOf<RunOutcome['phases']>().toEqualTypeOf<{ readonly [x: string]: PhaseResult }>();
    void (async () => {
      const result = await startRun(pipeline).result;
      // @ts-expect-error there is no such phase
      void result.phases.reserch;
      // @ts-expect-error the run may have ended before
      void result.outputs.writing.draft;
      if (result.status !== 'completed') return;
      expectTypeOf(result.outputs.writing.draft).toEqualTypeOf<string>();
      expectTypeOf(result.defects).toEqualTypeOf<readonly Defect[]>();
    });
  });
});
