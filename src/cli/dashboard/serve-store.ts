/**
 * The dashboard for a store that the command line has opened.
 *
 * @module
 */
import { hasCode } from '../../model/errors/phasegate-error.ts';
import type { PipelineToStart } from '../../server/pipelines.ts';
import { serveDashboard, type Dashboard } from '../../server/serve.ts';
import { holderIsAlive, thisHolder } from '../../store/holder.ts';
import { gitWorkspace } from '../../workspaces/operations/git-workspace.ts';
import type { OpenStore } from '../options/store-option.ts';
import { refuseAgents } from '../options/refuse-agents.ts';
import { userName } from '../options/user-name.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { actionsOn } from './background-runs.ts';
import { sessionSecret } from './session-secret.ts';

/** Options for serving the dashboard. */
export interface ServeOptions {
  /** The port. @default the first free one from 4400 to 4419, else any free port */
  readonly port?: number | undefined;
  /** True to allow no answers and no changes. @default false */
  readonly readOnly?: boolean | undefined;
  /** Pipelines of which users can start runs. @default none */
  readonly pipelines?: readonly PipelineToStart[] | undefined;
  /** True if the server does not keep the process alive. @default false */
  readonly unref?: boolean | undefined;
}

/** Serves the dashboard of a store. */
export async function serveStore(
  opened: OpenStore,
  { port, readOnly = false, unref = false, pipelines = [] }: ServeOptions,
  io: ProgramIo,
): Promise<Dashboard> {
  // The address of a dashboard lets its owner answer for people.
  if (!readOnly) refuseAgents('serve a dashboard that takes answers', io);
  const options = {
    storeName: opened.name,
    readOnly,
    pipelines,
    unref,
    // Of a database, a session lasts as long as the server, as its secret has no private place.
    session: opened.isFile ? sessionSecret(opened.location, readOnly ? 'read' : 'write') : undefined,
    user: userName(),
    actions: actionsOn(opened),
    workspaces: gitWorkspace({ repository: io.cwd }),
    isAlive: holderIsAlive,
    holder: thisHolder(),
    onError: (thrown: unknown) => io.stderr.write(`phasegate: ${stripControls(textOf(thrown))}\n`),
  };
  if (port !== undefined) return serveDashboard(opened.store, { ...options, port });
  for (const next of PORTS) {
    try {
      return await serveDashboard(opened.store, { ...options, port: next });
    } catch (thrown) {
      if (!hasCode(thrown, 'PORT_UNUSABLE')) throw thrown;
    }
  }
  return serveDashboard(opened.store, { ...options, port: 0 });
}

// --- internal ---

/** Ports to try in order, so that a single dashboard always gets the same port. */
const PORTS = Array.from({ length: 20 }, (_, index) => 4400 + index);

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
