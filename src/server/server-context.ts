/**
 * What all answers of the dashboard's server are made from.
 *
 * @module
 */
import type { IsAlive } from '../store/lease-holder.ts';
import type { ListedRun, RunStore } from '../store/port.ts';
import type { OpenStreams } from './event-stream.ts';
import type { Starts } from './pending-starts.ts';

/** What can be done with runs where their programs are at hand. */
export interface DashboardActions {
  /**
   * Goes on with a run that nobody works on. Resolves once somebody does, or it has gone on and ended or been left again, however
   * long that takes;
   * rejects where it cannot go on, best with a `PhasegateError`, whose message is shown.
   */
  resume(run: ListedRun): Promise<void>;
  /** The same for one that has ended without success. */
  retry(run: ListedRun): Promise<void>;
}

/** What answers are made from. */
export interface ServerContext {
  readonly store: RunStore;
  /** As whoever started the server named it. */
  readonly storeName: string;
  readonly readOnly: boolean;
  /** In whose name answers are given. */
  readonly user: string;
  readonly actions: DashboardActions | undefined;
  readonly isAlive: IsAlive;
  /** Under which name runs are cancelled. */
  readonly holder: string;
  readonly streams: OpenStreams;
  readonly starts: Starts;
  /** Aborted before the server is closed where it is over: streams tell the last that there is, and say so. */
  readonly farewell: AbortSignal;
  /** Aborted when the server is closed: nobody is waited for any more. */
  readonly closing: AbortSignal;
  /** Told of errors that nobody has foreseen. */
  readonly onError: (thrown: unknown) => void;
}
