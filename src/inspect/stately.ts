/**
 * The package of Stately, which puts what XState tells into the words of its inspector.
 *
 * @module
 */
import { PhasegateError } from '../model/errors.ts';

/** What is used of the package. */
export type StatelyInspect = Pick<typeof import('@statelyai/inspect'), 'createInspector'>;

/** Loads the package. @throws PhasegateError `PACKAGE_MISSING` where it is not installed. */
export async function loadStately(
  load: () => Promise<StatelyInspect> = () => import('@statelyai/inspect'),
): Promise<StatelyInspect> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new PhasegateError(
      'PACKAGE_MISSING',
      'Cannot inspect a run as the package "@statelyai/inspect" is not installed',
      { hint: 'Run `npm install @statelyai/inspect`.', cause },
    );
  }
}

// --- internal ---

function isMissing(error: unknown): boolean {
  const code: unknown = Reflect.get(Object(error), 'code');
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
