/**
 * Scripts in which one gate decides otherwise than all others, which approve.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { approve, escalate, reject, retry, retryPredecessor } from '../../model/decision/decision.ts';
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import type { PhasePlan, Plan } from '../../model/plan/plan.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import { sample, sampleAnswer } from '../rehearsal/sample.ts';
import type { Script } from '../rehearsal/script.ts';
import { aborts, fails, reports, silent, takes, type Step } from '../rehearsal/step.ts';
import type { OwnSteps } from './pressing.ts';

/** One rehearsal: the gate of one phase decides otherwise, once or always. */
export interface SingleStory {
  /** A clause for people, such as `the gate of "plan" always demands a retry`. */
  readonly name: string;
  readonly phase: string | undefined;
  readonly act: Act;
  readonly isRepeated: boolean;
}

type Act =
  | { readonly type: 'approve' | 'retry' | 'reject' | 'escalate' | 'unreadable' | 'error' }
  | { readonly type: 'failed check' | 'broken check' }
  | { readonly type: 'rewind'; readonly target: string }
  /** The gate escalates, and nobody answers, or a person ends the run. */
  | { readonly type: 'silence' | 'abort' }
  /** The tasks of the phase fail. */
  | { readonly type: 'failed task' }
  /** The tasks, the reviewers or the checks of the phase never end. */
  | { readonly type: 'endless task' | 'endless review' | 'endless check' }
  /** The tasks of all phases use more than a limit of the run allows. */
  | {
      readonly type: 'spent limit';
      readonly limit: LimitName;
      readonly step: (output: unknown) => Step;
      readonly isLifted: boolean;
    };

/** Returns the stories of a pipeline: all gates approve, and each gate decides otherwise in every way that its plan has. */
export function singleStories({ plan }: Pick<Pipeline, 'plan'>): readonly SingleStory[] {
  return [
    { name: 'every gate approves', phase: undefined, act: { type: 'approve' }, isRepeated: true },
    ...plan.phases.flatMap(storiesOf),
    ...limitStories(plan),
  ];
}

/** Returns the script of a story. */
export function singleScript({ work }: Pick<Pipeline, 'work'>, story: SingleStory, own: OwnSteps): Script {
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
        if (act.type === 'silence' && item.about === story.phase) return silent();
        if (act.type === 'abort' && item.about === story.phase) return aborts();
        if (item.kind === 'review' && BY_PEOPLE.has(act.type) && isDue(item.about, 'reviews'))
          return decisionOf(act, `Change ${next()}.`);
        if (item.kind === 'limit' && act.type === 'spent limit' && !act.isLifted) return reject('Enough was used.');
        return item.empty ? reject('There is nothing to approve.') : approve();
      },
      ...own.people,
    },
  };
}

// --- internal ---

/** Acts that a person may do as a reviewer. */
const BY_PEOPLE: ReadonlySet<Act['type']> = new Set(['retry', 'rewind', 'reject']);

function storiesOf({ name: phase, gate }: PhasePlan): readonly SingleStory[] {
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
  return [
    ...tasks,
    ...checks,
    ...both({ type: 'retry' }),
    ...gate.targets.flatMap((target) => both({ type: 'rewind', target })),
    story({ type: 'reject' }, false),
    story({ type: 'escalate' }, false),
    story({ type: 'silence' }, false),
    story({ type: 'abort' }, false),
    ...both({ type: 'unreadable' }),
    ...both({ type: 'error' }),
    story({ type: 'endless review' }, true),
  ];
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

/** The workers who do the acts. */
const DONE_BY: Readonly<Record<Act['type'], 'tasks' | 'reviews' | 'checks' | undefined>> = {
  approve: 'reviews',
  retry: 'reviews',
  rewind: 'reviews',
  reject: 'reviews',
  escalate: 'reviews',
  silence: 'reviews',
  abort: 'reviews',
  unreadable: 'reviews',
  error: 'reviews',
  'endless review': 'reviews',
  'failed check': 'checks',
  'broken check': 'checks',
  'endless check': 'checks',
  'failed task': 'tasks',
  'endless task': 'tasks',
  'spent limit': undefined,
};

function clauseOf(phase: string, act: Act, isRepeated: boolean): string {
  const often = isRepeated ? 'always' : 'once';
  const gate = `the gate of "${phase}"`;
  switch (act.type) {
    case 'approve':
      return `${gate} approves`;
    case 'retry':
      return `${gate} ${often} demands a retry`;
    case 'rewind':
      return `${gate} ${often} sends back "${act.target}"`;
    case 'reject':
      return `${gate} rejects`;
    case 'escalate':
      return `${gate} escalates`;
    case 'silence':
      return `${gate} escalates, and nobody answers`;
    case 'abort':
      return `${gate} escalates, and a person ends the run`;
    case 'unreadable':
      return `${gate} ${often} answers without a decision`;
    case 'error':
      return `${gate} ${often} fails to answer`;
    case 'endless review':
      return `a reviewer of "${phase}" never ends`;
    case 'failed check':
      return `a check of "${phase}" ${often} refuses`;
    case 'broken check':
      return `a check of "${phase}" ${often} throws`;
    case 'endless check':
      return `a check of "${phase}" never ends`;
    case 'failed task':
      return `every task of "${phase}" fails`;
    case 'endless task':
      return `a task of "${phase}" never ends`;
    case 'spent limit':
      return `limits.${act.limit} is spent`;
  }
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
    case 'abort':
      return escalate(words);
    case 'unreadable':
      return `No decision. ${words}`;
    case 'error':
      throw new Error(`The reviewer has failed: ${words}`);
    case 'endless review':
      return silent();
    case 'approve':
    case 'failed check':
    case 'broken check':
    case 'endless check':
    case 'failed task':
    case 'endless task':
    case 'spent limit':
      return approve();
  }
}
