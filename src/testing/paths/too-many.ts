/**
 * Errors of paths that are too many, or too long.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { counted } from '../../model/values/counts.ts';
import type { PathCount } from './count.ts';
import { findCover, type CoverKind } from './cover.ts';
import type { Setting } from '../decisions/setting.ts';

/** The error for a cover that needs too many paths. */
export function tooMany(setting: Setting, kind: CoverKind, maxPaths: number, maxSteps: number): PhasegateError {
  const problem = `Cannot make the paths of pipeline "${setting.plan.name}" as cover: '${kind}' needs more than ${maxPaths}, which is maxPaths`;
  return new PhasegateError('PATHS_TOO_MANY', problem, { hint: adviceFor(setting, kind, maxPaths, maxSteps) });
}

/** The error for all paths, if they are too many. */
export function tooManyInAll(
  setting: Setting,
  { paths, isExact, isEndless }: PathCount,
  maxPaths: number,
  maxSteps: number,
): PhasegateError {
  const phases = counted(setting.seats.length, 'phase');
  const count = isExact ? grouped(paths) : `more than ${grouped(paths)}`;
  const have = isEndless ? 'paths without end, as demands without a limit repeat' : `${count} paths`;
  const problem = `Cannot make all paths of pipeline "${setting.plan.name}" as ${phases} have ${have}; maxPaths is ${maxPaths}`;
  return new PhasegateError('PATHS_TOO_MANY', problem, { hint: adviceFor(setting, 'all', maxPaths, maxSteps) });
}

/** The error for paths that do not fit into the most steps. */
export function noRoom({ plan, seats }: Setting, maxSteps: number): PhasegateError {
  const problem = `Cannot make paths of pipeline "${plan.name}" as a path to the end has more than ${maxSteps} decisions`;
  return new PhasegateError('PATHS_TOO_MANY', problem, {
    hint: `Raise maxSteps: each of its ${seats.length} phases decides at least once.`,
  });
}

// --- internal ---

/** Covers by size, the largest first. */
const SMALLER: readonly CoverKind[] = ['pairs', 'transitions', 'bounds'];

function adviceFor(setting: Setting, kind: CoverKind | 'all', maxPaths: number, maxSteps: number): string {
  for (const cover of SMALLER.slice(SMALLER.findIndex((one) => one === kind) + 1)) {
    const { paths, isWhole } = findCover(setting, cover, maxSteps, maxPaths);
    if (isWhole && paths.length > 0 && paths.length <= maxPaths)
      return `Use cover: '${cover}', which needs ${grouped(BigInt(paths.length))}; or fewer decisions.`;
  }
  return 'Raise maxPaths, or use fewer decisions.';
}

/** Writes a number with spaces between its thousands. */
function grouped(count: bigint): string {
  return count.toLocaleString('en-US').replaceAll(',', ' ');
}
