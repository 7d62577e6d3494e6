/**
 * Everything that the routes of the server share.
 *
 * @module
 */
import type { IsAlive } from '../store/lease-holder.ts';
import type { ListedRun, RunStore } from '../store/port.ts';
import type { Workspaces } from '../workspaces/port.ts';
import type { Access } from './http/access.ts';
import type { KnownPipelines } from './pipelines.ts';
import type { OpenStreams } from './streams/event-stream.ts';
import type { Starts } from './pending-starts.ts';

/** Actions on runs that need their pipelines. */
export interface DashboardActions {
  /**
   * Resumes a run that no process works on. It resolves when a process works on the run, or the run has ended or waits again;
   * that may take any time. It rejects if the run cannot be resumed. The dashboard shows the message of a `PhasegateError`.
   */
  resume(run: ListedRun): Promise<void>;
  /** Retries a run that ended without success. It settles like `resume`. */
  retry(run: ListedRun): Promise<void>;
}

/** The dependencies and the state that all routes share. */
export interface ServerContext {
  readonly store: RunStore;
  /** The name of the store, as given to the server. */
  readonly storeName: string;
  /** True to refuse all answers and changes. */
  readonly readOnly: boolean;
  /** The pipelines of which runs may be started. */
  readonly pipelines: KnownPipelines;
  readonly actions: DashboardActions | undefined;
  /** The repository of the runs. */
  readonly workspaces: Pick<Workspaces, 'diff'> | undefined;
  readonly isAlive: IsAlive;
  /** The holder name of leases that the server takes to cancel runs. */
  readonly holder: string;
  readonly streams: OpenStreams;
  readonly starts: Starts;
  /** Aborted before the server closes, if its command is finished: streams send their pending events, and then `closing`. */
  readonly farewell: AbortSignal;
  /** Aborted when the server closes. Every wait ends. */
  readonly closing: AbortSignal;
  /** Called with unexpected errors. */
  readonly onError: (thrown: unknown) => void;
}

/** The context of one request, with the rights of its user. */
export interface RequestContext extends ServerContext {
  readonly access: Access;
}
