/**
 * The inspector server next to a run, and after it until Ctrl-C on a terminal.
 *
 * @module
 */
import type { InspectorServer } from '../../inspect/serve.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import type { SideServer } from './side-server.ts';

/** Flags for the inspection of a run. */
export interface InspectFlags {
  /** The port of the inspector, 0 for any free port; `undefined` for no inspection. */
  readonly inspect?: number | undefined;
}

/** An inspector server for a run. */
export interface Inspection extends Pick<InspectorServer, 'inspect'>, SideServer {}

/** Starts the inspector if the flag is given, and prints its address on standard error. */
export async function openInspection({ inspect: port }: InspectFlags, io: ProgramIo): Promise<Inspection | undefined> {
  if (port === undefined) return undefined;
  const { serveInspector } = await import('../../inspect/serve.ts');
  const server = await serveInspector({ port, unref: true });
  io.stderr.write(`Inspect the run at ${server.url}\n`);
  return {
    inspect: server.inspect,
    openLine: `The inspector stays open until Ctrl-C: ${server.url}`,
    close: () => server.close(),
  };
}
