/**
 * The action that a command attempts, in the errors of its store and of its repository.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { problemIn } from '../../runtime/inbox/validate-reply.ts';

/**
 * Calls a function that works on a run. If the store or the repository refuses that, or another process has the run, the error names the
 * action of the command. Nobody has asked for a lease or a workspace.
 *
 * @param action Such as `cancel run r1`.
 * @throws The errors of the function.
 */
export async function attempt<T>(action: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!PhasegateError.is(error) || !/^(?:STORE_|REPOSITORY_|RUN_LEASED$)/u.test(error.code)) throw error;
    const problem = problemIn(error);
    const named = problem.replace(ACTION, `Cannot ${action} as `);
    if (named === problem) throw error;
    throw new PhasegateError(error.code, named, {
      ...(error.hint !== undefined && { hint: error.hint }),
      cause: error.cause,
    });
  }
}

// --- internal ---

/** Actions that no user has asked for, before what was found. */
const ACTION = /^Cannot (?:(?:acquire|release) run \S+|make workspaces) as /u;
