/**
 * `phasegate apply`.
 *
 * @module
 */
import { applyRun } from '../../workspaces/operations/apply-run.ts';
import type { ListedRun } from '../../store/port.ts';
import { findRun } from '../options/find-run.ts';
import { openStore, type OpenStore, type StoreFlags } from '../options/store-option.ts';
import { refuseAgents } from '../options/refuse-agents.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Moves the user's branch and files to the work of a run, if that loses nothing. Otherwise prints the reason and a command. */
export async function applyStored(wanted: string, flags: StoreFlags, io: ProgramIo): Promise<ExitCode> {
  refuseAgents('apply the work of a run', io);
  const { runId, status } = await infoOf(wanted, flags, io);
  const { signal } = new AbortController();
  const result = await applyRun({ repository: io.cwd, run: runId, signal });
  if (result.applied) {
    const what = result.from === result.to ? 'already has' : 'now has';
    const rest = status === 'completed' ? '' : `The run is ${status}: its branch has approved levels only.\n`;
    await print(`Your branch ${what} the work of run ${runId}: ${result.to}\n${rest}`, io);
    return exitCode.completed;
  }
  io.stderr.write(`Nothing was changed. ${result.reason}\nTo take the work yourself: ${result.command}\n`);
  return exitCode.unsuccessful;
}

// --- internal ---

async function infoOf(wanted: string, flags: StoreFlags, io: ProgramIo): Promise<Pick<ListedRun, 'runId' | 'status'>> {
  const opened = openStore(flags, 'read', io);
  try {
    const found = await findRun(opened, wanted);
    return (await goalOf(opened, found)) ?? found;
  } finally {
    await opened.store.close();
  }
}

/** The run of the goal whose plan a run carries out: the branch is named for it. */
async function goalOf({ store }: OpenStore, { runId }: ListedRun): Promise<ListedRun | undefined> {
  const [first = '', ...rest] = runId.split('/');
  if (rest.length === 0) return undefined;
  const runs = await store.runs();
  return runs.find((run) => encodeURIComponent(run.runId) === first);
}
