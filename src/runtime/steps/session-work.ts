/**
 * The work of a pipeline as one session does it: it notes what is active, and answers for reviewers that have answered before.
 *
 * @module
 */
import type { PhaseWork, TaskWork, Work } from '../../model/definition/compile.ts';
import { questionOf } from '../../model/handlers/human.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import { toJson } from '../../model/values/json.ts';

/** Answers of reviewers, by name, as their handlers returned them. JSON. */
export type KeptAnswers = Readonly<Record<string, unknown>>;

/** Listeners of the work of a session. */
export interface SessionListener {
  /** Called when a try of a task or a reviewer begins. */
  onBegin(task: string): void;
  /** Called with the answer of a reviewer that is no person. */
  onAnswer(reviewer: string, answer: unknown): void;
}

/** Returns the work of one phase, with the others left out. @param kept Reviewers in it are not asked again. */
export function sessionWork(work: Work, phase: string, kept: KeptAnswers, listener: SessionListener): Work {
  const phases = [...work.phases].map(([name, one]): [string, PhaseWork] => {
    if (name !== phase) return [name, one];
    const tasks = mapped(one.tasks, (task, run) => (context) => {
      listener.onBegin(task);
      return run(context);
    });
    const reviewers = mapped(one.reviewers, (reviewer, run) => async (context) => {
      listener.onBegin(reviewer);
      if (Object.hasOwn(kept, reviewer)) return kept[reviewer];
      const answer = await run(context);
      const copy = toJson(answer);
      if (copy.ok) listener.onAnswer(reviewer, copy.value);
      return answer;
    });
    return [name, { ...one, tasks, reviewers }];
  });
  return { ...work, phases: new Map(phases) };
}

// --- internal ---

type Handler = (context: TaskContext) => unknown;

/** Wraps the handlers that are no people. */
function mapped(
  all: ReadonlyMap<string, TaskWork>,
  wrap: (name: string, run: Handler) => Handler,
): ReadonlyMap<string, TaskWork> {
  return new Map(
    [...all].map(([name, one]): [string, TaskWork] => {
      if (questionOf(one.runner) || one.runner.pipeline) return [name, one];
      const run = wrap(name, (context) => one.runner.run(context));
      return [name, { ...one, runner: { ...one.runner, run } }];
    }),
  );
}
