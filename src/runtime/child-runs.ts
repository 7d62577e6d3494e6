/**
 * Runs that the tasks of a run have started.
 *
 * @module
 */
import type { PhaseWork, TaskWork, Work } from '../model/definition/compile.ts';
import type { Pipeline } from '../model/definition/define.ts';
import type { RunEvent } from '../model/events/event.ts';
import type { ChildOptions } from '../model/handlers/child-pipeline.ts';
import type { TaskContext } from '../model/handlers/task.ts';
import type { Estimate } from '../model/plan/options.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { RunStore } from '../store/port.ts';
import { runChild, type ChildStarter } from './child-run.ts';
import type { Run, RunOptions } from './run.ts';

/** Settings that a child run has in common with its parent. */
export interface SharedSettings extends Pick<
  RunOptions,
  'store' | 'holder' | 'source' | 'redact' | 'clock' | 'attended' | 'memory'
> {
  readonly starter: ChildStarter;
  /** As of the resume of the parent. */
  readonly allowChanged?: boolean | undefined;
  readonly allowMasked?: boolean | undefined;
}

/** A task that runs a pipeline, at the start of one try. */
export interface ChildRequest {
  readonly child: ChildOptions;
  readonly context: TaskContext;
  /** Most usage of the run; a limit of it for each amount that is set. */
  readonly estimate: Estimate;
}

/** The run whose task starts another one. */
export interface Parent {
  readonly settings: () => SharedSettings;
  /** Events of the parent so far. */
  readonly events: readonly RunEvent[];
  /** True if this process lets the parent go without ending it. Its children are let go as well. */
  readonly isLetGo: () => boolean;
  /** Lets the parent go: it is suspended. */
  readonly letGo: () => void;
  /** Called with each child run that begins to work in this process. */
  readonly onChild: (run: Run<unknown>) => void;
}

/** The child runs of one run that work in this process. */
export interface ChildRuns {
  /** Starts or resumes the run of a task. Resolves with the output of the task. */
  run(request: ChildRequest): Promise<unknown>;
  /** Calls a listener with each child run that works in this process, now and later. */
  watch(listener: (run: Run<unknown>) => void): void;
  /** Open items of all child runs. */
  inbox(): readonly InboxItem[];
  /** The child run with an open item of this id. */
  holderOf(item: string): Run<unknown> | undefined;
  /** Resolves once this process works on none of them. */
  atRest(): Promise<unknown>;
}

/** Creates the registry of child runs of one run. */
export function createChildRuns(given: Omit<Parent, 'onChild'>): ChildRuns {
  const live = new Set<Run<unknown>>();
  const listeners: ((run: Run<unknown>) => void)[] = [];
  const parent: Parent = { ...given, onChild: (run) => listeners.forEach((listener) => listener(run)) };
  return {
    watch(listener) {
      listeners.push(listener);
      live.forEach(listener);
    },
    run: (request) => runChild(request, parent, live),
    inbox: () => [...live].flatMap((run) => run.inbox()),
    holderOf: (item) => [...live].find((run) => run.inbox().some(({ id }) => id === item)),
    atRest: () => Promise.all([...live].map((run) => run.result)),
  };
}

/** Binds the tasks that run pipelines to one run. Returns the same work if there are none. */
export function bindChildRuns({ work, plan }: Pick<Pipeline, 'work' | 'plan'>, children: ChildRuns): Work {
  if (![...work.phases.values()].some(hasChildren)) return work;
  const phases = [...work.phases].map(([name, one]): [string, PhaseWork] => {
    const tasks = [...one.tasks].map(([task, its]): [string, TaskWork] => {
      const child = its.runner;
      if (!child.pipeline) return [task, its];
      const planned = plan.phases.find((phase) => phase.name === name)?.tasks.find((other) => other.name === task);
      const estimate = planned?.estimate ?? {};
      return [task, { ...its, runner: { run: (context) => children.run({ child, context, estimate }) } }];
    });
    return [name, { ...one, tasks: new Map(tasks) }];
  });
  return { ...work, phases: new Map(phases) };
}

/**
 * Returns the id of the run whose task has started a run; `undefined` for any other id. The id of a child run is the idempotency key
 * of its task, which begins with the id of its parent.
 */
export function parentOf(runId: string): string | undefined {
  const parts = runId.split('/');
  const [parent] = parts;
  if (parts.length !== 6 || parts[4] !== 'task' || parent === undefined) return undefined;
  try {
    return decodeURIComponent(parent);
  } catch {
    return undefined;
  }
}

/** Returns the ids of the child runs of a run that have not ended. */
export async function openChildren(store: RunStore, runId: string): Promise<readonly string[]> {
  const running = await store.runs({ status: ['running'] });
  return running.flatMap((run) => (parentOf(run.runId) === runId ? run.runId : []));
}

// --- internal ---

function hasChildren({ tasks }: PhaseWork): boolean {
  return [...tasks.values()].some(({ runner }) => runner.pipeline !== undefined);
}
