/**
 * What is served beside a run: while it goes on, and for as long as somebody looks at it on a terminal.
 *
 * @module
 */
import { interrupted } from '../process/interrupt.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Something that is served beside a run. */
export interface SideServer {
  /** Said where the run has begun; `undefined` where that is said already. */
  readonly begun?: string | undefined;
  /** Said where the run is over and a terminal has it go on. */
  readonly goesOn: string;
  /** @param farewell Whether those who look at it are told how it ended before. */
  close(farewell: boolean): Promise<void>;
}

/** Ends what is served beside a run that is over. @param keep Whether a terminal has it go on until Ctrl-C. */
export async function endBeside(all: readonly SideServer[], keep: boolean, io: ProgramIo): Promise<void> {
  const isWatched = keep && io.stdout.isTTY;
  if (isWatched && all.length > 0) {
    // Before it is said that Ctrl-C ends it.
    const over = interrupted();
    io.stderr.write(all.map(({ goesOn }) => `${goesOn}\n`).join(''));
    // Signals alone keep no process awake.
    const awake = setInterval(() => undefined, 60_000);
    await over;
    clearInterval(awake);
  }
  for (const one of all) await one.close(keep && !isWatched);
}
