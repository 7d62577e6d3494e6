/**
 * How the dashboard is built: `vite build visualizations/dashboard --outDir …`.
 *
 * @module
 */
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    target: 'es2022',
    emptyOutDir: true,
    // Nothing is inlined: the policy of the page allows no data: scripts, and its sources are readable in the repository.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: 'es' },
});
