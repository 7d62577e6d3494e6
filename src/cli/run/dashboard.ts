/**
 * The dashboard next to a run.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { OpenStore } from '../options/store-option.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import type { SideServer } from './side-server.ts';

/**
 * Serves the dashboard of the store that a run is in.
 *
 * @throws PhasegateError `STORE_UNREADABLE` if the run is not stored.
 */
export async function dashboardNextTo(opened: OpenStore | undefined, io: ProgramIo): Promise<SideServer> {
  if (!opened) {
    throw new PhasegateError('STORE_UNREADABLE', 'Cannot show the run in the dashboard as it is not stored', {
      hint: 'Name a file for it with --store, or leave --ui out.',
    });
  }
  const { serveStore } = await import('../dashboard/serve-store.ts');
  const { url, close } = await serveStore(opened, { unref: true }, io);
  return {
    startLine: `dashboard: ${url}`,
    openLine: `The dashboard stays open until Ctrl-C: ${url}`,
    close: (farewell) => close(farewell ? { farewellMs: FAREWELL_MS } : {}),
  };
}

// --- internal ---

/** The most milliseconds that the process waits after the run, so that open pages load its end. Usually they need one second. */
const FAREWELL_MS = 5000;
