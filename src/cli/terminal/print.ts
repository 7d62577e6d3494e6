/**
 * Output of large texts no faster than the reader takes them.
 *
 * @module
 */
import type { ProgramIo } from './program-io.ts';

/** Writes a text and resolves when it is written. @returns True if somebody still reads the output. */
export function print(text: string, { stdout }: Pick<ProgramIo, 'stdout'>): Promise<boolean> {
  return new Promise((resolve) => {
    stdout.write(text, (error) => resolve(!error));
  });
}
