/**
 * The context of a server, made of its options.
 *
 * @module
 */
import type { Pipeline } from '../model/definition/define.ts';
import { patientStore } from '../runtime/records/patient-store.ts';
import { holderIsAlive } from '../store/holder.ts';
import type { RunStore } from '../store/port.ts';
import type { Workspaces } from '../workspaces/port.ts';
import { createStarts } from './pending-starts.ts';
import { knownPipelines, type PipelineToStart } from './pipelines.ts';
import type { DashboardActions, ServerContext } from './server-context.ts';

/** The options of every dashboard. */
export interface CommonOptions {
  /** The name of the store in the dashboard. @default 'store' */
  readonly storeName?: string | undefined;
  /** True to refuse answers and changes. @default false */
  readonly readOnly?: boolean | undefined;
  /** Resumes and retries runs, which takes their pipelines. Without it, users can only answer and cancel. @default none */
  readonly actions?: DashboardActions | undefined;
  /** Pipelines of which users can start runs. Workers begin them, or `actions.resume` does. @default none */
  readonly pipelines?: readonly (Pipeline<unknown, never> | Pipeline<unknown> | PipelineToStart)[] | undefined;
  /** The repository of fleets, such as `gitWorkspace()`, to show the changes of their agents. @default none: names of files only */
  readonly workspaces?: Pick<Workspaces, 'diff'> | undefined;
  /**
   * Tells if the holder of a lease is alive; `undefined` if unknown. A run whose holder is gone can be resumed before its lease
   * expires. A run whose holder is alive cannot be resumed even after that.
   *
   * @default Known for processes of this machine, unknown for all others.
   */
  readonly isAlive?: ((holder: string) => boolean | undefined) | undefined;
  /** The holder name of leases that the server takes to cancel runs. @default 'dashboard' */
  readonly holder?: string | undefined;
  /** A folder with another app. @default the one of the package */
  readonly assets?: string | URL | undefined;
  /** Called with unexpected errors. @default console.error */
  readonly onError?: ((thrown: unknown) => void) | undefined;
}

/** Creates the context. @throws PhasegateError `INPUT_INVALID` if two pipelines have one name. */
export function createContext(
  store: RunStore,
  options: CommonOptions,
  signals: Pick<ServerContext, 'farewell' | 'closing'>,
): ServerContext {
  const { storeName = 'store', readOnly = false, holder = 'dashboard', isAlive = holderIsAlive } = options;
  const { onError = console.error, pipelines = [], actions, workspaces } = options;
  const report = (thrown: unknown) => reportSafely(onError, thrown);
  return {
    store: patientStore(store),
    storeName,
    readOnly,
    pipelines: knownPipelines(pipelines),
    actions,
    workspaces,
    isAlive,
    holder,
    streams: new Set(),
    starts: createStarts(signals.closing, report),
    ...signals,
    onError: report,
  };
}

// --- internal ---

/** Reports an error. An exception in the handler must not end the process. */
function reportSafely(report: (thrown: unknown) => void, thrown: unknown): void {
  try {
    report(thrown);
  } catch {
    // No handler is left to report it to.
  }
}
