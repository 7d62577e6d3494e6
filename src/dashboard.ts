/**
 * The dashboard of a store in a browser, on a port of this machine or as a part of an application. On Node only.
 *
 * @module
 */
export {
  createDashboard,
  type DashboardUser,
  type MountedDashboard,
  type MountOptions,
} from './server/create-dashboard.ts';
export type { CommonOptions } from './server/create-context.ts';
export type { UserAction } from './server/http/access.ts';
export type { PipelineToStart } from './server/pipelines.ts';
export { serveDashboard, type CloseOptions, type Dashboard, type DashboardOptions } from './server/serve.ts';
export type { DashboardActions } from './server/server-context.ts';
