/**
 * The dashboard beside a run.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { OpenStore } from '../options/store-option.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import type { SideServer } from './side-server.ts';

/**
 * Serves the dashboard of the store that a run is kept in.
 *
 * @throws PhasegateError `STORE_UNREADABLE` where it is kept in none
 */
export async function dashboardBeside(kept: OpenStore | undefined, io: ProgramIo): Promise<SideServer> {
  if (!kept) {
    throw new PhasegateError('STORE_UNREADABLE', 'Cannot show the run in the dashboard as it is not kept', {
      hint: 'Name a file for it with --store, or leave --ui out.',
    });
  }
  const { serveKept } = await import('../dashboard/serve-store.ts');
  const { url, close } = await serveKept(kept, { unref: true }, io);
  return {
    begun: `dashboard: ${url}`,
    goesOn: `The dashboard is there until Ctrl-C: ${url}`,
    close: (farewell) => close(farewell ? { farewellMs: FAREWELL_MS } : {}),
  };
}

// --- internal ---

/** Milliseconds for which a run that is over keeps the process for pages that are open. Commonly they need one second. */
const FAREWELL_MS = 5000;
