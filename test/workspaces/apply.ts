/**
 * A process that moves the user's files to the work of a run: `apply.ts <repository> <root>`.
 *
 * @module
 */
import { applyRun } from '../../src/workspaces/operations/apply-run.ts';
import { signal } from './rig-places.ts';

const [, , repository = '', root = ''] = process.argv;

await applyRun({ repository, root, run: 'run', signal });
