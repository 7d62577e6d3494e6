/**
 * `phasegate run`.
 *
 * @module
 */
import { processesAtRest } from '../actors/process.ts';
import type { RunRecord } from '../model/event.ts';
import { startRun, type Run } from '../runtime/run.ts';
import { createAsker } from './ask.ts';
import { exitCode, exitCodeOf, type ExitCode } from './exit-code.ts';
import { watchExit, type EarlyExit } from './exit-watch.ts';
import { watchInterrupts } from './interrupt.ts';
import { createLiveReporter } from './live.ts';
import { loadPipeline } from './load.ts';
import { readInput, type InputFlags } from './read-input.ts';
import { createJsonReporter, createPlainReporter, type Reporter } from './reporter.ts';

/** What `phasegate run` takes beside the file. */
export interface RunFlags extends InputFlags {
  readonly json?: boolean | undefined;
  readonly runId?: string | undefined;
}

/** Runs the pipeline of a file and shows how it goes. */
export async function runFile(file: string, flags: RunFlags): Promise<ExitCode> {
  const input = await readInput(flags);
  const pipeline = await loadPipeline(file);
  const attended = process.stdin.isTTY && process.stderr.isTTY && flags.inputFile !== '-';
  const run = startRun(pipeline, { input, runId: flags.runId, attended });
  const interrupts = watchInterrupts((reason) => run.cancel(reason));
  const reporter = createReporter(flags);
  const decider = attended ? createAskerFor(run, reporter) : createRefuser(run);
  run.events$.subscribe((record) => {
    reporter.show(record);
    decider.apply(record);
  });
  const watch = watchExit(exitCode.unsuccessful, earlyExitText);
  const result = await run.result;
  watch.release();
  decider.close();
  // Commands that were told to stop may need a moment; none of them survives the run.
  await processesAtRest();
  reporter.end(result);
  interrupts.release();
  return interrupts.code ?? exitCodeOf(result);
}

// --- internal ---

/** A handler that ends the process, or leaves nothing that could wake it, must not look like a run that went well. */
function earlyExitText(how: EarlyExit): string {
  return how === 'ended'
    ? 'phasegate: the process ended before the run did; did a task call process.exit()?'
    : 'phasegate: the process ended before the run did, as nothing was left that could wake it; what does a task wait for?';
}

interface Decider {
  apply(record: RunRecord): void;
  close(): void;
}

function createReporter({ json = false }: RunFlags): Reporter {
  if (json) return createJsonReporter();
  return process.stdout.isTTY && process.env['TERM'] !== 'dumb'
    ? createLiveReporter(process.stdout)
    : createPlainReporter();
}

function createAskerFor(run: Run<unknown>, reporter: Reporter): Decider {
  const onBusy = (busy: boolean) => (busy ? reporter.pause() : reporter.resume());
  return createAsker(run, { input: process.stdin, output: process.stderr, onBusy });
}

/** Where nobody can be asked, waiting for a decision would be waiting for ever. */
function createRefuser(run: Run<unknown>): Decider {
  return {
    apply({ event }) {
      if (event.type !== 'phase.escalated' && event.type !== 'limit.reached') return;
      queueMicrotask(() => {
        const { waiting, phases } = run.snapshot();
        const [about] = waiting;
        if (about === undefined) return;
        const reason = phases[about]?.reason ?? 'the limit is reached';
        run.cancel(`"${about}" waits for a person, but nobody can be asked as this is not a terminal: ${reason}`);
      });
    },
    close: () => undefined,
  };
}
