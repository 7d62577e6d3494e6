/**
 * Refusals as texts.
 *
 * @module
 */

/** Returns the error that a function throws as text; `undefined` if it throws none. */
export function refusal(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return String(error);
  }
}
