/**
 * phasegate/restate: runs on Restate, whose phases work on any machine. Serving needs the package `@restatedev/restate-sdk`.
 *
 * @module
 */
export { restateRuns, type RestateRuns, type RestateRunsOptions, type RestateStartOptions } from './restate/client.ts';
export type { RunReport } from './restate/messages.ts';
export { restateServices, type RestateService, type RestateServicesOptions } from './restate/services.ts';
