/**
 * Runs that the tasks of a run have started.
 *
 * @module
 */
import { createContext } from 'react';
import { starterIn } from '../../../../../src/model/handlers/work-key.ts';
import { isSameJson } from '../../../../../src/model/values/json.ts';
import type { UiRun } from '../../../../../src/server/api.ts';
import { useAsked } from '../../data/ask.ts';

/** An attempt as its records name it. */
export interface AttemptPlace {
  readonly run: string;
  readonly phase: string;
  /** Both from 0. */
  readonly generation: number;
  readonly attempt: number;
}

/** The runs that tasks of the shown run have started. */
export const ChildRunsContext = createContext<readonly UiRun[]>([]);

/** Reads these runs, and reads them again with each new version. */
export function useChildRuns(run: string, version: number): readonly UiRun[] {
  const asked = useAsked<{ readonly runs: readonly UiRun[] }>(`/api/runs?parent=${encodeURIComponent(run)}`, version);
  return ('value' in asked ? asked.value?.runs : undefined) ?? NONE;
}

/** True if the task of an attempt has started a run, by the id of that run. */
export function isStartedBy(child: string, { run, phase, generation, attempt }: AttemptPlace, task: string): boolean {
  return isSameJson(starterIn(child), { run, phase, generation, attempt, task });
}

// --- internal ---

const NONE: readonly UiRun[] = [];
