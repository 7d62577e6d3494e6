/**
 * The runs that the tasks of a run have started, by phase and task.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import { starterOf, type Starter } from '../../model/handlers/work-key.ts';

/** Creates the folds of the runs of tasks. A task that works again has a new run, which replaces its former one. */
export function foldChildren<F extends { apply(record: RunRecord): void }>(create: () => F): ChildFolds<F> {
  const phases = new Map<string, Map<string, { readonly runId: string; readonly fold: F }>>();
  const former = new Set<string>();
  return {
    apply({ phase, task }, record) {
      const tasks = phases.get(phase) ?? new Map<string, { readonly runId: string; readonly fold: F }>();
      phases.set(phase, tasks);
      const known = tasks.get(task);
      if (known && (known.runId === record.runId || starterOf(known.runId, record.runId))) known.fold.apply(record);
      else if (![...former].some((runId) => runId === record.runId || starterOf(runId, record.runId))) {
        if (known) former.add(known.runId);
        const fold = create();
        tasks.set(task, { runId: record.runId, fold });
        fold.apply(record);
      }
    },
    of: (phase) => [...(phases.get(phase)?.values() ?? [])].map(({ fold }) => fold),
  };
}

/** The folds of the runs that tasks have started. */
export interface ChildFolds<F> {
  /** Applies a record of a run that this task has started, or of a run that the former has started. */
  apply(starter: Starter, record: RunRecord): void;
  /** Returns the folds of the latest run of each task of a phase. */
  of(phase: string): readonly F[];
}
