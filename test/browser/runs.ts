/**
 * Runs to be watched: phases of the rig, on real time.
 *
 * @module
 */
import { definePipeline, type Limits, type Pipeline, type Policy } from '../../src/index.ts';
import type { Fake } from '../rig.ts';

/** A pipeline of fake phases. */
export function pipelineOf(
  name: string,
  phases: readonly Fake[],
  options: { readonly policy?: Policy; readonly limits?: Limits } = {},
): Pipeline<unknown> {
  return definePipeline({ name, phases: phases.map(({ definition }) => definition), ...options });
}
