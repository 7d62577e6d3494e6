/**
 * Covers: sets of paths that together reach all targets of one kind.
 *
 * @module
 */
import { coverageOf } from '../../projections/coverage/coverage.ts';
import { limitName } from '../../projections/coverage/coverage-entry.ts';
import { Goal, type GoalKind } from './goal.ts';
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
  // Decisions alone spend no money and no time.
  const outside = asked.filter((name) => USAGE.has(name));
  const goal = new Goal(
    GOALS[kind],
    asked.filter((name) => !USAGE.has(name)),
  );
  const search = new Search(setting, goal, maxSteps);
  const paths: FoundPath[] = [];
  while (paths.length <= most) {
    const found = search.next();
    if (!found) return { paths, missed: [...goal.left, ...outside], steps: search.steps, isWhole: true };
    paths.push(found);
  }
  return { paths, missed: [...goal.left, ...outside], steps: search.steps, isWhole: false };
}

// --- internal ---

const GOALS: Readonly<Record<Exclude<CoverKind, 'bounds'>, GoalKind>> = {
  transitions: 'entries',
  pairs: 'pairs',
  limits: 'entries',
  people: 'people',
};

const USAGE: ReadonlySet<string> = new Set(
  (['tokens', 'costUsd', 'durationMs', 'deadlineMs'] as const).map((name) => limitName({ limit: name })),
);

function askedFor({ plan, seats }: Setting, kind: Exclude<CoverKind, 'bounds'>): readonly string[] {
  const { phases, rows, checks, ends, limits } = coverageOf(plan, []);
  const byPeople = new Set(
    seats.flatMap(({ name, gate }) => (gate?.deciders.some(({ question }) => question) ? [name] : [])),
  );
  const entries =
    kind === 'limits'
      ? limits
      : kind === 'people'
        ? rows.filter(({ phase, decision }) => decision === 'question' || byPeople.has(phase))
        : [...phases, ...rows, ...checks, ...ends];
  return entries.flatMap(({ name, asked }) => (asked ? [name] : []));
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
