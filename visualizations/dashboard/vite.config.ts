/**
 * The build configuration of the dashboard: `vite build visualizations/dashboard --outDir …`.
 *
 * @module
 */
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  // The page may be anywhere in an application.
  base: './',
  build: {
    target: 'es2022',
    emptyOutDir: true,
    // Nothing is inlined, as the content security policy forbids data: scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The server is on the same machine, and a test limits the size.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // The directive "use client" is for frameworks that render on servers.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
  worker: { format: 'es' },
});
