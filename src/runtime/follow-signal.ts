/**
 * Cancelling of a run by an abort signal.
 *
 * @module
 */
import { errorInfo } from '../model/errors/phasegate-error.ts';

/** Cancels a run when a signal is aborted, with its reason. Forgets the signal once the run is over. */
export function followSignal(signal: AbortSignal, cancel: (reason: string) => void, over: Promise<void>): void {
  const stop = () => cancel(errorInfo(signal.reason).message);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  void over.then(() => signal.removeEventListener('abort', stop));
}
