/**
 * The work of a pipeline as one session does it: it notes what is active, and answers for reviewers that have answered before.
 *
 * @module
 */
import { mapWork, type Work } from '../../model/definition/compile.ts';
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

/** Returns work whose handlers of one phase tell the listener. @param kept Reviewers in it are not asked again. */
export function sessionWork(work: Work, phase: string, kept: KeptAnswers, listener: SessionListener): Work {
  return mapWork(work, (its, at, name, isReviewer) => {
    const { runner } = its;
    // People are asked by the run, and runs are started by it.
    if (at !== phase || questionOf(runner) || runner.pipeline) return its;
    const answerOnce = async (context: TaskContext): Promise<unknown> => {
      if (Object.hasOwn(kept, name)) return kept[name];
      const answer = await runner.run(context);
      const copy = toJson(answer);
      if (copy.ok) listener.onAnswer(name, copy.value);
      return answer;
    };
    const run = (context: TaskContext) => {
      listener.onBegin(name);
      return isReviewer ? answerOnce(context) : runner.run(context);
    };
    return { ...its, runner: { ...runner, run } };
  });
}
