/**
 * Scripts in which one gate decides otherwise than all others, which approve.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { peopleIn, type PersonOf } from '../../model/definition/people.ts';
import { approve, escalate, reject, retry, retryPredecessor } from '../../model/decision/decision.ts';
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import type { PhasePlan, Plan } from '../../model/plan/plan.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import { sample, sampleAnswer } from '../rehearsal/sample.ts';
import type { Script } from '../rehearsal/script.ts';
import { aborts, fails, reports, silent, takes, type Step } from '../rehearsal/step.ts';
import type { PressingSteps } from './pressing.ts';
import { clauseOf, DONE_BY, type Act } from './single-acts.ts';

/** One rehearsal: the gate of one phase decides otherwise, once or always. */
export interface SingleStory {
  /** A clause for people, such as `the gate of "plan" always demands a retry`. */
  readonly name: string;
  readonly phase: string | undefined;
  readonly act: Act;
  readonly isRepeated: boolean;
}

/** Returns the stories of a pipeline: all gates approve, and each gate decides otherwise in every way that its plan has. */
export function singleStories({ plan, work }: Pick<Pipeline, 'plan' | 'work'>): readonly SingleStory[] {
  const personOf = peopleIn(work);
  return [
    { name: 'every gate approves', phase: undefined, act: { type: 'approve' }, isRepeated: true },
    ...plan.phases.flatMap((phase) => storiesOf(phase, personOf)),
    ...limitStories(plan),
  ];
}

/** Returns the script of a story. */
export function singleScript({ work }: Pick<Pipeline, 'work'>, story: SingleStory, own: PressingSteps): Script {
  let made = 0;
  const next = (): number => (made += 1);
  const { act } = story;
  let isDone = false;
  /** True if the worker of a phase does the act of the story now. */
  const isDue = (phase: string, of: 'tasks' | 'reviews' | 'checks'): boolean => {
    const isIts = phase === story.phase && DONE_BY[act.type] === of;
    if (!isIts || (isDone && !story.isRepeated)) return false;
    isDone = true;
    return true;
  };
  return {
    input: own.input ?? (work.input && sample(work.input)),
    tasks: {
      '*': ({ phase, task }: TaskContext) => {
        if (isDue(phase, 'tasks'))
          return act.type === 'endless task' ? silent() : fails(`The task has failed: ${next()}`);
        const output = sample(work.phases.get(phase)?.tasks.get(task)?.output, next());
        return act.type === 'spent limit' ? act.step(output) : output;
      },
      ...own.tasks,
    },
    reviews: {
      '*': ({ phase }: ReviewContext) => (isDue(phase, 'reviews') ? decisionOf(act, `Change ${next()}.`) : approve()),
    },
    checks: {
      '*': ({ phase }: ReviewContext) => {
        if (!isDue(phase, 'checks')) return true;
        if (act.type === 'endless check') return silent();
        return act.type === 'broken check' ? fails(`The check has failed: ${next()}`) : `Change ${next()}.`;
      },
      ...own.checks,
    },
    reflections: { '*': () => `Reflection ${next()}`, ...own.reflections },
    people: {
      '*': (item: InboxItem) => {
        if (item.kind === 'task') return sampleAnswer(work, item, next());
        const isAsked = item.about === story.phase;
        if (item.kind === 'review') {
          if (act.type === 'unanswered review' && isAsked) return silent();
          if (act.type === 'late review' && isAsked) return lateAnswer(item);
          return BY_PEOPLE.has(act.type) && isDue(item.about, 'reviews')
            ? decisionOf(act, `Change ${next()}.`)
            : approve();
        }
        if (act.type === 'silence' && isAsked) return silent();
        if (act.type === 'abort' && isAsked) return aborts();
        if (act.type === 'late answer' && isAsked) return lateAnswer(item);
        if (item.kind === 'limit' && act.type === 'spent limit' && !act.isLifted) return reject('Enough was used.');
        return item.empty ? reject('There is nothing to approve.') : approve();
      },
      ...own.people,
    },
  };
}

// --- internal ---

