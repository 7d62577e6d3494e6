/**
 * `phasegate ui`.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { loadToStart } from '../run/load-to-start.ts';
import { serveStore } from '../dashboard/serve-store.ts';
import { openStore, openStoreToRun, type OpenStore, type StoreFlags } from '../options/store-option.ts';
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

/**
 * Serves the dashboard until the process is interrupted.
 *
 * @param files Pipelines of which users can start runs. With any, a missing store is created.
 */
export async function serveUi(files: readonly string[], flags: UiFlags, io: ProgramIo): Promise<ExitCode> {
  if (flags.readOnly && files.length > 0) throw readOnlyStarts();
  const loaded = await loadToStart(files, io);
  const opened = open(files, flags, io);
  try {
    const dashboard = await serveStore(opened, { ...flags, pipelines: loaded.map((one) => one(opened)) }, io);
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

// --- internal ---

function open(files: readonly string[], flags: UiFlags, io: ProgramIo): OpenStore {
  const created = files.length > 0 ? openStoreToRun(flags, io) : undefined;
  return created ?? openStore(flags, flags.readOnly ? 'read' : 'write', io);
}

function readOnlyStarts(): PhasegateError {
  const problem = 'Cannot serve pipelines in a read-only dashboard as it starts no runs';
  return new PhasegateError('INPUT_INVALID', problem, { hint: 'Leave out --read-only, or the pipelines.' });
}
