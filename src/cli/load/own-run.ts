/**
 * Runs that a module starts itself while it is loaded.
 *
 * @module
 */
import { runPipeline, startRun } from '../../index.ts';
import { counted } from '../../model/values/counts.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';

/** A run that a module has started itself. */
export interface OwnRun {
  /** The name of its pipeline. */
  readonly pipeline: string;
  /** Resolves to the status of the run when it has ended. */
  readonly ended: Promise<string>;
}

/** Wraps the functions that start runs, to report each start. */
export function watchStarts(onStart: (run: OwnRun) => void): {
  readonly startRun: typeof startRun;
  readonly runPipeline: typeof runPipeline;
} {
  return {
    startRun(pipeline, ...options) {
      const run = startRun(pipeline, ...options);
      onStart({ pipeline: pipeline.plan.name, ended: run.result.then(({ status }) => status) });
      return run;
    },
    runPipeline(pipeline, ...options) {
      const outputs = runPipeline(pipeline, ...options);
      const ended = outputs.then(
        () => 'completed',
        () => 'not completed',
      );
      onStart({ pipeline: pipeline.plan.name, ended });
      return outputs;
    },
  };
}

/** Waits until a module's own runs and the work after them are done. Advises on standard error to export the pipeline. */
export async function awaitOwnRuns(file: string, runs: readonly OwnRun[], io: ProgramIo): Promise<ExitCode> {
  const endings = await Promise.all(runs.map(async ({ pipeline, ended }) => ({ pipeline, status: await ended })));
  // The module may still work with the results until the event loop is empty.
  await new Promise((resolve) => process.once('beforeExit', resolve));
  const statuses = endings.map(({ pipeline, status }) => `"${pipeline}" ${status}`).join(', ');
  io.stderr.write(
    `${stripControls(`"${file}" has started ${counted(runs.length, 'run')} itself: ${statuses}.`)}\n${TO_EXPORT}\n`,
  );
  return endings.every(({ status }) => status === 'completed') ? exitCode.completed : exitCode.unsuccessful;
}

/** The advice for a module that starts runs itself. */
export const TO_EXPORT =
  'To let phasegate show, store and resume the run, remove `startRun` and write `export default definePipeline({ ... })`.';
