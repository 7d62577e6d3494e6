/**
 * Runs that a module starts itself, as it is loaded.
 *
 * @module
 */
import { runPipeline, startRun } from '../../index.ts';
import { counted } from '../../projections/wording/amount-words.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';

/** A run of a module's own. */
export interface OwnRun {
  /** The name of its pipeline. */
  readonly pipeline: string;
  /** Resolves when it has ended: to how. */
  readonly ended: Promise<string>;
}

/** The functions that start runs, which tell of them. */
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

/** Lets a module that has started runs itself come to its end, and says what to export. */
export async function awaitOwnRuns(file: string, runs: readonly OwnRun[], io: ProgramIo): Promise<ExitCode> {
  const endings = await Promise.all(runs.map(async ({ pipeline, ended }) => ({ pipeline, status: await ended })));
  // What the module does with a result comes after it.
  await new Promise((resolve) => process.once('beforeExit', resolve));
  const told = endings.map(({ pipeline, status }) => `"${pipeline}" ${status}`).join(', ');
  io.stderr.write(
    `${stripControls(`"${file}" has started ${counted(runs.length, 'run')} itself: ${told}.`)}\n${TO_EXPORT}\n`,
  );
  return endings.every(({ status }) => status === 'completed') ? exitCode.completed : exitCode.unsuccessful;
}

/** What to change in a module that starts runs itself. */
export const TO_EXPORT =
  'To have phasegate show, keep and resume the run, leave `startRun` out and write `export default definePipeline({ ... })`.';
