import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const TESTS = 'test/**/*.test.ts';

/** Tests with a browser. */
const BROWSER = ['test/browser/**/*.test.ts'];

/** What takes long: proofs, all ways or pairs of something, large runs, and random scenarios, of which `npm run test:deep` tries more. */
const PROPERTY = [
  'test/patterns/**/*.test.ts',
  'test/{large,phase.model,replay,several-reviewers}.test.ts',
  'test/property/**/*.test.ts',
  'test/store/{damage,model}.test.ts',
  'test/survive/{again,commands,slow,suspend}.test.ts',
];

/** Processes on stores that are harmed: few runs in the whole gate, and hundreds by `npm run test:engines`. */
const ENGINES = 'test/engines/**/*.test.ts';

/** Tests that start processes, listen on ports, or read what is built. */
const PROCESS = [
  'test/{build,bundlers,command,command-check,commonjs,declarations,docs,git-checks,hovers,one-answer,package,pictures,run-ids,yaml-workspaces}.test.ts',
  'test/agents/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/dashboard/bundle.test.ts',
  ENGINES,
  'test/examples/**/*.test.ts',
  'test/fleet/{asks,attempts,child,compile,every,folders,gate,interrupted,plan-goal,rewind,rework,start,states,tree,user}*.test.ts',
  'test/inspect/**/*.test.ts',
  'test/openai/**/*.test.ts',
  'test/postgres/{faults,open,scaling}.test.ts',
  'test/restate/{children,conformance,kill,limits,runs}.test.ts',
  'test/server/**/*.test.ts',
  'test/store/{backup,broken,compact,erase,processes,sqlite,threads}.test.ts',
  'test/survive/**/*.test.ts',
  'test/workspaces/**/*.test.ts',
];

/** Simulated runs on stores that fail: few of them are fast, and `npm run test:deep` simulates thousands. */
const SIMULATOR = ['test/simulator/**/*.test.ts'];

/**
 * All files; those of `npm run test:fast` or `npm run test:engines`; or those of `npm run test:deep`, with how many scenarios each property is tried on, and how many
 * runs are simulated.
 */
function filesOf(mode: string): {
  readonly include: string[];
  readonly exclude?: string[];
  readonly env?: Record<string, string>;
} {
  if (mode === 'deep') {
    const env = { PHASEGATE_SCENARIOS: '300', PHASEGATE_SIMULATED_RUNS: '10000' };
    return { include: [...SIMULATOR, ...PROPERTY], env };
  }
  if (mode === 'engines') return { include: [ENGINES], env: { PHASEGATE_ENGINES: '200' } };
  return mode === 'fast' ? { include: [TESTS], exclude: [...BROWSER, ...PROPERTY, ...PROCESS] } : { include: [TESTS] };
}

/** Small files of long tests. Vitest begins with the largest files, and would end with one of these alone. */
const LONG =
  /test\/(?:build|large|docs|journals|patterns\/patterns|cli\/ui|server\/(?:connections|records|starts)|store\/processes|survive\/(?:again|commands|kill|stop))\.test\.ts$/u;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- that of Vitest makes an array of its own
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig(({ mode }) => ({
  resolve: {
    // Examples name the package as a user does; under test they get its source, not a stale build.
    tsconfigPaths: true,
  },
  test: {
    ...filesOf(mode),
    // Files of one worker share their modules: to load them costs more than most tests take.
    isolate: false,
    setupFiles: ['test/seeds.ts'],
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A test that takes longer hangs. Machines that test many files at once are slow.
    expect: { poll: { timeout: 60_000 } },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'html'] },
  },
}));
