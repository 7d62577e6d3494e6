/**
 * Build configuration of the library and its command line. The entries share a few files, as a process that opens hundreds of
 * files starts slowly. Most dependencies are not bundled.
 *
 * `vite build --config scripts/library.config.ts --outDir …`.
 *
 * @module
 */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { BUNDLED, bundledFile } from './bundled.ts';
import { entryNames } from './entries.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Modules with their own file. Bundles for browsers take one function of them, without the schemas of modules in a shared file. */
const ALONE = ['model/decision/decision-text'];

/** The built modules, with the same name below `src` and `dist`. */
const NAMES = [...entryNames(), 'cli/main', ...ALONE];

export default defineConfig({
  root,
  publicDir: false,
  ssr: { noExternal: [...BUNDLED] },
  build: {
    // Builds for Node without renaming, so that stacks are readable.
    ssr: true,
    target: 'es2022',
    minify: false,
    emptyOutDir: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      // The core runs in browsers, so the helpers of the bundler must not import a module of Node.
      platform: 'neutral',
      // Entries export nothing that only other files of the package import.
      preserveEntrySignatures: 'strict',
      input: Object.fromEntries(NAMES.map((name) => [name, `src/${name}.ts`])),
      output: {
        // The declarations contain the doc comments.
        comments: { legal: true, annotation: true, jsdoc: false },
        chunkFileNames: 'shared/[name].js',
        codeSplitting: { groups: [{ name: bundledFile, debugName: 'bundled' }] },
      },
    },
  },
});
