/**
 * `phasegate apply`.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { withWaitsBelow } from '../../runtime/inbox/waits-below.ts';
import type { ListedRun } from '../../store/port.ts';
import { standingOf } from '../../store/run-status.ts';
import { applyRun, type Applied } from '../../workspaces/operations/apply-run.ts';
import { remainingRefs } from '../../workspaces/operations/remaining-refs.ts';
import { attempt } from '../options/attempt.ts';
import { findRun } from '../options/find-run.ts';
import { withLiveness } from '../options/run-owner.ts';
import { openStore, storeArgument, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { refuseAgents } from '../options/refuse-agents.ts';
import { carryOutCommand } from '../show/plan-steps.ts';
import { hasOnlyPlanned } from '../show/fleet-source.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { withoutInterrupts } from '../process/interrupt.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { quotedPath } from '../terminal/quoted-path.ts';
import { argument } from '../terminal/text.ts';
import { contentLines, foldHeads, leftLines } from './approved-fold.ts';
import { readApprovedPhases, type ApprovedPhases } from './approved-phases.ts';

/** Flags of `phasegate apply`. */
export interface ApplyFlags extends StoreFlags {
  /** True to take the work of approved phases of a run that is not completed. */
  readonly partial?: boolean | undefined;
}

/** Moves the user's branch and files to the work of a run, if that loses nothing. Otherwise prints the reason and a command. */
export async function applyStored(wanted: string, flags: ApplyFlags, io: ProgramIo): Promise<ExitCode> {
  refuseAgents(`apply the work of run ${wanted}`, io);
  const { run, opened, approved } = await runOf(wanted, flags, io);
  const { runId, status } = run;
  const again = `phasegate apply ${argument(runId)}${flags.partial ? ' --partial' : ''}${storeArgument(opened)}`;
  if (hasOnlyPlanned(run)) throw onlyPlanned(runId, opened);
  if (status === 'running' && run.forkOf !== undefined && !(await remainingRefs(io.cwd, runId)))
    throw notBegun(runId, opened);
  if (status !== 'completed' && !flags.partial) throw notCompleted(run, opened);
  const { signal } = new AbortController();
  const action = `apply run ${runId}`;
  const folded = approved && (await attempt(action, () => foldHeads(approved, { runId, folder: io.cwd, signal })));
  if (folded && !folded.isWhole) {
    io.stderr.write(`Nothing was changed. ${folded.reason}`);
    return exitCode.unsuccessful;
  }
  const commit = folded?.commit;
  const result = await withoutInterrupts(
    () =>
      io.stderr.write('phasegate ends as soon as git has moved your files. Git does so even if you interrupt again.\n'),
    () => attempt(action, () => applyRun({ repository: io.cwd, run: runId, commit, signal })),
  );
  if (!result.applied) {
    io.stderr.write(`Nothing was changed. ${result.reason}\n${wayOut(again, result)}`);
    return exitCode.unsuccessful;
  }
  const isAll = status === 'completed' && !approved;
  const work = isAll ? 'the work' : approved && approved.left.length > 0 ? 'approved work' : 'all approved work';
  const verb = result.from === result.to ? 'already has' : 'now has';
  await print(`Your branch ${verb} ${work} of run ${runId}: ${result.to}\n`, io);
  if (!approved) return exitCode.completed;
  await print(contentLines(approved), io);
  io.stderr.write(leftLines(approved));
  return approved.left.length > 0 ? exitCode.unsuccessful : exitCode.completed;
}

// --- internal ---

/** Most files that are named. */
const MOST_SHOWN = 20;

interface Found {
  readonly run: ListedRun;
  readonly opened: OpenStore;
  /** The approved phases; `undefined` if the branch of the run has their work. */
  readonly approved: ApprovedPhases | undefined;
}

async function runOf(wanted: string, flags: StoreFlags, io: ProgramIo): Promise<Found> {
  const opened = openStore(flags, 'read', io);
  try {
    const found = await findRun(opened, wanted);
    const [run = found] = await withWaitsBelow(opened.store, [found]);
    return { run, opened, approved: await readApprovedPhases(opened.store, run.runId) };
  } finally {
    await opened.store.close();
  }
}

function onlyPlanned(runId: string, opened: OpenStore): PhasegateError {
  return new PhasegateError('INPUT_INVALID', `Cannot apply run ${runId} as it only made a plan`, {
    hint: `Carry that out with: ${carryOutCommand(runId, opened)}`,
  });
}

/** Returns lines with the files that are in the way, and what a person can do. @param next The command to run then. */
function wayOut(next: string, { paths = [], command }: Extract<Applied, { applied: false }>): string {
  const shown = paths.slice(0, MOST_SHOWN).map((path) => `  ${quotedPath(path)}\n`);
  const more = paths.length > shown.length ? ['  …\n'] : [];
  const again = paths.length > 0 ? [`Commit, stash or move them, then run: ${next}\n`] : [];
  const take = command === undefined ? [] : [`To take the work yourself: ${command}\n`];
  return [...shown, ...more, ...again, ...take].join('');
}

function notBegun(runId: string, opened: OpenStore): PhasegateError {
  return new PhasegateError('RUN_UNSUCCESSFUL', `Cannot apply run ${runId} as it has no branch here yet`, {
    hint: `Resume the fork first, as it begins its branch then: phasegate resume ${argument(runId)}${storeArgument(opened)}`,
  });
}

function notCompleted(run: ListedRun, opened: OpenStore): PhasegateError {
  const { runId } = run;
  const standing = standingOf(withLiveness(run));
  return new PhasegateError('RUN_UNSUCCESSFUL', `Cannot apply run ${runId} as it is not completed: ${standing}`, {
    hint: `If some of its phases were approved, their work is taken by: phasegate apply ${argument(runId)} --partial${storeArgument(opened)}`,
  });
}
