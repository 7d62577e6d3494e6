/**
 * Runs a pipeline and shows it in the inspector of XState v4, until Ctrl-C:
 *
 * ```sh
 * npm run inspect-v4 -w visualizations -- examples/release-notes/pipeline.ts
 * ```
 *
 * @module
 */
import { resolve } from 'node:path';
import { loadPipeline } from '../../src/cli/load.ts';
import { startRun } from '../../src/runtime/run.ts';
import { serveOldInspector } from './serve.ts';

const [file, port = '0'] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('Usage: npm run inspect-v4 -w visualizations -- <pipeline> [port]\n');
  process.exit(2);
}
// Where npm was called, as it is in the folder of the workspace by now.
const pipeline = await loadPipeline(resolve(process.env['INIT_CWD'] ?? '.', file));
const server = await serveOldInspector(Number(port));
process.stdout.write(`Inspect the run at ${server.url}\n`);
const { status } = await startRun(pipeline, { inspect: server.inspect }).result;
process.stdout.write(`The run is ${status}. Ctrl-C ends this.\n`);
