/**
 * Work of a pipeline, with its functions replaced by steps of a script. The plan, schemas and gates are those of the pipeline.
 *
 * @module
 */
import type { CheckWork, PhaseWork, TaskWork, Work } from '../../model/definition/compile.ts';
import { questionOf } from '../../model/handlers/human.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import type { StandardSchemaV1 } from '../../model/values/standard-schema.ts';
import { REFLECTOR, type WorkerKind } from './script.ts';

/** One call of a worker. */
export interface Call {
  readonly kind: WorkerKind;
  readonly phase: string;
  readonly worker: string;
  readonly context: TaskContext;
  /** Does the work of the pipeline itself. @param context The context to call it with. */
  readonly defined: (context: never) => unknown;
  /** True if the work is a run of another pipeline, which only a run can start. */
  readonly isChild: boolean;
}

/** Counts the real time of a schema that answers later. */
export type CountRealTime = <T>(name: string, checking: Promise<T>) => Promise<T>;

/** Replaces the functions of tasks, reviewers, checks and reflect calls. People stay, as the inbox asks them. */
export function scriptedWork(work: Work, perform: (call: Call) => Promise<unknown>, count: CountRealTime): Work {
  const phases = [...work.phases].map(([phase, one]): [string, PhaseWork] => {
    const replaced = (kind: WorkerKind, worker: string, its: TaskWork): TaskWork => {
      const { runner } = its;
      if (questionOf(runner)) return its;
      const isChild = runner.pipeline !== undefined;
      const call = { kind, phase, worker, defined: (context: never) => runner.run(context), isChild };
      const output = its.output && countedSchema(its.output, `the schema of "${phase}.${worker}"`, count);
      return { ...its, output, runner: { run: (context) => perform({ ...call, context }) } };
    };
    const all = (kind: WorkerKind, workers: ReadonlyMap<string, TaskWork>) =>
      new Map([...workers].map(([name, its]) => [name, replaced(kind, name, its)]));
    const checks = [...one.checks].map(([name, check]): [string, CheckWork] => {
      const defined = (context: never) => check.run(context);
      const call = { kind: 'checks', phase, worker: name, defined, isChild: false } as const;
      return [name, { ...check, run: (context) => perform({ ...call, context }) }];
    });
    return [
      phase,
      {
        ...one,
        input: one.input && countedSchema(one.input, `the schema of "${phase}"`, count),
        tasks: all('tasks', one.tasks),
        reviewers: all('reviews', one.reviewers),
        checks: new Map(checks),
        reflect: one.reflect && replaced('reflections', REFLECTOR, one.reflect),
      },
    ];
  });
  const input = work.input && countedSchema(work.input, 'the schema of the input', count);
  return { ...work, input, phases: new Map(phases) };
}

// --- internal ---

function countedSchema(schema: StandardSchemaV1, name: string, count: CountRealTime): StandardSchemaV1 {
  const standard = schema['~standard'];
  const validate: typeof standard.validate = (value) => {
    const result = standard.validate(value);
    return result instanceof Promise ? count(name, result) : result;
  };
  return { '~standard': { ...standard, validate } };
}
