/**
 * The services of phasegate for Restate.
 *
 * @module
 */
import type { ServiceDefinition, VirtualObjectDefinition } from '@restatedev/restate-sdk';
import type { Pipeline } from '../model/definition/define.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { checkPipeline } from '../runtime/run.ts';
import { refuseUnsupported } from '../runtime/steps/unsupported.ts';
import type { RunStore } from '../store/port.ts';
import { namesOf } from './messages.ts';
import { runObject, type ServiceOptions } from './run-object.ts';
import { loadSdk } from './sdk.ts';
import { storeObject } from './store-object.ts';
import { workService } from './work-service.ts';

/** Options of {@link restateServices}. */
export interface RestateServicesOptions {
  /** The pipelines that this worker serves. Their names differ. */
  readonly pipelines: readonly (Pipeline<unknown, never> | Pipeline<unknown>)[];
  /** Gets a copy of each run, for the dashboard, the inbox and the command line. Answers that are posted there reach the run. @default none */
  readonly store?: RunStore | undefined;
  /** First part of the names of the services. All workers of one Restate have the same. @default `phasegate` */
  readonly name?: string | undefined;
  /**
   * Milliseconds between two looks for answers in the store, while a run has not ended. With 0 only `restateRuns` can answer and cancel.
   *
   * @default 2000
   */
  readonly pollMs?: number | undefined;
}

/** A service, as `serve` and `createEndpointHandler` of the SDK take it. */
export type RestateService = VirtualObjectDefinition<string, unknown> | ServiceDefinition<string, unknown>;

/**
 * Defines the services for runs on Restate: pass them to `serve` of `@restatedev/restate-sdk`. Needs that package, and a Restate server.
 *
 * @throws PhasegateError `PACKAGE_MISSING`; `PIPELINE_UNSUPPORTED` for pools, agents that ask people, and tasks that run pipelines
 *   without an estimate although a limit bounds their usage; `DEFINITION_INVALID` if two pipelines have one name.
 *
 * @example
 * ```ts
 * import { serve } from '@restatedev/restate-sdk';
 *
 * await serve({ services: await restateServices({ pipelines: [article], store }), port: 9080 });
 * ```
 */
export async function restateServices(options: RestateServicesOptions): Promise<RestateService[]> {
  const { pipelines: given, store, name = 'phasegate', pollMs = 2000 } = options;
  const pipelines = new Map<string, Pipeline<unknown>>();
  for (const pipeline of given) {
    checkPipeline(pipeline);
    refuseUnsupported(pipeline);
    if (pipelines.has(pipeline.name)) throw sameName(pipeline.name);
    pipelines.set(pipeline.name, pipeline);
  }
  const sdk = await loadSdk();
  const parts: ServiceOptions = { sdk, names: namesOf(name), pipelines, isCopied: store !== undefined };
  const services: RestateService[] = [runObject(parts), workService(parts)];
  return store ? [...services, storeObject(parts, store, pollMs)] : services;
}

// --- internal ---

function sameName(name: string): PhasegateError {
  const problem = `Cannot serve two pipelines as both have the name "${name}"`;
  return new PhasegateError('DEFINITION_INVALID', problem, {
    hint: 'Give each a name of its own: a run is found by the name.',
  });
}
