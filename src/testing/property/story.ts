/**
 * Stories: random choices of reviewers, tasks, checks and people, as data that shrinks.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { approve, escalate, reject, retry, retryPredecessor, type Decision } from '../../model/decision/decision.ts';
import { needsRework } from '../../model/handlers/needs-rework.ts';
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { crashAfter, crashBefore, type Crash } from '../rehearsal/crash.ts';
import { sample, sampleAnswer } from '../rehearsal/sample.ts';
import type { Script } from '../rehearsal/script.ts';

/** Choices of reviewers, the plainest first: shrinking goes there. */
export const DECISIONS = ['approve', 'retry', 'rewind', 'reject', 'escalate', 'unreadable', 'error'] as const;

/** Choices of tasks. */
export const TASKS = ['done', 'same', 'error', 'rework'] as const;

/** Choices of people. */
export const PEOPLE = ['approve', 'retry', 'rewind', 'reject'] as const;

/** Choices of a run, in the order in which they are needed. After the end of a list everything goes well, at once. */
export interface Story {
  readonly decisions: readonly (typeof DECISIONS)[number][];
  readonly tasks: readonly (typeof TASKS)[number][];
  /** False for a check that fails. */
  readonly checks: readonly boolean[];
  readonly people: readonly (typeof PEOPLE)[number][];
  /** Virtual milliseconds of calls. */
  readonly times: readonly number[];
  /** Numbers that choose among the phases that may be sent back. */
  readonly targets: readonly number[];
  /** Numbers of records after which the process dies. */
  readonly crashes: readonly number[];
  /** Numbers of records before which the process dies, so that the work that they tell of is lost. */
  readonly losses: readonly number[];
}

/** Steps of the user, which win over those of a story. */
export type StorySteps = Pick<Script, 'input' | 'tasks' | 'reviews' | 'checks' | 'reflections' | 'people'>;

/** Returns a script that follows a story. */
export function storyScript({ plan, work }: Pick<Pipeline, 'plan' | 'work'>, story: Story, own: StorySteps): Script {
  const next = {
    decision: from(story.decisions),
    task: from(story.tasks),
    check: from(story.checks),
    person: from(story.people),
    time: from(story.times),
    target: from(story.targets),
  };
  let made = 0;
  const words = (): string => `Change ${(made += 1)}.`;
  const target = (names: readonly string[]): string | undefined => names[(next.target() ?? 0) % names.length];
  return {
    input: own.input ?? (work.input && sample(work.input)),
    tasks: {
      '*': async ({ phase, task, wait }: TaskContext) => {
        const choice = next.task() ?? 'done';
        await wait(next.time() ?? 0);
        if (choice === 'error') throw new Error(`The task has failed: ${words()}`);
        const rework = choice === 'rework' ? target(targetsOf(plan, phase)) : undefined;
        if (rework !== undefined) throw needsRework(rework, words());
        return sample(work.phases.get(phase)?.tasks.get(task)?.output, choice === 'same' ? 1 : (made += 1));
      },
      ...own.tasks,
    },
    reviews: {
      '*': async (context: ReviewContext) => {
        const choice = next.decision() ?? 'approve';
        await context.wait(next.time() ?? 0);
        if (choice === 'error') throw new Error(`The reviewer has failed: ${words()}`);
        if (choice === 'unreadable') return `No decision. ${words()}`;
        return decisionOf(choice, words(), () => target(Object.keys(context.rewindsLeft)));
      },
      ...own.reviews,
    },
    checks: { '*': () => (next.check() ?? true) || words(), ...own.checks },
    reflections: { '*': () => `Reflection ${(made += 1)}`, ...own.reflections },
    people: {
      '*': (item: InboxItem) => {
        const choice = next.person() ?? 'approve';
        if (item.kind === 'task') return sampleAnswer(work, item, (made += 1));
        if (item.kind === 'limit') return choice === 'approve' ? approve() : reject(words());
        if (item.empty && choice === 'approve') return reject('There is nothing to approve.');
        return decisionOf(choice, words(), () => target(targetsOf(plan, item.about)));
      },
      ...own.people,
    },
    attended: true,
    crashes: [
      ...story.crashes.map((nth): Crash => ({ ...crashAfter(nth + 1), mayMiss: true })),
      ...story.losses.map((nth): Crash => ({ ...crashBefore(nth + 1), mayMiss: true })),
    ],
  };
}

// --- internal ---

/** Returns a function that returns the values of a list, one after the other. */
function from<T>(list: readonly T[]): () => T | undefined {
  let at = 0;
  return () => list[at++];
}

function targetsOf({ phases }: Plan, phase: string): readonly string[] {
  return phases.find(({ name }) => name === phase)?.gate?.targets ?? [];
}

function decisionOf(
  choice: 'approve' | 'retry' | 'rewind' | 'reject' | 'escalate',
  words: string,
  target: () => string | undefined,
): Decision {
  switch (choice) {
    case 'approve':
      return approve();
    case 'retry':
      return retry(words);
    case 'rewind': {
      const goal = target();
      return goal === undefined ? retry(words) : retryPredecessor(goal, words);
    }
    case 'reject':
      return reject(words);
    case 'escalate':
      return escalate(words);
  }
}
