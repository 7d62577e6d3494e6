import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Examples name the package as a user does; under test they get its source, not a stale build.
    alias: [
      { find: /^phasegate$/, replacement: source('index.ts') },
      { find: /^phasegate\/inspect$/, replacement: source('inspect.ts') },
      { find: /^phasegate\/dashboard$/, replacement: source('dashboard.ts') },
      { find: /^phasegate\/node$/, replacement: source('node.ts') },
      { find: /^phasegate\/openai$/, replacement: source('openai.ts') },
      { find: /^phasegate\/otel$/, replacement: source('otel.ts') },
      { find: /^phasegate\/store$/, replacement: source('store.ts') },
      { find: /^phasegate\/testing$/, replacement: source('testing.ts') },
      { find: /^phasegate\/visualizations$/, replacement: source('visualizations.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Machines that test many files at once are slow.
    expect: { poll: { timeout: 60_000 } },
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'html'] },
  },
});
