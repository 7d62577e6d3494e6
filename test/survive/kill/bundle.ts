/**
 * Bundles the child process into one file, so that it starts quickly.
 *
 * @module
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Creates a folder within the project, as the bundle loads its external packages from there. */
export function makeFolder(): string {
  const root = fileURLToPath(new URL('../../../out/', import.meta.url));
  mkdirSync(root, { recursive: true });
  return mkdtempSync(join(root, 'kill-sweep-'));
}

/** @param source The program. @default the process of the kill sweep @returns The path of the bundle. */
export async function bundle(folder: string, source = new URL('child.ts', import.meta.url)): Promise<string> {
  const file = fileURLToPath(source);
  await build({
    logLevel: 'error',
    configFile: false,
    build: { ssr: file, outDir: folder, minify: false },
    ssr: { noExternal: true },
  });
  return join(folder, basename(file).replace(/ts$/u, 'js'));
}
