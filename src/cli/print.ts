/**
 * Writing much to standard output, no faster than it is read.
 *
 * @module
 */

/** Writes, and resolves when it is written: to whether somebody still reads. */
export function print(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(!error));
  });
}
