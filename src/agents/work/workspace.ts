/**
 * The directory in which an agent works for a task or a reviewer.
 *
 * @module
 */
import { isAbsolute, resolve } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/** An open workspace. */
export interface Workspace {
  /** The directory. A relative path starts at the directory of the process. */
  readonly cwd: string;
  /** Variables of the agent, in addition to those of the process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Called with the id of each process group of the agent, so that a later process can end it. A rejection fails the try. */
  readonly onProcess?: ((pid: number) => void | Promise<void>) | undefined;
  /**
   * Called once all processes of the agent have ended, also after a failure. A rejection fails the try: after a task it is a failure
   * of the task, after a review a review error. So a workspace can refuse a reviewer that has changed something.
   */
  readonly close?: ((end: WorkspaceEnd) => void | Promise<void>) | undefined;
}

/** The end of the work in a workspace. */
export interface WorkspaceEnd {
  /** True if the agent has done its work. */
  readonly isDone: boolean;
}

/** A directory, or a function that opens a workspace for each try. */
export type WorkspaceOption<C> = string | ((context: C) => string | Workspace | Promise<string | Workspace>);

/** Works in a workspace, and closes it. If both the work and closing fail, the error of the work counts. */
export async function inWorkspace<C, T>(
  option: WorkspaceOption<C>,
  context: C,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const given = typeof option === 'string' ? option : await option(context);
  const workspace = typeof given === 'string' ? { cwd: given } : given;
  const cwd = isAbsolute(workspace.cwd) ? workspace.cwd : resolve(workspace.cwd);
  let done: { readonly value: T } | { readonly error: unknown };
  try {
    done = { value: await work({ ...workspace, cwd }) };
  } catch (error) {
    done = { error };
  }
  const isDone = 'value' in done;
  try {
    await workspace.close?.({ isDone });
  } catch (error) {
    if (isDone) throw error;
  }
  if ('value' in done) return done.value;
  throw done.error;
}

/** @throws PhasegateError `DEFINITION_INVALID` if no workspace is given. */
export function refuseWorkspace(name: string, option: unknown): void {
  if (typeof option === 'function' || (typeof option === 'string' && option !== '')) return;
  const problem = `Cannot let an agent do "${name}" as it has no workspace`;
  throw new PhasegateError('DEFINITION_INVALID', problem, {
    hint: 'Give a directory, or a function that opens one: `workspace: () => "/path/of/the/repository"`.',
  });
}
