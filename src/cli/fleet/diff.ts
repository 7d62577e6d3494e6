/**
 * `phasegate diff`.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { gitWorkspace } from '../../workspaces/operations/git-workspace.ts';
import { findRun } from '../options/find-run.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { print } from '../terminal/print.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { readCommits } from './fleet-records.ts';
import { argument } from '../terminal/text.ts';

/** Flags of `phasegate diff`. */
export interface DiffFlags extends StoreFlags {
  /** True to print the names of files only. */
  readonly stat?: boolean | undefined;
}

/** Prints the changes of a run so far, or the latest ones of a subtask. */
export async function diffStored(
  wanted: string,
  subtask: string | undefined,
  flags: DiffFlags,
  io: ProgramIo,
): Promise<ExitCode> {
  const { runId, commits } = await commitsOf(wanted, flags, io);
  if (!commits) throw nothingYet(runId);
  const one = subtask === undefined ? undefined : commits.subtasks.get(subtask);
  if (subtask !== undefined && !one) throw unknownSubtask(runId, subtask, [...commits.subtasks.keys()]);
  const { signal } = new AbortController();
  const { files, text } = await gitWorkspace({ repository: io.cwd }).diff({
    from: one?.start ?? commits.base,
    to: one?.commit ?? commits.latest,
    maxBytes: MOST_BYTES,
    signal,
  });
  const lines = files.map(
    ({ path, added, deleted, isBinary }) => `${path}  ${isBinary ? 'binary' : `+${added} -${deleted}`}\n`,
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
    return { runId: run.runId, commits: await readCommits(opened.store, run) };
  } finally {
    await opened.store.close();
  }
}

/** Most bytes of a printed difference. */
const MOST_BYTES = 64 * 1024 * 1024;

function nothingYet(runId: string): PhasegateError {
  return new PhasegateError('INPUT_INVALID', `Cannot show changes of run ${runId} as none of its agents has made any`, {
    hint: `Only runs of a fleet, or of a pipeline with a workspace, have changes. See its phases with: phasegate show ${argument(runId)}`,
  });
}

function unknownSubtask(runId: string, subtask: string, known: readonly string[]): PhasegateError {
  const problem = `Cannot show changes of ${JSON.stringify(subtask)} as run ${runId} has no work of such a subtask`;
  return new PhasegateError('INPUT_INVALID', problem, { hint: `Those with work are ${known.join(', ')}.` });
}
