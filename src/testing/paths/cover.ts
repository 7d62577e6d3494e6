/**
 * Covers: sets of paths that together reach all targets of one kind.
 *
 * @module
 */
import type { CoverageEntry } from '../../projections/coverage/coverage-entry.ts';
import { coverageOf } from '../../projections/coverage/coverage.ts';
import { Goal, type GoalKind } from './goal.ts';
import { decisionName } from './path-name.ts';
import { boundNames, pressedWays, reachedBounds } from './press.ts';
import { Search, type FoundPath } from './search.ts';
import type { Setting } from '../decisions/setting.ts';

/** The kinds of covers but `all`. */
export const COVERS = ['transitions', 'pairs', 'limits', 'bounds', 'people'] as const;

/** A kind of cover but `all`. */
export type CoverKind = (typeof COVERS)[number];

/** The paths of a cover, and the targets that the plan asks for and that none of them reaches. */
export interface FoundCover {
  readonly paths: readonly FoundPath[];
  readonly missed: readonly string[];
  /** Steps of the model that the search has taken. */
  readonly steps: number;
  /** False if there are more paths than `most`. */
  readonly isWhole: boolean;
}

/** Finds the paths of a cover. @param most Paths after which the search stops. */
export function findCover(setting: Setting, kind: CoverKind, maxSteps: number, most: number): FoundCover {
  if (kind === 'bounds') return coverBounds(setting, maxSteps);
  const asked = askedFor(setting, kind);
  const goal = new Goal(GOALS[kind], asked);
  const search = new Search(setting, goal, maxSteps);
  const paths: FoundPath[] = [];
  while (paths.length <= most) {
    const found = search.next();
    if (!found) return { paths, missed: goal.left, steps: search.steps, isWhole: true };
    paths.push(found);
  }
  return { paths, missed: goal.left, steps: search.steps, isWhole: false };
}

// --- internal ---

const GOALS: Readonly<Record<Exclude<CoverKind, 'bounds'>, GoalKind>> = {
  transitions: 'entries',
  pairs: 'pairs',
  limits: 'entries',
  people: 'people',
};

function askedFor(setting: Setting, kind: Exclude<CoverKind, 'bounds'>): readonly string[] {
  const { phases, rows, checks, ends, limits } = coverageOf(setting, []);
  const asked = (entries: readonly CoverageEntry[]): readonly string[] =>
    entries.flatMap((one) => (one.asked ? [one.name] : []));
  if (kind === 'limits') return asked(limits);
  if (kind !== 'people') return asked([...phases, ...rows, ...checks, ...limits, ...ends]);
  const byPeople = new Set(
    setting.seats.flatMap(({ name, gate }) => (gate?.deciders.some(({ question }) => question) ? [name] : [])),
  );
  return [
    ...asked(rows.filter(({ phase, decision }) => decision === 'question' || byPeople.has(phase))),
    ...answersToLimits(setting),
  ];
}

/** Names the decisions of people, and of the clock, about limits of usage and time that hold the run. */
function answersToLimits({ plan, seats }: Setting): readonly string[] {
  if (plan.onLimit === 'stop') return [];
  const answers = (['approve', 'reject', 'abort'] as const).map((decision) => ({ by: 'person', decision }) as const);
  const all =
    plan.inbox?.expireAfterMs === undefined ? answers : [...answers, { by: 'clock', decision: 'expire' } as const];
  const limits = new Set(seats.flatMap(({ spends }) => spends));
  return [...limits].flatMap((about) => all.map((one) => decisionName({ about, ...one })));
}

/** The paths on which gates press on, as far as one more reaches a bound. */
function coverBounds(setting: Setting, maxSteps: number): FoundCover {
  const left = new Set(boundNames(setting));
  const paths: FoundPath[] = [];
  let steps = 0;
  for (const moves of pressedWays(setting, maxSteps)) {
    if (left.size === 0) break;
    steps += moves.length;
    const targets = reachedBounds(setting, moves).filter((name) => left.has(name));
    for (const name of targets) left.delete(name);
    if (targets.length > 0) paths.push({ moves, targets });
  }
  return { paths, missed: [...left], steps, isWhole: true };
}
