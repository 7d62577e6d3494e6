/**
 * `phasegate ui`.
 *
 * @module
 */
import { serveKept } from '../dashboard/serve-store.ts';
import { openStore, type StoreFlags } from '../options/store-option.ts';
import { exitCode, type ExitCode } from '../process/exit-code.ts';
import { interrupted } from '../process/interrupt.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** What `phasegate ui` takes. */
export interface UiFlags extends StoreFlags {
  /** @default the first from 4400 to 4419 that is free, else any */
  readonly port?: number | undefined;
  /** Whether nothing can be answered or changed. @default false */
  readonly readOnly?: boolean | undefined;
}

/** Serves the dashboard until it is interrupted. */
export async function serveUi(flags: UiFlags, io: ProgramIo): Promise<ExitCode> {
  const kept = openStore(flags, flags.readOnly ? 'read' : 'write', io);
  try {
    const dashboard = await serveKept(kept, flags, io);
    const over = interrupted();
    io.stdout.write(`dashboard: ${dashboard.url}\n`);
    if (io.stdout.isTTY) io.stderr.write('Ctrl-C ends it; runs that it has started go on.\n');
    await over;
    await dashboard.close();
    return exitCode.completed;
  } finally {
    await kept.store.close();
  }
}
