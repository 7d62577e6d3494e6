/**
 * Folders with the integrated work of a level, for its checks and reviewers.
 *
 * @module
 */
import type { TaskContext } from '../model/handlers/task.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { Workspace as AgentFolder } from '../agents/work/workspace.ts';
import type { Snapshot, Workspace } from '../workspaces/port.ts';
import type { FleetOptions } from './fleet-options.ts';
import { placeOf } from './subtask-work.ts';

/** Runs a program in a new folder with a commit. The folder is removed afterwards, with all that the program has written. */
export async function inFolder<T>(
  options: FleetOptions,
  commit: string,
  context: TaskContext,
  work: (folder: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }) => Promise<T>,
): Promise<T> {
  const opened = await open(options, commit, context);
  try {
    return await work({ cwd: opened.path, env: opened.env });
  } finally {
    await discard(opened, context);
  }
}

/** Opens a new folder with a commit for an agent whose files are not needed. It is removed afterwards. */
export async function openForAgent(options: FleetOptions, commit: string, context: TaskContext): Promise<AgentFolder> {
  return folderOf(await open(options, commit, context), context);
}

/** Opens a new folder with a commit for an agent that only reads. A changed file makes its review an error. */
export async function openForReading(
  options: FleetOptions,
  commit: string,
  context: TaskContext,
): Promise<AgentFolder> {
  return folderOf(await open(options, commit, context), context, (snapshot) => {
    if (snapshot.fileCount > 0) throw changed(context, snapshot);
  });
}

// --- internal ---

function folderOf(opened: Workspace, context: TaskContext, judge?: (snapshot: Snapshot) => void): AgentFolder {
  return {
    cwd: opened.path,
    env: opened.env,
    onProcess: (pid) => opened.entered(pid),
    async close({ isDone }) {
      const snapshot = await discard(opened, context);
      if (isDone && snapshot) judge?.(snapshot);
    },
  };
}

function open(options: FleetOptions, commit: string, context: TaskContext): Promise<Workspace> {
  return options.workspace.open(placeOf(context, options), { base: commit, signal: context.signal });
}

/** Removes a folder. Its files are kept as a commit before, as only a folder whose content is kept is removed. */
async function discard(opened: Workspace, { task, signal }: TaskContext): Promise<Snapshot | undefined> {
  const snapshot = signal.aborted ? undefined : await opened.keep({ title: `Files after ${task}`, signal });
  await opened.close();
  return snapshot;
}

function changed({ task, phase }: TaskContext, { files, fileCount }: Snapshot): PhasegateError {
  const some = files.slice(0, 5).map(({ path }) => path);
  const more = fileCount > some.length ? `, and ${fileCount - some.length} more` : '';
  const problem = `Cannot use the review of "${task}" in phase "${phase}" as it has changed files: ${some.join(', ')}${more}`;
  return new PhasegateError('AGENT_FAILED', problem, {
    hint: 'A reviewer only reads. Tell it so in its criteria, or use an agent with a sandbox.',
  });
}
