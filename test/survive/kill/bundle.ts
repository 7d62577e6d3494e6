/**
 * Bundles the child process into one file, so that it starts quickly.
 *
 * @module
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Creates a folder within the project, as the bundle loads its external packages from there. */
export function makeFolder(): string {
  const root = fileURLToPath(new URL('../../../out/', import.meta.url));
  mkdirSync(root, { recursive: true });
  return mkdtempSync(join(root, 'kill-sweep-'));
}

/** @returns The path of the program. */
export async function bundle(folder: string): Promise<string> {
  await build({
    logLevel: 'error',
    configFile: false,
    build: { ssr: fileURLToPath(new URL('child.ts', import.meta.url)), outDir: folder, minify: false },
    ssr: { noExternal: true },
  });
  return join(folder, 'child.js');
}
