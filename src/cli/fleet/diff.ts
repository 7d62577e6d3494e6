/**
 * `phasegate diff`.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { SubtaskOutput } from '../../fleet/level-outputs.ts';
import type { ListedRun } from '../../store/port.ts';
import { gitWorkspace } from '../../workspaces/operations/git-workspace.ts';
import { attempt } from '../options/attempt.ts';
import { findRun } from '../options/find-run.ts';
import { openStore, storeArgument, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { carryOutCommand } from '../show/plan-steps.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { quotedPath } from '../terminal/quoted-path.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { readCommits, type FleetCommits } from './fleet-records.ts';
import { hasOnlyPlanned, isFleet } from '../show/fleet-source.ts';
import { argument } from '../terminal/text.ts';

/** Flags of `phasegate diff`. */
export interface DiffFlags extends StoreFlags {
  /** True to print the names of files, and counts of their lines, only. */
  readonly stat?: boolean | undefined;
}

/** Prints the changes of a run so far, or the latest ones of a task. @param task Its name, or `<phase>/<task>`. */
export async function diffStored(
  wanted: string,
  task: string | undefined,
  flags: DiffFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const { run, opened, commits } = await commitsOf(wanted, flags, io);
  const { runId } = run;
  if (!commits) throw nothingYet(run, opened);
  const one = task === undefined ? undefined : workOf(commits, task, runId);
  const { signal } = new AbortController();
  const { files, text } = await attempt(`show changes of run ${runId}`, () =>
    gitWorkspace({ repository: io.cwd }).diff({
      from: one?.start ?? commits.base,
      to: one?.commit ?? commits.latest,
      maxBytes: MOST_BYTES,
      signal,
    }),
  );
  const lines = files.map(
    ({ path, added, deleted, isBinary }) => `${quotedPath(path)}  ${isBinary ? 'binary' : `+${added} -${deleted}`}\n`,
  );
  // A terminal would obey what agents have written; a program gets the exact text.
  const shown = flags.stat ? lines.join('') : text;
  return (await print(flags.stat || io.stdout.isTTY ? stripControls(shown) : shown, io))
    ? exitCode.completed
    : exitCode.brokenPipe;
}

// --- internal ---

async function commitsOf(wanted: string, flags: DiffFlags, io: ProgramIo) {
  const opened = openStore(flags, 'read', io);
  try {
    const run = await findRun(opened, wanted);
    return { run, opened, commits: await readCommits(opened.store, run) };
  } finally {
    await opened.store.close();
  }
}

/** Most bytes of a printed difference. */
const MOST_BYTES = 64 * 1024 * 1024;

function nothingYet(run: ListedRun, opened: OpenStore): PhasegateError {
  const problem = `Cannot show changes of run ${run.runId} as none of its agents has made any`;
  return new PhasegateError('INPUT_INVALID', problem, { hint: nothingHint(run, opened) });
}

function nothingHint(run: ListedRun, opened: OpenStore): string {
  const show = `phasegate show ${argument(run.runId)}${storeArgument(opened)}`;
  if (!isFleet(run))
    return `Only runs of a fleet, or of a pipeline with a workspace, have changes. See its phases with: ${show}`;
  if (run.status !== 'completed' || !hasOnlyPlanned(run))
    return `No agent of this fleet has made changes yet. See how far it is with: ${show}`;
  return `It only made a plan. Carry that out with: ${carryOutCommand(run.runId, opened)}`;
}

/** Finds the work of a task. @throws PhasegateError `INPUT_INVALID` if none has the name, or tasks of several phases have it */
function workOf({ works }: FleetCommits, wanted: string, runId: string): SubtaskOutput {
  const exact = works.get(wanted);
  if (exact) return exact.work;
  const named = (name: string) => [...works].filter(([, { task }]) => task === name);
  const [first, ...others] = named(wanted);
  if (first && others.length === 0) return first[1].work;
  const attempted = `Cannot show changes of ${JSON.stringify(wanted)} as`;
  if (first) {
    const problem = `${attempted} several phases of run ${runId} have a task of that name`;
    const names = [first, ...others].map(([key]) => key).join(', ');
    throw new PhasegateError('INPUT_INVALID', problem, { hint: `Name one of them: ${names}.` });
  }
  const known = [...works].map(([key, { task }]) => (named(task).length > 1 ? key : task)).join(', ');
  const problem = `${attempted} run ${runId} has no work of such a task`;
  throw new PhasegateError('INPUT_INVALID', problem, { hint: `Those with work are ${known}.` });
}
