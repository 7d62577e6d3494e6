/**
 * The work as a pipeline of phasegate: that of `npm run bench`.
 *
 * @module
 */
import { sqliteStore } from '../../dist/sqlite.js';
import { phasegate, pipelineOf } from './shared.mjs';

/** Creates the engine for a shape. @param place A database for records; none for a run in memory. */
export function create(shape, { file }) {
  return phasegate(pipelineOf(shape), file === undefined ? undefined : sqliteStore(file));
}
