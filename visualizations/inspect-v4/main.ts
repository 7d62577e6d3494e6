/**
 * Runs a pipeline and shows it in the inspector of XState v4, until Ctrl-C:
 *
 * ```sh
 * npm run inspect-v4 -w visualizations -- examples/release-notes/pipeline.ts
 * ```
 *
 * @module
 */
import { loadPipeline } from '../../src/cli/load/load.ts';
import { ioOfProcess } from '../../src/cli/terminal/program-io.ts';
import { stripControls } from '../../src/cli/terminal/strip-controls.ts';
import { PhasegateError } from '../../src/model/errors/phasegate-error.ts';
import { startRun } from '../../src/runtime/start.ts';
import { serveOldInspector } from './serve.ts';

const [file, port = '0'] = process.argv.slice(2);
try {
  if (file === undefined) {
    throw new PhasegateError('FILE_UNREADABLE', 'Cannot inspect a run as a pipeline file must be named: none is', {
      hint: 'Name one: npm run inspect-v4 -w visualizations -- <pipeline> [port]',
    });
  }
  await inspectFile(file, Number(port));
} catch (error) {
  process.stderr.write(`${stripControls(PhasegateError.is(error) ? error.message : String(error))}\n`);
  process.exitCode = 2;
}

// --- internal ---

async function inspectFile(path: string, at: number): Promise<void> {
  // The folder in which the user called npm. The working directory is the workspace's.
  const pipeline = await loadPipeline(path, { ...ioOfProcess(), cwd: process.env['INIT_CWD'] ?? process.cwd() });
  const server = await serveOldInspector(at);
  process.stdout.write(`Inspect the run at ${server.url}\n`);
  const { status } = await startRun(pipeline, { inspect: server.inspect }).result;
  process.stdout.write(`The run is ${status}. Press Ctrl-C to stop the inspector.\n`);
}
