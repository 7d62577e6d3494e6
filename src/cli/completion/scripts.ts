/**
 * Scripts that have shells complete commands. They know no command: at each Tab they ask `phasegate __complete`.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The file for each shell, in the folder `completion` of the package. */
const FILES = { bash: 'phasegate.bash', zsh: '_phasegate', fish: 'phasegate.fish' } as const;

/** A shell that there is a script for. */
export type Shell = keyof typeof FILES;

/** The script for a shell. */
export function scriptFor(shell: Shell): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve('phasegate/package.json');
  return readFile(join(dirname(manifest), 'completion', FILES[shell]), 'utf8');
}
