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
    // It comes from the same machine, and a test bounds it.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // "use client" is for frameworks that render on servers.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
  worker: { format: 'es' },
});
