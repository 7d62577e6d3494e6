/**
 * Writing much to standard output, no faster than it is read.
 *
 * @module
 */
import type { ProgramIo } from './program-io.ts';

/** Writes, and resolves when it is written: to whether somebody still reads. */
export function print(text: string, { stdout }: Pick<ProgramIo, 'stdout'>): Promise<boolean> {
  return new Promise((resolve) => {
    stdout.write(text, (error) => resolve(!error));
  });
}
