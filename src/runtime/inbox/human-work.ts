/**
 * Tasks and reviewers that are people, bound to the inbox of one run.
 *
 * @module
 */
import { mapWork, someWork, type TaskWork, type Work } from '../../model/definition/compile.ts';
import type { RunEvent } from '../../model/events/event.ts';
import { questionOf, type HumanOptions } from '../../model/handlers/human.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import { inboxPolicyOf } from '../../model/plan/inbox-policy.ts';
import type { StandardSchemaV1 } from '../../model/values/standard-schema.ts';

/** A question to a person: the task or reviewer that asks it, and the conditions on an answer. */
export interface HumanRequest {
  readonly question: HumanOptions;
  readonly reviewer: boolean;
  readonly context: Pick<TaskContext<never, never, never>, 'phase' | 'task' | 'generation' | 'attempt' | 'signal'>;
}

/**
 * Binds the work of a pipeline to the inbox of one run. Returns the same object if no task or reviewer is a person.
 *
 * @param ask Resolves with the answer.
 */
export function bindHumanWork(work: Work, ask: (asking: HumanRequest) => Promise<unknown>): Work {
  if (!someWork(work, ({ runner }) => questionOf(runner) !== undefined)) return work;
  return mapWork(work, (one, phase, _name, reviewer) => {
    const question = questionOf(one.runner);
    if (!question) return one;
    const runner: TaskWork['runner'] = { run: (context) => ask({ question, reviewer, context }) };
    const mayEdit = reviewer && work.phases.get(phase)?.reviewers.size === 1;
    return { ...one, runner, byPerson: true, ...(mayEdit && { mayEdit }) };
  });
}

/** The schemas that an answer must pass. That of the question itself is first. */
export function schemasOf(work: Work, phase: string, task: string): readonly StandardSchemaV1[] {
  const one = work.phases.get(phase)?.tasks.get(task);
  const own = questionOf(one?.runner)?.schema;
  return [own, one?.output].flatMap((schema) => schema ?? []);
}

/** Fields of a question for the records. */
export function questionFields(asked: HumanOptions) {
  const { question, description, choices } = asked;
  const inbox = inboxPolicyOf(asked);
  return {
    question,
    ...(description !== undefined && { description }),
    ...(choices && { choices: [...choices] }),
    inbox,
  };
}

/** True if an event may open an item of the inbox. */
export function mayNeedPeople({ type }: RunEvent): boolean {
  return OPENING.has(type);
}

// --- internal ---

const OPENING: ReadonlySet<RunEvent['type']> = new Set(['phase.escalated', 'task.asked', 'limit.reached']);
