/**
 * Additions of revisions: reflections on rejected attempts, artifacts that phases share, and observations of tasks.
 *
 * @module
 */
import { elided } from '../values/text-limits.ts';

/** A value that a task reports in addition to its output, for phases that subscribe to it. */
export interface SharedArtifact {
  /** The phase that reported it. */
  readonly phase: string;
  readonly name: string;
  /** JSON. */
  readonly content: unknown;
}

/** The first and the last observations of a task in one attempt, each shortened in its middle. */
export interface Trajectory {
  /** At most {@link MOST_OBSERVATIONS}. */
  readonly first: readonly string[];
  /** The latest ones, at most as many. */
  readonly last: readonly string[];
  /** Number of observations between them. */
  readonly omitted: number;
}

/** Additions for one attempt. */
export interface Recollection {
  /** Reflections on rejected attempts, oldest first; at most {@link MOST_REFLECTIONS}. */
  readonly reflections?: readonly string[];
  /** Artifacts that the phase subscribes to, in that order. */
  readonly artifacts?: readonly SharedArtifact[];
  /** Observations in the attempt that is revised, by task. */
  readonly trajectories?: Readonly<Record<string, Trajectory>>;
}

/** Additions for one task. */
export type TaskRecollection = Pick<Recollection, 'reflections' | 'artifacts'> & {
  readonly trajectory?: Trajectory | undefined;
};

/** Most reflections that a revision carries, and that a memory stores of a phase. */
export const MOST_REFLECTIONS = 3;

/** Most observations from the beginning of an attempt, and from its end. */
export const MOST_OBSERVATIONS = 5;

/** Longest reflection, in characters. */
export const LONGEST_REFLECTION = 2000;

/** Longest observation in a trajectory, in characters. */
export const LONGEST_OBSERVATION = 500;

/** Selects the additions for one task. */
export function recalledBy(recollection: Recollection | undefined, task: string): TaskRecollection {
  if (!recollection) return NOTHING;
  const { reflections, artifacts, trajectories } = recollection;
  const trajectory = trajectories && Object.hasOwn(trajectories, task) ? trajectories[task] : undefined;
  return { ...(reflections && { reflections }), ...(artifacts && { artifacts }), ...(trajectory && { trajectory }) };
}

/** Appends reflections, and returns the latest ones. */
export function withReflections(known: readonly string[], more: readonly string[]): readonly string[] {
  return [...known, ...more].slice(-MOST_REFLECTIONS);
}

/** Appends an observation. The size of a trajectory is bounded. */
export function observed(trajectory: Trajectory = NOTHING_SEEN, observation: string): Trajectory {
  const { first, last, omitted } = trajectory;
  const text = elided(observation, LONGEST_OBSERVATION);
  if (first.length < MOST_OBSERVATIONS) return { first: [...first, text], last, omitted };
  const isFull = last.length === MOST_OBSERVATIONS;
  return { first, last: [...last, text].slice(-MOST_OBSERVATIONS), omitted: omitted + (isFull ? 1 : 0) };
}

// --- internal ---

const NOTHING: TaskRecollection = Object.freeze({});
const NOTHING_SEEN: Trajectory = Object.freeze({ first: Object.freeze([]), last: Object.freeze([]), omitted: 0 });
