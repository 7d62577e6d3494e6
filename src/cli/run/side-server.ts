/**
 * Servers next to a run, which stay open after it until Ctrl-C on a terminal.
 *
 * @module
 */
import { interrupted } from '../process/interrupt.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** A server next to a run. */
export interface SideServer {
  /** The line to print when the run has started; `undefined` if it was printed before. */
  readonly startLine?: string | undefined;
  /** The line to print when the run is over and the server stays open. */
  readonly openLine: string;
  /** Closes the server. @param farewell True to let open pages load the end of the run before. */
  close(farewell: boolean): Promise<void>;
}

/** Closes the servers of a run that is over. @param keep True to keep them open until Ctrl-C if standard output is a terminal. */
export async function closeServers(all: readonly SideServer[], keep: boolean, io: ProgramIo): Promise<void> {
  const isWatched = keep && io.stdout.isTTY;
  if (isWatched && all.length > 0) {
    // Listens before the line about Ctrl-C is printed.
    const over = interrupted();
    io.stderr.write(all.map(({ openLine }) => `${openLine}\n`).join(''));
    // Signal handlers alone do not keep the process alive.
    const awake = setInterval(() => undefined, 60_000);
    await over;
    clearInterval(awake);
  }
  for (const one of all) await one.close(keep && !isWatched);
}
