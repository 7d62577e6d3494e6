/**
 * How the library and its command line are built: the code of all entries in a few files that they share, as a process that opens
 * hundreds of files starts slowly. Packages that it depends on stay what they are.
 *
 * `vite build --config scripts/library.config.ts --outDir …`.
 *
 * @module
 */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { entryFiles } from './entries.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Modules of which bundles for browsers take one function: beside others, schemas that are made when they are loaded would come along. */
const ALONE = ['model/decision/decision-text'];

/** What is built, as it is called below `src` and below `dist`. */
const NAMES = [...entryFiles('default').map((file) => file.replace('.js', '')), 'cli/main', ...ALONE];

export default defineConfig({
  root,
  publicDir: false,
  build: {
    // As Node takes them: nothing is renamed, so that stacks can be read.
    ssr: true,
    target: 'es2022',
    minify: false,
    emptyOutDir: false,
    rolldownOptions: {
      input: Object.fromEntries(NAMES.map((name) => [name, `src/${name}.ts`])),
      // The declarations have the documentation.
      output: { comments: { legal: true, annotation: true, jsdoc: false }, chunkFileNames: 'shared/[name].js' },
    },
  },
});
