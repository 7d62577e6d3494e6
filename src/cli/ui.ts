/**
 * `phasegate ui`.
 *
 * @module
 */
import { serveDashboard, type Dashboard } from '../server/serve.ts';
import { PhasegateError } from '../model/errors.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { goneHolder, thisHolder } from './holder.ts';
import { interrupted } from './interrupt.ts';
import { harmless } from './show/harmless.ts';
import { openStore, type OpenStore, type StoreFlags } from './store-option.ts';
import { actionsOn } from './ui-actions.ts';
import { userName } from './user-name.ts';

/** What `phasegate ui` takes. */
export interface UiFlags extends StoreFlags {
  /** @default the first of {@link FIRST_PORT} and those after it that is free */
  readonly port?: number | undefined;
  /** Whether nothing can be answered or changed. @default false */
  readonly readOnly?: boolean | undefined;
}

/** Serves the dashboard until it is interrupted. */
export async function serveUi(flags: UiFlags): Promise<ExitCode> {
  const kept = openStore(flags, flags.readOnly ? 'read' : 'write');
  try {
    const dashboard = await serveKept(kept, flags);
    const over = interrupted();
    process.stdout.write(`dashboard: ${dashboard.url}\n`);
    if (process.stdout.isTTY) process.stderr.write('Ctrl-C ends it; runs that it has started go on.\n');
    await over;
    await dashboard.close();
    return exitCode.completed;
  } finally {
    await kept.store.close();
  }
}

/** Serves the dashboard of a store that is open, beside what else this process does. */
export async function serveKept(
  kept: OpenStore,
  { port, readOnly = false }: Pick<UiFlags, 'port' | 'readOnly'> = {},
): Promise<Dashboard> {
  const options = {
    storeName: kept.file,
    readOnly,
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

/** The same port each time, as long as one dashboard is open: a window that was left open finds it again. */
const FIRST_PORT = 4400;
const LAST_PORT = 4419;

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
