/**
 * The dashboard of a store in a browser. On Node only.
 *
 * @module
 */
export type { CommonOptions } from './server/create-context.ts';
export type { PipelineToStart } from './server/pipelines.ts';
export { serveDashboard, type CloseOptions, type Dashboard, type DashboardOptions } from './server/serve.ts';
export type { DashboardActions } from './server/server-context.ts';
