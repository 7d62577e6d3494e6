/**
 * Bounds of a pipeline, compared with rehearsals that press on.
 *
 * @module
 */
import { analyze, type PhaseBound } from '../../model/analysis/analyze.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { peopleIn } from '../../model/definition/people.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { RunRecord } from '../../model/events/event.ts';
import { checkPipeline } from '../../runtime/run.ts';
import { rehearseUnnoted } from '../rehearsal/rehearse.ts';
import { requireCount, requireOptions } from '../rehearsal/script-problems.ts';
import { mannersOf, OWN_STEPS, pressingScript, type PressingSteps } from './pressing.ts';

/** Options of {@link expectBounds}. */
export interface BoundsOptions<I = unknown> extends Omit<PressingSteps, 'input'> {
  /** The input of the runs. @default a sample of the pipeline's input schema */
  readonly input?: I | undefined;
  /** Most rehearsals. @default all ways to press on: 32, and two for each gate */
  readonly tries?: number | undefined;
}

/** A bound, and the most that a rehearsal has reached of it. */
export interface ReachedBound {
  readonly phase: string;
  /** Executions of all its tasks, or reviews of one attempt after the other. */
  readonly of: 'attempts' | 'reviews';
  readonly bound: number;
  readonly most: number;
}

/** Bounds of a pipeline, with what rehearsals have reached. */
export interface BoundsReport {
  /** All bounds, in the order of the phases. */
  readonly bounds: readonly ReachedBound[];
  /** Those that no rehearsal has reached. That is no fault: other orders or durations may reach them, or none. */
  readonly notReached: readonly ReachedBound[];
  /** The number of rehearsals. */
  readonly tries: number;
  /** A table for a terminal. */
  toString(): string;
}

/**
 * Rehearses a pipeline with gates that press on: they spend all retries and rewinds before they approve. Rehearsals differ in the order of
 * demands, and in the durations of the phases. They stop once every bound of `analyze` is reached.
 *
 * Tasks return samples of their schemas. Give own steps for tasks whose schemas have no samples.
 *
 * @throws PhasegateError `BOUND_EXCEEDED` with a table if a run exceeds a bound, or a phase has none; `SCRIPT_INVALID` as `rehearse` does.
 *
 * @example
 * ```ts
 * const { notReached } = await expectBounds(pipeline);
 * ```
 */
export async function expectBounds<O, I>(
  pipeline: Pipeline<O, I>,
  options: BoundsOptions<I> = {},
): Promise<BoundsReport> {
  checkPipeline(pipeline);
  requireOptions('press the bounds', options, [...OWN_STEPS, 'tries']);
  return pressBounds(pipeline, options, () => undefined);
}

/** As {@link expectBounds}. @param onRun Called with the records of each rehearsal. */
export async function pressBounds<O, I>(
  pipeline: Pipeline<O, I>,
  { tries: most = Infinity, ...own }: BoundsOptions,
  onRun: (records: readonly RunRecord[]) => void,
): Promise<BoundsReport> {
  requireCount('tries', most);
  let bounds = requireBounds(pipeline);
  const byPeople = gatesOfPeople(pipeline);
  let tries = 0;
  for (const manner of mannersOf(pipeline.plan).slice(0, most)) {
    const { records } = await rehearseUnnoted<O, unknown>(pipeline, pressingScript(pipeline, manner, own));
    tries += 1;
    onRun(records);
    bounds = bounds.map((one) => ({ ...one, most: Math.max(one.most, countOf(one, records, byPeople)) }));
    const report = new Report(bounds, tries);
    if (bounds.some((one) => one.most > one.bound)) throw outOfBounds(pipeline.name, report);
    if (report.notReached.length === 0) return report;
  }
  return new Report(bounds, tries);
}

/** Returns the bounds of a pipeline. @throws PhasegateError `BOUND_EXCEEDED` if a phase has none. */
export function requireBounds(pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>): readonly ReachedBound[] {
  const bounds = analyze(pipeline).bounds.flatMap(boundsOf);
  const endless = bounds.filter(({ bound }) => bound === Infinity);
  if (endless.length > 0) throw outOfBounds(pipeline.name, new Report(endless, 0));
  return bounds;
}

// --- internal ---

class Report implements BoundsReport {
  readonly bounds: readonly ReachedBound[];
  readonly notReached: readonly ReachedBound[];
  readonly tries: number;

  constructor(bounds: readonly ReachedBound[], tries: number) {
    this.bounds = bounds;
    this.notReached = bounds.filter(({ bound, most }) => most < bound);
    this.tries = tries;
  }

  toString(): string {
    const rows = this.bounds.map(({ phase, of, bound, most }) => [
      phase,
      of,
      String(bound),
      String(most),
      this.#note(bound, most),
    ]);
    const all = [['phase', '', 'bound', 'seen', ''], ...rows];
    const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
    return all
      .map(([phase = '', of = '', bound = '', most = '', note = '']) =>
        [
          phase.padEnd(widths[0] ?? 0),
          of.padEnd(widths[1] ?? 0),
          bound.padStart(widths[2] ?? 0),
          most.padStart(widths[3] ?? 0),
          note,
        ]
          .join('  ')
          .trimEnd(),
      )
      .join('\n');
  }

  #note(bound: number, most: number): string {
    if (bound === Infinity) return 'no bound';
    if (most > bound) return 'EXCEEDED';
    return most === bound ? '' : `not reached by ${this.tries} ${this.tries === 1 ? 'try' : 'tries'}`;
  }
}

function boundsOf({ phase, attempts, reviews }: PhaseBound): readonly ReachedBound[] {
  const asked = Object.values(reviews);
  return [
    { phase, of: 'attempts', bound: attempts, most: 0 },
    ...(asked.length > 0 ? [{ phase, of: 'reviews' as const, bound: Math.max(...asked), most: 0 }] : []),
  ];
}

/** Returns the phases whose reviewers are all people. A check that throws repeats their review before any of them is asked. */
function gatesOfPeople({ plan, work }: Pick<Pipeline, 'plan' | 'work'>): ReadonlySet<string> {
  const personOf = peopleIn(work);
  const phases = plan.phases.filter(({ name, gate }) => gate?.reviewers.every((one) => personOf(name, one.name)));
  return new Set(phases.map(({ name }) => name));
}

function countOf({ phase, of }: ReachedBound, records: readonly RunRecord[], byPeople: ReadonlySet<string>): number {
  if (of === 'reviews' && byPeople.has(phase)) return asksOf(phase, records);
  const type = of === 'attempts' ? 'phase.started' : 'review.started';
  return records.filter(({ event }) => event.type === type && event.phase === phase).length;
}

/** The number of times that one person was asked to review a phase; of several the most. */
function asksOf(phase: string, records: readonly RunRecord[]): number {
  const times = new Map<string, number>();
  for (const { event } of records)
    if (event.type === 'task.asked' && event.reviewer && event.phase === phase)
      times.set(event.task, (times.get(event.task) ?? 0) + 1);
  return Math.max(0, ...times.values());
}

function outOfBounds(pipeline: string, report: Report): PhasegateError {
  return new PhasegateError(
    'BOUND_EXCEEDED',
    `Cannot confirm the bounds of pipeline "${pipeline}":\n  ${String(report).replaceAll('\n', '\n  ')}`,
    {
      hint: 'Give every gate a limit; phasegate check lists them. A run that exceeds a bound is a fault of phasegate: report it.',
    },
  );
}
