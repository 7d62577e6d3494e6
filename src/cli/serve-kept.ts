/**
 * The dashboard of a store that the command line has opened.
 *
 * @module
 */
import { PhasegateError } from '../model/errors.ts';
import { serveDashboard, type Dashboard } from '../server/serve.ts';
import { goneHolder, thisHolder } from './holder.ts';
import { sessionSecret } from './session-secret.ts';
import { harmless } from './show/harmless.ts';
import type { OpenStore } from './store-option.ts';
import { actionsOn } from './ui-actions.ts';
import { userName } from './user-name.ts';

/** How to serve it. */
export interface ServeOptions {
  /** @default the first from 4400 that is free */
  readonly port?: number | undefined;
  /** Whether nothing can be answered or changed. @default false */
  readonly readOnly?: boolean | undefined;
  /** Whether the process may end while it is served. @default false */
  readonly unref?: boolean | undefined;
}

/** Serves the dashboard of a store. */
export async function serveKept(
  kept: OpenStore,
  { port, readOnly = false, unref = false }: ServeOptions = {},
): Promise<Dashboard> {
  const options = {
    storeName: kept.file,
    readOnly,
    unref,
    session: sessionSecret(kept.file),
    user: userName(),
    actions: actionsOn(kept),
    isGone: goneHolder,
    holder: thisHolder(),
    onError: (thrown: unknown) => process.stderr.write(`phasegate: ${harmless(textOf(thrown))}\n`),
  };
  for (let next = port ?? FIRST_PORT; ; next += 1) {
    try {
      return await serveDashboard(kept.store, { ...options, port: next });
    } catch (thrown) {
      const isTaken = PhasegateError.is(thrown) && thrown.code === 'PORT_UNUSABLE';
      if (!isTaken || port !== undefined || next === LAST_PORT) throw thrown;
    }
  }
}

// --- internal ---

/** The same port each time, as long as one dashboard is open. */
const FIRST_PORT = 4400;
const LAST_PORT = 4419;

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
