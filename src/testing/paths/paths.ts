/**
 * Generated paths of a pipeline.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { nearest } from '../../model/values/nearest.ts';
import { checkPipeline } from '../../runtime/run.ts';
import { sample } from '../rehearsal/sample.ts';
import { allPaths, countPaths } from './count.ts';
import { COVERS, findCover, type CoverKind } from './cover.ts';
import { DECISION_KINDS, type DecisionKind } from '../decisions/decision.ts';
import { requireKnown } from './known.ts';
import { requireTasks, type OwnSteps } from './own-steps.ts';
import { pathOf, type PipelinePath } from './path.ts';
import { shuffled } from './shuffled.ts';
import { settingOf, type Setting } from '../decisions/setting.ts';
import { begin } from '../decisions/step.ts';
import { noRoom, tooMany, tooManyInAll } from './too-many.ts';

/** Options of {@link paths}. */
export interface PathsOptions<I = unknown> {
  /**
   * The targets that the paths reach together:
   *
   * - `transitions`: the phases, rows, checks and ends that `coverageOf` asks for;
   * - `pairs`: these, and each two rows that can follow each other;
   * - `limits`: the limits of the plan that decisions can reach;
   * - `bounds`: the bounds of `analyze`, by gates that press on;
   * - `people`: each decision of a person on each phase, and questions that expire;
   * - `all`: all paths there are.
   */
  readonly cover: CoverKind | 'all';
  /** The decisions that paths have. Gates can always approve. @default all */
  readonly decisions?: readonly DecisionKind[] | undefined;
  /** Most paths. More are an error. @default 200 */
  readonly maxPaths?: number | undefined;
  /** Most decisions of one path, those of phases without a gate included. @default 500 */
  readonly maxSteps?: number | undefined;
  /** Another seed has phases that work side by side decide in another order. @default the order of the plan */
  readonly seed?: number | undefined;
  /** The input of the runs. @default a sample of the pipeline's input schema */
  readonly input?: I | undefined;
  /** Steps of tasks whose schemas have no samples, as in a script. All outputs have to differ. @default samples */
  readonly tasks?: OwnSteps['tasks'];
}

/** Paths, and what they leave out. */
export interface Paths extends ReadonlyArray<PipelinePath> {
  /** Targets that the plan asks for and that no path reaches: by other means only, such as usage, or not within the options. */
  readonly missed: readonly string[];
}

/**
 * Makes paths through the decisions of a pipeline, for `test.for` of vitest or a loop. Synchronous and deterministic: the same pipeline
 * and options give the same paths. They come from a model of the rules, not from a run, so a rehearsal can be compared with them.
 *
 * @throws PhasegateError `PATHS_TOO_MANY` if there are more than `maxPaths`, or a run needs more than `maxSteps`; `PATHS_UNKNOWN` if the
 *   pipeline has a part that paths do not know; `SCRIPT_INVALID` if `tasks` names no task, or the input has no sample.
 * @throws RangeError if an option is wrong.
 *
 * @example
 * ```ts
 * test.for(paths(pipeline, { cover: 'transitions' }))('$name', async (path) => {
 *   const run = await rehearse(pipeline, path);
 *   expect(run.result.status).toBe(path.end);
 * });
 * ```
 */
export function paths<O, I>(pipeline: Pipeline<O, I>, options: PathsOptions<I>): Paths {
  checkPipeline(pipeline);
  const { cover, decisions = DECISION_KINDS, seed } = options;
  const maxPaths = countIn('maxPaths', options.maxPaths ?? 200);
  const maxSteps = countIn('maxSteps', options.maxSteps ?? 500);
  requireKind('cover', cover, [...COVERS, 'all']);
  for (const one of decisions) requireKind('decisions', one, DECISION_KINDS);
  const indices = pipeline.plan.phases.map((_, index) => index);
  const setting = settingOf(pipeline, new Set(decisions), seed === undefined ? indices : shuffled(indices, seed));
  const input = options.input ?? (pipeline.work.input && sample(pipeline.work.input));
  const own: OwnSteps = { input, tasks: options.tasks };
  requireTasks(setting, options.tasks ?? {});
  requireKnown(setting, own);
  const { found, missed } = findPaths(setting, cover, maxPaths, maxSteps);
  const start = begin(setting);
  return Object.assign(
    found.map((one) => pathOf(setting, start, one, own)),
    { missed },
  );
}

// --- internal ---

function findPaths(setting: Setting, cover: CoverKind | 'all', maxPaths: number, maxSteps: number) {
  if (setting.seats.length > maxSteps) throw noRoom(setting, maxSteps);
  if (cover === 'all') {
    const count = countPaths(setting);
    if (!count.isExact || count.paths > BigInt(maxPaths)) throw tooManyInAll(setting, count, maxPaths, maxSteps);
    const found = allPaths(setting, maxSteps);
    if (found.length < Number(count.paths)) throw noRoom(setting, maxSteps);
    return { found: found.map((moves) => ({ moves, targets: [] })), missed: [] };
  }
  const found = findCover(setting, cover, maxSteps, maxPaths);
  if (found.paths.length > maxPaths) throw tooMany(setting, cover, maxPaths, maxSteps);
  return { found: found.paths, missed: found.missed };
}

function countIn(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new RangeError(`Cannot make paths with ${name}: ${String(value)}: pass a whole number from 1`);
}

function requireKind(option: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  const close = nearest(String(value), known);
  const hint = close === undefined ? `use ${known.map((one) => `'${one}'`).join(', ')}` : `did you mean '${close}'?`;
  throw new RangeError(`Cannot make paths with ${option}: '${String(value)}': ${hint}`);
}
