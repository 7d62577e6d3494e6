/**
 * The action that a command attempts, in the errors of its store.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { problemIn } from '../../runtime/inbox/validate-reply.ts';

/**
 * Calls a function that works on a run. If the store cannot be used to take or to free the run, the error names the action of the
 * command, as nobody has asked for a lease.
 *
 * @param action Such as `cancel`.
 * @throws The errors of the function.
 */
export async function attempt<T>(action: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!PhasegateError.is(error) || !error.code.startsWith('STORE_')) throw error;
    const problem = problemIn(error);
    const named = problem.replace(LEASE_CALL, `Cannot ${action} run `);
    if (named === problem) throw error;
    throw new PhasegateError(error.code, named, {
      ...(error.hint !== undefined && { hint: error.hint }),
      cause: error.cause,
    });
  }
}

// --- internal ---

const LEASE_CALL = /^Cannot (?:acquire|release) run /u;
