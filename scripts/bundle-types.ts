/**
 * Bundling of declarations. The compiler writes a file for every module, with all that other modules import. Users can reach a part of
 * them, in fewer files.
 *
 * @module
 */
import { isAbsolute, join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { entryNames } from './entries.ts';

/** Writes the declarations of the entries into a folder. @param from The folder in which those of all modules are. */
export async function bundleTypes(from: string, to: string): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(entryNames().map((name) => [name, join(from, `${name}.d.ts`)])),
    plugins: [dts({ dtsInput: true })],
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    // A slow machine would print the times of plugins as a warning.
    checks: { bundlerTimings: false },
    // Module paths in comments would be those of a temporary folder.
    experimental: { attachDebugInfo: 'none' },
  });
  await bundle.write({
    dir: to,
    entryFileNames: '[name].ts',
    chunkFileNames: 'shared/[name].ts',
    minifyInternalExports: false,
  });
  await bundle.close();
}
