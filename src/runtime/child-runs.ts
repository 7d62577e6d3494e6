/**
 * Runs that the tasks of a run have started.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import type { OuterQuota, Quota } from '../machines/phase/quota-port.ts';
import { servicesOf } from '../machines/phase/run-services.ts';
import { mapWork, someWork, type TaskWork, type Work } from '../model/definition/compile.ts';
import type { Pipeline } from '../model/definition/define.ts';
import type { RunEvent } from '../model/events/event.ts';
import type { ChildOptions } from '../model/handlers/child-pipeline.ts';
import { bindPerson, mayAskPeople, type AskPerson } from '../model/handlers/person.ts';
import type { TaskContext } from '../model/handlers/task.ts';
import type { Estimate } from '../model/plan/options.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import { runChild } from './child-run.ts';
import { openChildren } from './child-ids.ts';
import { isQuestionOf, pipelineAsking, questionRun, type Asked } from './inbox/question-run.ts';
import { listedChild, type ChildStarter } from './open-child.ts';
import type { OuterWatch, WatchedChild } from './inbox/suspend-waiting.ts';
import { StartedRun } from './run-handle.ts';
import type { Run, RunOptions } from './run.ts';

/** Settings that a child run has in common with its parent. */
export interface SharedSettings extends Pick<
  RunOptions,
  'store' | 'holder' | 'source' | 'redact' | 'clock' | 'attended' | 'memory' | 'tags'
> {
  readonly starter: ChildStarter;
  /** The watch of the parent, if that is suspended while it only waits. */
  readonly within?: OuterWatch | undefined;
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
  /** True if the run is a question of work, which holds its state in this process. @default false */
  readonly asks?: boolean | undefined;
}

/** Room that the parent of a run has in its limits. */
export type Outer = Omit<OuterQuota, 'whenStored'>;

/** The run whose task starts another one. */
export interface Parent {
  readonly settings: () => SharedSettings;
  readonly plan: Plan;
  /** The quota of the parent; `undefined` if no limit bounds it. */
  readonly quota: () => Quota | undefined;
  /** Events of the parent so far. */
  readonly events: readonly RunEvent[];
  /** True if this process lets the parent go without ending it. Its children are let go as well. */
  readonly isLetGo: () => boolean;
  /** Lets the parent go: it is suspended. */
  readonly letGo: () => void;
  /** Resolves once the records of the parent so far are stored, or with the error that prevents it. `undefined` without a store. */
  readonly flush: () => Promise<unknown> | undefined;
  /** Called with each child run that begins to work in this process. */
  readonly onChild: (run: Run<unknown>) => void;
}

/** A child run that works in this process, with the task that has started it. */
export interface LiveChild {
  readonly run: Run<unknown>;
  readonly phase: string;
  readonly task: string;
  /** True if it is a question of work. */
  readonly asks: boolean;
}

/** The questions of one try. */
export interface Questions {
  readonly ask: AskPerson;
  /** Ends the questions of the work that an earlier process has left open. The work asks no more. */
  close(): Promise<void>;
}

/** The child runs of one run that work in this process. */
export interface ChildRuns {
  /** Starts or resumes the run of a task. Resolves with the output of the task. */
  run(request: ChildRequest): Promise<unknown>;
  /** The questions of a try, which are runs as well. */
  questions(context: TaskContext): Questions;
  /** Calls a listener with each child run that works in this process, now and later. */
  watch(listener: (run: Run<unknown>) => void): void;
  /** The child runs that work in this process now. */
  live(): readonly LiveChild[];
  /** The child runs that work in this process now, but for questions. */
  watched(): readonly WatchedChild[];
  /** Open items of all child runs, also of those that this process has let go. */
  inbox(): readonly InboxItem[];
  /** The child run with an open item of this id. */
  holderOf(item: string): Run<unknown> | undefined;
  /** Resolves once this process works on none of them. */
  atRest(): Promise<unknown>;
}

/** Parts of a run whose tasks start others. */
interface Own extends Omit<Parent, 'onChild' | 'quota'> {
  /** Its actor; `undefined` until it has begun. */
  readonly actor: () => AnyActorRef | undefined;
}

