/**
 * A run that is inspected while it goes on, and for as long as somebody looks at it on a terminal.
 *
 * @module
 */
import type { InspectorServer } from '../../inspect/serve.ts';
import type { ProgramIo } from '../terminal/program-io.ts';
import type { SideServer } from './side-server.ts';

/** How a run is inspected. */
export interface InspectFlags {
  /** The port that it is served on, 0 for any; `undefined` where it is not inspected. */
  readonly inspect?: number | undefined;
}

/** A run that is inspected. */
export interface Inspection extends Pick<InspectorServer, 'inspect'>, SideServer {}

/** Serves runs where that is asked for, and says where. */
export async function openInspection({ inspect: port }: InspectFlags, io: ProgramIo): Promise<Inspection | undefined> {
  if (port === undefined) return undefined;
  const { serveInspector } = await import('../../inspect/serve.ts');
  const server = await serveInspector({ port, unref: true });
  io.stderr.write(`Inspect the run at ${server.url}\n`);
  return {
    inspect: server.inspect,
    goesOn: `The run can be inspected until Ctrl-C, at ${server.url}`,
    close: () => server.close(),
  };
}
