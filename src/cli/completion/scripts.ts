/**
 * Completion scripts for shells. The scripts contain no commands: at each Tab they call `phasegate __complete`.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The script file of each shell, in the folder `completion` of the package. */
const FILES = { bash: 'phasegate.bash', zsh: '_phasegate', fish: 'phasegate.fish' } as const;

/** A shell with a completion script. */
export type Shell = keyof typeof FILES;

/** Reads the script for a shell. */
export function scriptFor(shell: Shell): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve('phasegate/package.json');
  return readFile(join(dirname(manifest), 'completion', FILES[shell]), 'utf8');
}
