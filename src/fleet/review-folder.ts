/**
 * Folders with the integrated work of a level, for its checks and reviewers.
 *
 * @module
 */
import type { TaskContext } from '../model/handlers/task.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { Workspace as AgentFolder } from '../agents/work/workspace.ts';
import { cutList } from '../model/values/counts.ts';
import type { Changes, Workspace } from '../workspaces/port.ts';
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
    await opened.close();
  }
}

/** Opens a new folder with a commit for an agent whose files are not needed. It is removed afterwards. */
export async function openForAgent(options: FleetOptions, commit: string, context: TaskContext): Promise<AgentFolder> {
  const opened = await open(options, commit, context);
  return folderOf(opened, () => Promise.resolve());
}

/** Opens a new folder with a commit for an agent that only reads. A changed file makes its review an error. */
export async function openForReading(
  options: FleetOptions,
  commit: string,
  context: TaskContext,
): Promise<AgentFolder> {
  const opened = await open(options, commit, context);
  return folderOf(opened, async () => {
    const changes = await opened.changes(context);
    if (changes.fileCount > 0) throw changed(context, changes);
  });
}

// --- internal ---

/** @param judge Called before the folder is removed, if the agent has done its work. */
function folderOf(opened: Workspace, judge: () => Promise<void>): AgentFolder {
  return {
    cwd: opened.path,
    env: opened.env,
    onProcess: (pid) => opened.entered(pid),
    async close({ isDone }) {
      try {
        if (isDone) await judge();
      } finally {
        await opened.close();
      }
    },
  };
}

function open(options: FleetOptions, commit: string, context: TaskContext): Promise<Workspace> {
  const { signal } = context;
  return options.workspace.open(placeOf(context, options), { base: commit, disposable: true, signal });
}

function changed({ task, phase }: TaskContext, { files, fileCount }: Changes): PhasegateError {
  const some = cutList(files, 5, ({ path }) => path, fileCount);
  const problem = `Cannot use the review of "${task}" in phase "${phase}" as it has changed files: ${some.join(', ')}`;
  return new PhasegateError('AGENT_FAILED', problem, {
    hint: 'A reviewer only reads. Tell it so in its criteria, or use an agent with a sandbox.',
  });
}
