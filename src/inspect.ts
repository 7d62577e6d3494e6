/**
 * Runs in the inspector of Stately: every actor of them, with its transitions. On Node only. The package `@statelyai/inspect` is
 * needed.
 *
 * @module
 */
export { serveInspector, type InspectorServer, type InspectorServerOptions } from './inspect/serve.ts';
