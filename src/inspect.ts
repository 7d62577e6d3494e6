/**
 * The Stately inspector for runs: it shows every actor with its transitions. On Node only. It needs the package
 * `@statelyai/inspect`.
 *
 * @module
 */
export { serveInspector, type InspectorServer, type InspectorServerOptions } from './inspect/serve.ts';
