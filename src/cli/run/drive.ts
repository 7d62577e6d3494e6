/**
 * Execution of a run on the command line: it shows progress, asks questions, handles interrupts and ends in good order.
 *
 * @module
 */
import { PLAN } from '../../fleet/approval.ts';
import { firstValueFrom } from 'rxjs/internal/firstValueFrom';
import { processesAtRest } from '../../actors/command/process.ts';
import { startedByAgent } from '../../agents/agent-marker.ts';
import type { ErrorInfo } from '../../model/errors/phasegate-error.ts';
import { foldRunTimes, type RunTimesFold } from '../../model/events/run-times.ts';
import type { RunResult } from '../../projections/run/run-result.ts';
import type { Run } from '../../runtime/run.ts';
import { StartedRun } from '../../runtime/run-handle.ts';
import { storeArgument, type OpenStore } from '../options/store-option.ts';
import { exitCode, exitCodeOf, type ExitCode } from '../process/exit-code.ts';
import { watchExit, type EarlyExit } from '../process/exit-watch.ts';
import { watchInterrupts } from '../process/interrupt.ts';
import { nextSteps, resumeText } from '../show/next-steps.ts';
import { withAddress, withAdvice } from '../terminal/error-text.ts';
import { plain, type Line } from '../terminal/line.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { argument } from '../terminal/text.ts';
import { createAsker } from './ask-decision.ts';
import type { InspectFlags } from './inspection.ts';
import { createLiveReporter } from './live-reporter.ts';
import { asText, createJsonReporter, createPlainReporter, seesTree, type Reporter } from './reporter.ts';
import { closeServers, type SideServer } from './side-server.ts';
import { cancelWhenAsked, suspendWhenIdle } from './unattended.ts';

/** Flags for the display of a run and for its questions. */
export interface DriveFlags extends InspectFlags {
  readonly json?: boolean | undefined;
  /** True to wait for answers even if only other processes can give them. */
  readonly wait?: boolean | undefined;
  /** True to serve the dashboard during the run, where people can answer. */
  readonly ui?: boolean | undefined;
}

/** The run to execute, with its surroundings. */
export interface Driven {
  readonly run: Run<unknown>;
  /** The store of the run; `undefined` if it is not stored. */
  readonly opened: OpenStore | undefined;
  /** True if a person can be asked on this terminal. */
  readonly attended: boolean;
  /** The number of the last record that is not shown, as an earlier process wrote it. @default 0 */
  readonly known?: number | undefined;
  /** True if the run has just been started, so that it may still be refused. @default false */
  readonly isNew?: boolean | undefined;
  /** Servers that run next to it. @default none */
  readonly servers?: readonly SideServer[] | undefined;
  /** Makes the last lines of the output. @default the next steps of a stored run */
  readonly ending?: Ending | undefined;
}

/** Makes the last lines of the output of a run. */
export type Ending = (result: RunResult<unknown>, opened: OpenStore | undefined) => Promise<readonly Line[]>;

/** True if a person can be asked on this terminal. An agent can make a terminal, and must not answer for people. */
export function isAttended({ stdin, stderr, env }: ProgramIo): boolean {
  return (stdin.isTTY ?? false) && (stderr.isTTY ?? false) && !startedByAgent(env);
}

/** Shows a run until it ends or is suspended. @returns The exit code. */
export async function drive(
  { run, opened, attended, known = 0, isNew = false, servers = [], ending = usualEnding }: Driven,
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
    (reason) => (opened ? run.suspend() : run.cancel(reason)),
    () => {
      // The user asked for this end, so it is no error; the terminal is restored.
      watch.release();
      reporter.pause();
      if (opened && run.snapshot().status === 'running') io.stderr.write(`  ${resumeText('resume', run.id, opened)}\n`);
    },
    io,
  );
  const decider = attended
    ? createAskerFor(run, reporter, opened !== undefined, io)
    : opened
      ? suspendWhenIdle(run, (flags.wait ?? false) || (flags.ui ?? false))
      : cancelWhenAsked(run);
  const refusal = opened && isNew ? await refusalOf(run) : undefined;
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
  StartedRun.watchChildren(run, (child) =>
    child.events$.subscribe((record) => {
      reporter.child(record);
      decider.apply(record);
    }),
  );
  for (const { startLine } of servers) if (startLine !== undefined) io.stderr.write(`${startLine}\n`);
  const result = await run.result;
  watch.release();
  decider.close();
  // Waits for child processes that still stop, as none may outlive the run.
  await processesAtRest();
  const notes = await ending(result, opened);
  reporter.end(result.status === 'suspended' ? asOfNow(result, times) : result, notes, restText(run.id, opened));
  // If standard output is closed or on a full disk, the next steps go to standard error. It may fail at the last lines only.
  const isPrinted = await print('', io);
  if ((interrupts.isOutputLost || !isPrinted) && !flags.json) io.stderr.write(asText(notes.map(plain)));
  interrupts.release();
  await closeServers(servers, interrupts.code === undefined, io);
  await opened?.store.close();
  return interrupts.code ?? exitCodeOf(result);
}

// --- internal ---

async function usualEnding(result: RunResult<unknown>, opened: OpenStore | undefined): Promise<readonly Line[]> {
  if (!opened) return [];
  const steps = Object.hasOwn(result.phases, PLAN)
    ? (await import('../show/plan-steps.ts')).planSteps(result, opened)
    : [];
  return nextSteps(result, opened, steps);
}

/**
 * Returns the error with which a new run was refused, by its store or by the schema of its input: it has no record then. `undefined` if the run
 * has started, or was cancelled before.
 */
async function refusalOf(run: Run<unknown>): Promise<ErrorInfo | undefined> {
  const first = await firstValueFrom(run.events$, { defaultValue: undefined });
  return first ? undefined : ((await run.result).error ?? undefined);
}

/** Extends the times of a suspended run to now, as its records end with its last event. */
function asOfNow(result: RunResult<unknown>, times: RunTimesFold): RunResult<unknown> {
  return { ...result, metrics: { ...result.metrics, ...times.at(Date.now()) } };
}

/** Describes a premature end of the process, which must not look like success. */
function earlyExitText(how: EarlyExit): string {
  return how === 'ended'
    ? 'phasegate: the process ended before the run did; did a task call process.exit()?'
    : 'phasegate: the process ended before the run did, as its event loop was empty; what does a task wait for?';
}

/** Returns the command or flag that shows the whole run, for a summary without room for it. */
function restText(runId: string, opened: OpenStore | undefined): string {
  return opened ? `phasegate show ${argument(runId)}${storeArgument(opened)}` : '--json has all of it';
}

function createReporter({ json = false }: DriveFlags, io: ProgramIo): Reporter {
  if (json) return createJsonReporter(io);
  return seesTree(io.stdout, io) ? createLiveReporter(io) : createPlainReporter(io);
}

function createAskerFor(
  run: Run<unknown>,
  reporter: Reporter,
  isStored: boolean,
  io: ProgramIo,
): ReturnType<typeof createAsker> {
  const onBusy = (busy: boolean) => (busy ? reporter.leave() : reporter.resume());
  return createAsker(run, { input: io.stdin, output: io.stderr, onBusy, isStored });
}
