import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`src/${path}`, import.meta.url));

const TESTS = 'test/**/*.test.ts';

/** Tests with a browser. */
const BROWSER = ['test/browser/**/*.test.ts'];

/** Large runs, and random scenarios, of which `npm run test:deep` tries more. */
const PROPERTY = [
  'test/{large,replay}.test.ts',
  'test/property/**/*.test.ts',
  'test/store/model.test.ts',
  'test/survive/{again,slow,suspend}.test.ts',
];

/** How many scenarios each property is tried on by `npm run test:deep`. */
const DEEP = { PHASEGATE_SCENARIOS: '300' };

/** Tests that start processes, listen on ports, or read what is built. */
const PROCESS = [
  'test/{build,bundlers,command,command-check,docs,git-checks,hovers,one-answer,package,pictures}.test.ts',
  'test/cli/**/*.test.ts',
  'test/dashboard/bundle.test.ts',
  'test/examples/**/*.test.ts',
  'test/inspect/**/*.test.ts',
  'test/openai/**/*.test.ts',
  'test/server/**/*.test.ts',
  'test/store/{broken,compact,processes,sqlite}.test.ts',
  'test/survive/**/*.test.ts',
];

export default defineConfig(({ mode }) => ({
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
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: [TESTS], exclude: [...BROWSER, ...PROPERTY, ...PROCESS], isolate: false },
      },
      { extends: true, test: { name: 'process', include: PROCESS, exclude: PROPERTY, isolate: false } },
      { extends: true, test: { name: 'browser', include: BROWSER } },
      {
        extends: true,
        test: { name: 'property', include: PROPERTY, env: mode === 'deep' ? DEEP : {}, isolate: false },
      },
    ],
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A test that takes longer hangs. Machines that test many files at once are slow.
    expect: { poll: { timeout: 60_000 } },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'html'] },
  },
}));
