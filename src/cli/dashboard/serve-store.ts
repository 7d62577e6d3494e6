/**
 * The dashboard of a store that the command line has opened.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { serveDashboard, type Dashboard } from '../../server/serve.ts';
import { holderIsAlive, thisHolder } from '../../store/holder.ts';
import type { OpenStore } from '../options/store-option.ts';
import { userName } from '../options/user-name.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { actionsOn } from './background-runs.ts';
import { sessionSecret } from './session-secret.ts';

/** How to serve it. */
export interface ServeOptions {
  /** @default the first from 4400 to 4419 that is free, else any */
  readonly port?: number | undefined;
  /** Whether nothing can be answered or changed. @default false */
  readonly readOnly?: boolean | undefined;
  /** Whether the process may end while it is served. @default false */
  readonly unref?: boolean | undefined;
}

/** Serves the dashboard of a store. */
export async function serveKept(
  kept: OpenStore,
  { port, readOnly = false, unref = false }: ServeOptions,
  io: ProgramIo,
): Promise<Dashboard> {
  const options = {
    storeName: kept.file,
    readOnly,
    unref,
    session: sessionSecret(kept.path, readOnly ? 'read' : 'write'),
    user: userName(),
    actions: actionsOn(kept),
    isAlive: holderIsAlive,
    holder: thisHolder(),
    onError: (thrown: unknown) => io.stderr.write(`phasegate: ${stripControls(textOf(thrown))}\n`),
  };
  if (port !== undefined) return serveDashboard(kept.store, { ...options, port });
  for (const next of PORTS) {
    try {
      return await serveDashboard(kept.store, { ...options, port: next });
    } catch (thrown) {
      if (!PhasegateError.is(thrown) || thrown.code !== 'PORT_UNUSABLE') throw thrown;
    }
  }
  return serveDashboard(kept.store, { ...options, port: 0 });
}

// --- internal ---

/** The same port each time, as long as one dashboard is open; any that is free where all of these are in use. */
const PORTS = Array.from({ length: 20 }, (_, index) => 4400 + index);

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
