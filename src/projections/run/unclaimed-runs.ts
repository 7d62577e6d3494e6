/**
 * Runs that could go on, and that no process works on.
 *
 * @module
 */
import type { RunInfo } from './run-info.ts';

/** Runs of one version of a pipeline. */
export interface UnclaimedRuns {
  readonly pipeline: string;
  /** The fingerprint of their definition. */
  readonly fingerprint: string;
  /** The source of their definition, such as the path of a file. */
  readonly source: string | undefined;
  /** Time of the latest record of the run that has none for the longest, in milliseconds since 1970. */
  readonly since: number;
  /** Their ids, earliest start first. */
  readonly runs: readonly string[];
}

/** Groups runs by version. @param ready Runs that are ready, earliest start first. */
export function unclaimedRuns(ready: readonly RunInfo[]): readonly UnclaimedRuns[] {
  const groups = new Map<string, UnclaimedRuns>();
  for (const { runId, pipeline, fingerprint, source, updatedAt } of ready) {
    const key = JSON.stringify([pipeline, fingerprint, source]);
    const { since, runs } = groups.get(key) ?? { since: updatedAt, runs: [] };
    groups.set(key, { pipeline, fingerprint, source, since: Math.min(since, updatedAt), runs: [...runs, runId] });
  }
  return [...groups.values()];
}
