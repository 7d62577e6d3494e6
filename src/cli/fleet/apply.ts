/**
 * `phasegate apply`.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { ListedRun } from '../../store/port.ts';
import { applyRun } from '../../workspaces/operations/apply-run.ts';
import { findRun } from '../options/find-run.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { refuseAgents } from '../options/refuse-agents.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Flags of `phasegate apply`. */
export interface ApplyFlags extends StoreFlags {
  /** True to take the approved levels of a run that is not completed. */
  readonly partial?: boolean | undefined;
}

/** Moves the user's branch and files to the work of a run, if that loses nothing. Otherwise prints the reason and a command. */
export async function applyStored(wanted: string, flags: ApplyFlags, io: ProgramIo): Promise<ExitCode> {
  refuseAgents(`apply the work of run ${wanted}`, io);
  const { runId, status } = await runOf(wanted, flags, io);
  if (status !== 'completed' && !flags.partial) throw notCompleted(runId, status);
  const { signal } = new AbortController();
  const result = await applyRun({ repository: io.cwd, run: runId, signal });
  if (result.applied) {
    const what = result.from === result.to ? 'already has' : 'now has';
    await print(`Your branch ${what} the work of run ${runId}: ${result.to}\n`, io);
    return exitCode.completed;
  }
  io.stderr.write(`Nothing was changed. ${result.reason}\nTo take the work yourself: ${result.command}\n`);
  return exitCode.unsuccessful;
}

// --- internal ---

async function runOf(wanted: string, flags: StoreFlags, io: ProgramIo): Promise<ListedRun> {
  const opened = openStore(flags, 'read', io);
  try {
    return await findRun(opened, wanted);
  } finally {
    await opened.store.close();
  }
}

function notCompleted(runId: string, status: ListedRun['status']): PhasegateError {
  return new PhasegateError('RUN_UNSUCCESSFUL', `Cannot apply run ${runId} as it is not completed: ${status}`, {
    hint: `Its branch has the approved levels only. To take those: phasegate apply ${runId} --partial`,
  });
}
