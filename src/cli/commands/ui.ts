/**
 * `phasegate ui`.
 *
 * @module
 */
import { serveStore } from '../dashboard/serve-store.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { interrupted } from '../process/interrupt.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Flags of `phasegate ui`. */
export interface UiFlags extends StoreFlags {
  /** The port. @default the first free one from 4400 to 4419, else any free port */
  readonly port?: number | undefined;
  /** True to allow no answers and no changes. @default false */
  readonly readOnly?: boolean | undefined;
}

/** Serves the dashboard until the process is interrupted. */
export async function serveUi(flags: UiFlags, io: ProgramIo): Promise<ExitCode> {
  const opened = openStore(flags, flags.readOnly ? 'read' : 'write', io);
  try {
    const dashboard = await serveStore(opened, flags, io);
    const over = interrupted();
    io.stdout.write(`dashboard: ${dashboard.url}\n`);
    if (io.stdout.isTTY) io.stderr.write('Ctrl-C closes it; runs that it has started continue.\n');
    await over;
    await dashboard.close();
    return exitCode.completed;
  } finally {
    await opened.store.close();
  }
}
