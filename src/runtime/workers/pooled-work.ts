/**
 * Work of pools: its tries wait for a place.
 *
 * @module
 */
import { allWork, mapWork, type TaskWork } from '../../model/definition/compile.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { asksPeople, mayAskPeople } from '../../model/handlers/person.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import { checkPipeline } from '../run.ts';
import { sizeMissing, type Places, type PoolSizes } from './places.ts';

type AnyPipeline = Pipeline<unknown, never> | Pipeline<unknown>;

/** Names of the pools that a pipeline uses. */
export function poolsOf({ work }: AnyPipeline): ReadonlySet<string> {
  return new Set([...allWork(work)].flatMap(({ pool }) => pool ?? []));
}

/** Checks that each pool that pipelines use has a size. @throws PhasegateError `INPUT_INVALID` */
export function checkPools(pipelines: readonly AnyPipeline[], sizes: PoolSizes): void {
  for (const [pool, size] of Object.entries(sizes))
    if (size !== 'unlimited' && !(Number.isSafeInteger(size) && size >= 1))
      throw new PhasegateError(
        'INPUT_INVALID',
        `Cannot start a worker as the size of pool "${pool}" is ${String(size)}`,
        {
          hint: "Give a whole number from 1, or 'unlimited'.",
        },
      );
  for (const pipeline of pipelines)
    for (const pool of poolsOf(pipeline))
      if (!Object.hasOwn(sizes, pool)) throw sizeMissing(`start a worker for "${pipeline.name}"`, pool);
}

/** The same pipeline, with tries that wait for places. The pipelines that its tasks run are limited as well. */
export function pooled<P extends AnyPipeline>(pipeline: P, places: Places): P {
  return { ...pipeline, work: mapWork(pipeline.work, (one) => ({ ...one, runner: pooledRunner(one, places) })) };
}

// --- internal ---

function pooledRunner({ runner, pool }: TaskWork, places: Places): TaskWork['runner'] {
  if (runner.pipeline)
    return {
      ...runner,
      async pipeline(context) {
        const made: unknown = await runner.pipeline?.(context);
        checkPipeline(made);
        return pooled(made, places);
      },
    };
  if (pool === undefined) return runner;
  const run = (context: TaskContext) => places.hold(pool, context.signal, () => runner.run(context));
  return { ...runner, run: mayAskPeople(runner) ? asksPeople(run) : run };
}