/** Acts that a person may do as a reviewer. */
const BY_PEOPLE: ReadonlySet<Act['type']> = new Set([
  'retry',
  'rewind',
  'reject',
  'escalate',
  'silence',
  'late answer',
  'abort',
]);

function storiesOf({ name: phase, gate }: PhasePlan, personOf: PersonOf): readonly SingleStory[] {
  const story = (act: Act, isRepeated: boolean): SingleStory => {
    return { name: clauseOf(phase, act, isRepeated), phase, act, isRepeated };
  };
  const both = (act: Act): readonly SingleStory[] => [story(act, false), story(act, true)];
  const tasks = [story({ type: 'failed task' }, true), story({ type: 'endless task' }, true)];
  if (!gate) return tasks;
  const checks =
    gate.checks.length > 0
      ? [...both({ type: 'failed check' }), ...both({ type: 'broken check' }), story({ type: 'endless check' }, true)]
      : [];
  if (gate.reviewers.length === 0) return [...tasks, ...checks];
  const people = gate.reviewers.filter(({ name }) => personOf(phase, name));
  // People neither fail nor answer without a decision. One who never answers waits as any question does.
  const unanswered = people.length > 0 ? [story({ type: 'unanswered review' }, true)] : [];
  const isLate = people.some(({ name }) => personOf(phase, name)?.expireAfterMs !== undefined);
  const late = [
    ...(isLate ? [story({ type: 'late review' }, true)] : []),
    ...(gate.inbox.expireAfterMs === undefined ? [] : [story({ type: 'late answer' }, false)]),
  ];
  const failures =
    people.length < gate.reviewers.length
      ? [...both({ type: 'unreadable' }), ...both({ type: 'error' }), story({ type: 'endless review' }, true)]
      : [];
  return [
    ...tasks,
    ...checks,
    ...both({ type: 'retry' }),
    ...gate.targets.flatMap((target) => both({ type: 'rewind', target })),
    story({ type: 'reject' }, false),
    story({ type: 'escalate' }, false),
    story({ type: 'silence' }, false),
    story({ type: 'abort' }, false),
    ...unanswered,
    ...late,
    ...failures,
  ];
}

/** The answer of a person after the question has expired. */
function lateAnswer({ openedAt, expireAt = openedAt }: InboxItem): Step {
  return takes(expireAt - openedAt + 1, approve());
}

function limitStories({ limits, onLimit }: Plan): readonly SingleStory[] {
  const { costUsd, tokens, durationMs, deadlineMs } = limits;
  const steps: readonly (readonly [LimitName, number | undefined, (max: number, output: unknown) => Step])[] = [
    ['costUsd', costUsd, (max, output) => reports({ costUsd: max + 1 }, output)],
    ['tokens', tokens, (max, output) => reports({ tokens: max + 1 }, output)],
    ['durationMs', durationMs, (max, output) => takes(max + 1, output)],
    ['deadlineMs', deadlineMs, (max, output) => takes(max + 1, output)],
  ];
  return steps.flatMap(([limit, max, step]) => {
    if (max === undefined) return [];
    return (onLimit === 'escalate' ? [true, false] : [false]).map((isLifted): SingleStory => {
      const act: Act = { type: 'spent limit', limit, step: (output) => step(max, output), isLifted };
      return { name: clauseOf('', act, true), phase: undefined, act, isRepeated: true };
    });
  });
}

function decisionOf(act: Act, words: string): unknown {
  switch (act.type) {
    case 'retry':
      return retry(words);
    case 'rewind':
      return retryPredecessor(act.target, words);
    case 'reject':
      return reject(words);
    case 'escalate':
    case 'silence':
    case 'late answer':
    case 'abort':
      return escalate(words);
    case 'unreadable':
      return `No decision. ${words}`;
    case 'error':
      throw new Error(`The reviewer has failed: ${words}`);
    case 'endless review':
      return silent();
    case 'approve':
    case 'unanswered review':
    case 'late review':
    case 'failed check':
    case 'broken check':
    case 'endless check':
    case 'failed task':
    case 'endless task':
    case 'spent limit':
      return approve();
  }
}
