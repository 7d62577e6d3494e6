/**
 * A run on the command line, however it began: shown, asked about, interrupted, and left in good order.
 *
 * @module
 */
import { firstValueFrom } from 'rxjs/internal/firstValueFrom';
import { processesAtRest } from '../../actors/command/process.ts';
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { foldRunTimes, type RunTimesFold } from '../../model/events/run-times.ts';
import type { RunResult } from '../../projections/run/run-result.ts';
import type { Run } from '../../runtime/run.ts';
import { storeArgument, type OpenStore } from '../options/store-option.ts';
import { exitCode, exitCodeOf, type ExitCode } from '../process/exit-code.ts';
import { watchExit, type EarlyExit } from '../process/exit-watch.ts';
import { watchInterrupts } from '../process/interrupt.ts';
import { afterwards, goOnText } from '../show/next-steps.ts';
import { withAddress, withAdvice } from '../terminal/error-text.ts';
import { plain } from '../terminal/line.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { oneLine } from '../terminal/text.ts';
import { createAsker } from './ask-decision.ts';
import type { InspectFlags } from './inspection.ts';
import { createLiveReporter } from './live-reporter.ts';
import { asText, createJsonReporter, createPlainReporter, seesTree, type Reporter } from './reporter.ts';
import { endBeside, type SideServer } from './side-server.ts';
import { cancelWhenAsked, suspendWhenIdle } from './unattended.ts';

/** How a run is shown, and who decides. */
export interface DriveFlags extends InspectFlags {
  readonly json?: boolean | undefined;
  /** Whether it goes on waiting where only other processes can answer. */
  readonly wait?: boolean | undefined;
  /** Whether the dashboard is served beside it, where somebody may answer. */
  readonly ui?: boolean | undefined;
}

/** What is driven. */
export interface Driven {
  readonly run: Run<unknown>;
  /** Where it is kept; `undefined` where it is not. */
  readonly kept: OpenStore | undefined;
  /** Whether a person watches. */
  readonly attended: boolean;
  /** The number of the last record that is nothing new. @default 0 */
  readonly known?: number | undefined;
  /** Whether it has just been started, and its store may not take it. @default false */
  readonly isNew?: boolean | undefined;
  /** What is served beside it. @default nothing */
  readonly beside?: readonly SideServer[] | undefined;
}

/** Whether a person can be asked on this terminal. */
export function isAttended({ stdin, stderr }: ProgramIo): boolean {
  return (stdin.isTTY ?? false) && (stderr.isTTY ?? false);
}

/** Shows a run until it ends, or this process lets go of it. */
export async function drive(
  { run, kept, attended, known = 0, isNew = false, beside = [] }: Driven,
  flags: DriveFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const reporter = createReporter(flags, io);
  const watch = watchExit(
    exitCode.unsuccessful,
    (how) => {
      reporter.pause();
      return earlyExitText(how);
    },
    io,
  );
  const interrupts = watchInterrupts(
    (reason) => (kept ? run.suspend() : run.cancel(reason)),
    () => {
      // This end of the process is asked for, and leaves the terminal as it was.
      watch.release();
      reporter.pause();
      if (kept && run.snapshot().status === 'running') io.stderr.write(`  ${goOnText('resume', run.id, kept)}\n`);
    },
    io,
  );
  const decider = attended
    ? createAskerFor(run, reporter, kept !== undefined, io)
    : kept
      ? suspendWhenIdle(run, (flags.wait ?? false) || (flags.ui ?? false))
      : cancelWhenAsked(run);
  const refusal = kept && isNew ? await refusalOf(run) : undefined;
  if (refusal) {
    watch.release();
    interrupts.release();
    reporter.pause();
    io.stderr.write(`${stripControls(withAddress(withAdvice(refusal.code, refusal.message)))}\n`);
    return exitCode.usage;
  }
  const times = foldRunTimes();
  run.events$.subscribe((record) => {
    times.apply(record);
    if (record.seq <= known) reporter.recall(record);
    else reporter.show(record);
    decider.apply(record);
  });
  for (const { begun } of beside) if (begun !== undefined) io.stderr.write(`${begun}\n`);
  const result = await run.result;
  watch.release();
  decider.close();
  // Commands that were told to stop may need a moment; none of them survives the run.
  await processesAtRest();
  const notes = kept ? await afterwards(result, kept) : [];
  reporter.end(result.status === 'suspended' ? asOfNow(result, times) : result, notes, restText(run.id, kept));
  // Where nobody reads any more how it ended, how to go on with it is told elsewhere.
  if (interrupts.code === exitCode.brokenPipe && !flags.json) io.stderr.write(asText(notes.map(plain)));
  interrupts.release();
  await endBeside(beside, interrupts.code === undefined, io);
  await kept?.store.close();
  return interrupts.code ?? exitCodeOf(result);
}

// --- internal ---

/**
 * Why a run has not begun as its store does not take it: its records are kept nowhere then, and its id may be that of
 * another. `undefined` once it has begun, or has ended otherwise.
 */
async function refusalOf(run: Run<unknown>): Promise<ErrorInfo | undefined> {
  await firstValueFrom(run.events$, { defaultValue: undefined });
  if (run.snapshot().status === 'running') return undefined;
  const { error, metrics } = await run.result;
  return error && metrics.attempts === 0 && OF_THE_STORE.test(error.code) ? error : undefined;
}

const OF_THE_STORE = /^(?:STORE_|RUN_EXISTS$|RUN_LEASED$|LEASE_LOST$)/u;

/** A run that is left goes on to its last moment here, while its records end with the last thing that happened. */
function asOfNow(result: RunResult<unknown>, times: RunTimesFold): RunResult<unknown> {
  return { ...result, metrics: { ...result.metrics, ...times.at(Date.now()) } };
}

/** A handler that ends the process, or leaves nothing that could wake it, must not look like a run that went well. */
function earlyExitText(how: EarlyExit): string {
  return how === 'ended'
    ? 'phasegate: the process ended before the run did; did a task call process.exit()?'
    : 'phasegate: the process ended before the run did, as nothing was left that could wake it; what does a task wait for?';
}

/** What shows all of a run where there is no room for it: the command, or what it takes where it is not kept. */
function restText(runId: string, kept: OpenStore | undefined): string {
  return kept ? `phasegate show ${oneLine(runId)}${storeArgument(kept)}` : '--json has all of it';
}

function createReporter({ json = false }: DriveFlags, io: ProgramIo): Reporter {
  if (json) return createJsonReporter(io);
  return seesTree(io.stdout, io) ? createLiveReporter(io) : createPlainReporter(io);
}

function createAskerFor(
  run: Run<unknown>,
  reporter: Reporter,
  isKept: boolean,
  io: ProgramIo,
): ReturnType<typeof createAsker> {
  const onBusy = (busy: boolean) => (busy ? reporter.pause() : reporter.resume());
  return createAsker(run, { input: io.stdin, output: io.stderr, onBusy, isKept });
}
