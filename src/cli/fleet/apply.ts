/**
 * `phasegate apply`.
 *
 * @module
 */
import { applyRun } from '../../workspaces/operations/apply-run.ts';
import { findRun } from '../options/find-run.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { refuseAgents } from '../options/refuse-agents.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Moves the user's branch and files to the work of a run, if that loses nothing. Otherwise prints the reason and a command. */
export async function applyStored(wanted: string, flags: StoreFlags, io: ProgramIo): Promise<ExitCode> {
  refuseAgents('apply the work of a run', io);
  const runId = await idOf(wanted, flags, io);
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

async function idOf(wanted: string, flags: StoreFlags, io: ProgramIo): Promise<string> {
  const opened = openStore(flags, 'read', io);
  try {
    return (await findRun(opened, wanted)).runId;
  } finally {
    await opened.store.close();
  }
}
