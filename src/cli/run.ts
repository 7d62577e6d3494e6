/**
 * `phasegate run`.
 *
 * @module
 */
import { startRun } from '../runtime/run.ts';
import { exitCodeOf, type ExitCode } from './exit-code.ts';
import { watchSignals } from './interrupt.ts';
import { loadPipeline } from './load.ts';
import { readInput, type InputFlags } from './read-input.ts';
import { createEventLines } from './show/event-lines.ts';

/** What `phasegate run` takes beside the file. */
export interface RunFlags extends InputFlags {
  readonly json?: boolean | undefined;
  readonly runId?: string | undefined;
}

/** Runs the pipeline of a file and shows how it goes. */
export async function runFile(file: string, flags: RunFlags): Promise<ExitCode> {
  const input = await readInput(flags);
  const pipeline = await loadPipeline(file);
  const run = startRun(pipeline, { input, runId: flags.runId });
  const signals = watchSignals((reason) => run.cancel(reason));
  const lines = createEventLines();
  run.events$.subscribe((record) => {
    process.stdout.write(`${flags.json === true ? JSON.stringify(record) : lines(record)}\n`);
  });
  const result = await run.result;
  signals.release();
  return signals.code ?? exitCodeOf(result);
}