/** Creates the registry of child runs of one run. */
export function createChildRuns({ actor, ...given }: Own): ChildRuns {
  const live = new Set<LiveChild>();
  // Those that work, and those that were let go and have open items still.
  const open = new Set<Run<unknown>>();
  const listeners: ((run: Run<unknown>) => void)[] = [];
  // The spread is not first, as each such object would have a hidden class of its own.
  const parent: Parent = {
    quota: () => servicesOf(actor())?.quota,
    onChild(run) {
      open.add(run);
      void run.result.then(({ status }) => status !== 'suspended' && open.delete(run));
      listeners.forEach((listener) => listener(run));
    },
    ...given,
  };
  return {
    watch(listener) {
      listeners.push(listener);
      for (const { run } of live) listener(run);
    },
    live: () => [...live],
    watched: () =>
      [...live].flatMap(({ run, phase, task, asks }) => (asks ? [] : { phase, task, watch: StartedRun.watchOf(run) })),
    run: (request) => runChild(request, parent, live),
    questions: (context) => questionsOf(context, parent, live),
    inbox: () => [...open].flatMap((run) => run.inbox()),
    holderOf: (item) => [...live].find(({ run }) => run.inbox().some(({ id }) => id === item))?.run,
    atRest: () => Promise.all([...live].map(({ run }) => run.result)),
  };
}

/** Binds the tasks that run pipelines, and work that may ask people, to one run. Returns the same work if there is none. */
export function bindChildRuns({ work, plan }: Pick<Pipeline, 'work' | 'plan'>, childrenNow: () => ChildRuns): Work {
  if (!someWork(work, needsRun)) return work;
  const children = childrenNow();
  return mapWork(work, (its, phase, name, isReviewer) => {
    const child = its.runner;
    if (isReviewer || !child.pipeline) return asking(its, children);
    const planned = plan.phases.find((one) => one.name === phase)?.tasks.find((one) => one.name === name);
    const estimate = planned?.estimate ?? {};
    return { ...its, goesOn: true, runner: { run: (context) => children.run({ child, context, estimate }) } };
  });
}

// --- internal ---

function needsRun({ runner }: TaskWork): boolean {
  return runner.pipeline !== undefined || mayAskPeople(runner);
}

/** Work that may ask people, with the questions of each try. Other work is returned as it is. */
function asking(work: TaskWork, children: ChildRuns): TaskWork {
  const { runner } = work;
  if (!mayAskPeople(runner)) return work;
  const run = async (context: TaskContext): Promise<unknown> => {
    const questions = children.questions(context);
    bindPerson(context, questions.ask);
    try {
      return await runner.run(context);
    } finally {
      // A question that stays open harms nothing, so a store that fails is no failure of the work.
      await questions.close().catch(() => undefined);
    }
  };
  return { ...work, runner: { run } };
}

/** Creates the questions of a try. */
function questionsOf(context: TaskContext, parent: Parent, live: Set<LiveChild>): Questions {
  const asked: Asked = new Map();
  // A person uses nothing that a limit of the parent counts, and must not wait for the work that asks.
  const unbounded: Parent = { ...parent, quota: () => undefined };
  return {
    async ask(question, signal, about) {
      for (;;) {
        const request = { ...questionRun({ question, about }, context, asked, signal), estimate: {}, asks: true };
        const known = await listedChild(request, parent);
        // A question that was closed without an answer is asked again.
        if (known && known.status !== 'running' && known.status !== 'completed') continue;
        return runChild(request, unbounded, live);
      }
    },
    async close() {
      const { store, starter, ...settings } = parent.settings();
      if (!store || parent.isLetGo()) return;
      const signal = AbortSignal.abort(new Error('The work that asked is over.'));
      for (const id of await openChildren(store, context.run)) {
        if (!isQuestionOf(context, id) || [...live].some(({ run }) => run.id === id)) continue;
        // Its question does not matter any more, as no work of it begins.
        const idle = pipelineAsking({ question: 'Over.' });
        const run = await starter.resume(store, id, idle, { ...settings, signal });
        await run.result;
      }
    },
  };
}
