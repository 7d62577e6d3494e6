/**
 * The dashboard of a store in a browser. On Node only.
 *
 * @module
 */
export { serveDashboard, type CloseOptions, type Dashboard, type DashboardOptions } from './server/serve.ts';
export type { DashboardActions } from './server/server-context.ts';
