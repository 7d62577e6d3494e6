/**
 * Pipelines of fake phases, which run in real time.
 *
 * @module
 */
import { definePipeline, type Limits, type Pipeline, type Policy } from '../../src/index.ts';
import type { Fake } from '../rig.ts';

/** Defines a pipeline of fake phases. */
export function pipelineOf(
  name: string,
  phases: readonly Fake[],
  options: { readonly policy?: Policy; readonly limits?: Limits } = {},
): Pipeline<unknown> {
  return definePipeline({ name, phases: phases.map(({ definition }) => definition), ...options });
}
