/**
 * Properties of a pipeline: invariants that hold whatever reviewers, tasks, checks and people do.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import { rehearseUnnoted, type RehearsedRun } from '../rehearsal/rehearse.ts';
import type { Trace } from '../rehearsal/trace.ts';
import { requireCount, requireOptions } from '../rehearsal/script-problems.ts';
import { DECISIONS, PEOPLE, storyScript, TASKS, type StorySteps, type Story } from './story.ts';
import { drawStory, linesOf } from './told-story.ts';

/** Options of {@link pipelineProperty}. */
export interface PropertyOptions<O = unknown, I = unknown> extends Omit<StorySteps, 'input'> {
  /** Throws, rejects, or returns false if a run is wrong. @default every run ends */
  readonly invariant?: ((run: RehearsedRun<O>) => unknown) | undefined;
  /** Number of runs. @default 100 */
  readonly runs?: number | undefined;
  /** Determines the runs. @default a new one, which a failure states */
  readonly seed?: number | undefined;
  /** The place of a failure among the runs of a seed, as it states it. Only that run is repeated. @default all runs */
  readonly path?: string | undefined;
  /** True if tasks and reviewers may fail. @default true */
  readonly failures?: boolean | undefined;
  /** True if the process may die. @default true */
  readonly crashes?: boolean | undefined;
  /** The input of the runs. @default a sample of the pipeline's input schema */
  readonly input?: I | undefined;
}

/** The error of a property that does not hold, with the shortest story that shows it. */
export class PropertyError extends PhasegateError {
  readonly seed: number;
  readonly path: string;
  /** The run as JSON, if it came to an end: `rehearse(pipeline, trace)` replays it. */
  readonly trace: Trace | undefined;
  /** The decisions as a Mermaid flowchart, if the run came to an end. */
  readonly mermaid: string | undefined;

  constructor(
    problem: string,
    found: Pick<PropertyError, 'seed' | 'path' | 'trace' | 'mermaid'> & { readonly cause: unknown },
  ) {
    const { seed, path, trace, mermaid, cause } = found;
    super('PROPERTY_BROKEN', problem, { hint: `Repeat it with { seed: ${seed}, path: '${path}' }.`, cause });
    this.seed = seed;
    this.path = path;
    this.trace = trace;
    this.mermaid = mermaid;
  }
}

/**
 * Rehearses a pipeline again and again with random reviewers, tasks, checks, people, times and crashes. Every run has to end, and the
 * invariant has to hold. A failure is reduced to the shortest story: few decisions, approvals, no failures, no times, no crashes.
 *
 * It needs the package `fast-check`, 4 or later.
 *
 * @throws PropertyError `PROPERTY_BROKEN` with the story; PhasegateError `PACKAGE_MISSING`; `SCRIPT_INVALID` as `rehearse` does, and for
 *   unknown options; RangeError for options out of range.
 *
 * @example
 * ```ts
 * await pipelineProperty(pipeline, {
 *   invariant: ({ result }) => assert(result.status !== 'completed' || result.outputs.release.ship === 'tested'),
 * });
 * ```
 */
export async function pipelineProperty<O, I>(
  pipeline: Pipeline<O, I>,
  options: PropertyOptions<O, I> = {},
): Promise<void> {
  requireOptions('try a property', options, OPTIONS);
  const { invariant, runs = 100, seed, path, failures = true, crashes = true, ...own } = options;
  requireCount('runs', runs);
  if (invariant !== undefined && typeof invariant !== 'function')
    throw new RangeError('Cannot try a property as its invariant is no function');
  if (path !== undefined && seed === undefined)
    throw new RangeError('Cannot repeat a run by its path alone: pass the seed, too');
  const fc = await loadFastCheck();
  const play = (story: Story): Promise<RehearsedRun<O>> =>
    rehearseUnnoted<O, unknown>(pipeline, storyScript(pipeline, story, own));
  // A script that does not fit the pipeline is no failure of the property.
  await play(PLAIN);
  const listOf = <T>(one: import('fast-check').Arbitrary<T>, most = MOST_CHOICES) => fc.array(one, { maxLength: most });
  const stories = fc.record({
    decisions: listOf(fc.constantFrom(...(failures ? DECISIONS : DECISIONS.slice(0, -1)))),
    tasks: failures ? listOf(fc.constantFrom(...TASKS)) : listOf(fc.constantFrom('done' as const, 'same' as const)),
    checks: listOf(fc.boolean().map((isFailing) => !isFailing)),
    people: listOf(fc.constantFrom(...PEOPLE)),
    times: listOf(fc.nat(LONGEST)),
    targets: listOf(fc.nat(MOST_CHOICES)),
    crashes: crashes ? listOf(fc.nat(MOST_CHOICES), 2) : fc.constant([]),
    losses: crashes ? listOf(fc.nat(MOST_CHOICES), 2) : fc.constant([]),
  });
  const holds = fc.asyncProperty(stories, async (story) => {
    const run = await play(story);
    if ((await invariant?.(run)) === false) throw new Error('the invariant is false');
  });
  const found = await fc.check(holds, {
    numRuns: runs,
    ...(seed !== undefined && { seed }),
    ...(path !== undefined && { path }),
  });
  if (!found.failed) return;
  throw await brokenBy(pipeline.name, found, play);
}

// --- internal ---

const OPTIONS = 'invariant runs seed path failures crashes input tasks reviews checks reflections people'.split(' ');

/** Most choices of one kind in a story. */
const MOST_CHOICES = 40;

/** Longest call, in virtual milliseconds. */
const LONGEST = 60_000;

const PLAIN: Story = {
  decisions: [],
  tasks: [],
  checks: [],
  people: [],
  times: [],
  targets: [],
  crashes: [],
  losses: [],
};

interface Found {
  readonly seed: number;
  readonly numRuns: number;
  readonly counterexample: readonly Story[] | null;
  readonly counterexamplePath: string | null;
  readonly errorInstance?: unknown;
}

/** Replays the shortest story for its trace. */
async function brokenBy(
  pipeline: string,
  { seed, counterexample, counterexamplePath, errorInstance, numRuns }: Found,
  play: (story: Story) => Promise<RehearsedRun>,
): Promise<PropertyError> {
  const story = counterexample?.[0] ?? PLAIN;
  const ended = await play(story).catch(() => undefined);
  const lines = ended ? linesOf(ended.records) : [`The choices were ${JSON.stringify(story)}`];
  return new PropertyError(
    `Cannot confirm the property of pipeline "${pipeline}", which run ${numRuns} breaks: ${errorInfo(errorInstance).message}\n${lines.map((line) => `  ${line}`).join('\n')}`,
    {
      seed,
      path: counterexamplePath ?? '',
      trace: ended?.trace,
      mermaid: ended && drawStory(ended.records),
      cause: errorInstance,
    },
  );
}

async function loadFastCheck(): Promise<typeof import('fast-check')> {
  try {
    return await import('fast-check');
  } catch (cause) {
    throw new PhasegateError('PACKAGE_MISSING', 'Cannot try random runs as the package "fast-check" is not installed', {
      hint: 'Run `npm install --save-dev fast-check@4`.',
      cause,
    });
  }
}
