/**
 * What revisions carry beside the demand: reflections on what was rejected, what phases share, and what tasks have observed.
 *
 * @module
 */
import { elided } from '../values/text-limits.ts';

/** Something that a task has reported beside its output, for phases that subscribe to it. */
export interface SharedArtifact {
  /** Whose it is. */
  readonly phase: string;
  readonly name: string;
  /** JSON. */
  readonly content: unknown;
}

/** What a task has observed in one attempt: the first observations and the last, each shortened in its middle. */
export interface Trajectory {
  /** At most {@link MOST_OBSERVATIONS}. */
  readonly first: readonly string[];
  /** At most as many, those that came last. */
  readonly last: readonly string[];
  /** How many there were between them. */
  readonly omitted: number;
}

/** What is recalled for one attempt. */
export interface Recollection {
  /** What was learned from rejected attempts, oldest first; at most {@link MOST_REFLECTIONS}. */
  readonly reflections?: readonly string[];
  /** Artifacts that the phase subscribes to, in that order. */
  readonly artifacts?: readonly SharedArtifact[];
  /** What each task has observed in the attempt that is revised. */
  readonly trajectories?: Readonly<Record<string, Trajectory>>;
}

/** What is recalled for one task. */
export type TaskRecollection = Pick<Recollection, 'reflections' | 'artifacts'> & {
  readonly trajectory?: Trajectory | undefined;
};

/** Reflections that a revision carries, and that are remembered of a phase. */
export const MOST_REFLECTIONS = 3;

/** Observations that are kept from the beginning of an attempt, and from its end. */
export const MOST_OBSERVATIONS = 5;

/** Characters of a reflection. */
export const LONGEST_REFLECTION = 2000;

/** Characters of an observation in a trajectory. */
export const LONGEST_OBSERVATION = 500;

/** What one task may recall. */
export function recalledBy(recollection: Recollection | undefined, task: string): TaskRecollection {
  if (!recollection) return NOTHING;
  const { reflections, artifacts, trajectories } = recollection;
  const trajectory = trajectories && Object.hasOwn(trajectories, task) ? trajectories[task] : undefined;
  return { ...(reflections && { reflections }), ...(artifacts && { artifacts }), ...(trajectory && { trajectory }) };
}

/** Reflections with one more, the latest ones. */
export function withReflections(known: readonly string[], more: readonly string[]): readonly string[] {
  return [...known, ...more].slice(-MOST_REFLECTIONS);
}

/** What a task has observed with one more. What is kept does not grow. */
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
