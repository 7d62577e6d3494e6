/**
 * Scripts in which one gate decides otherwise than all others, which approve.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { approve, escalate, reject, retry, retryPredecessor } from '../../model/decision/decision.ts';
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import type { PhasePlan } from '../../model/plan/plan.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { sample, sampleAnswer } from '../rehearsal/sample.ts';
import type { Script } from '../rehearsal/script.ts';
import { aborts, fails, silent } from '../rehearsal/step.ts';
import type { OwnSteps } from './pressing.ts';

/** One rehearsal: the gate of one phase decides otherwise, once or always. */
export interface SingleStory {
  /** Words for people, such as `plan: retry, always`. */
  readonly name: string;
  readonly phase: string | undefined;
  readonly act: Act;
  readonly isRepeated: boolean;
}

type Act =
  | { readonly type: 'approve' | 'retry' | 'reject' | 'escalate' | 'unreadable' | 'error' | 'failed check' }
  | { readonly type: 'rewind'; readonly target: string }
  /** The gate escalates, and nobody answers, or a person ends the run. */
  | { readonly type: 'silence' | 'abort' }
  /** The tasks of the phase fail. */
  | { readonly type: 'failed task' };

/** Returns the stories of a pipeline: all gates approve, and each gate decides otherwise in every way that its plan has. */
export function singleStories({ plan }: Pick<Pipeline, 'plan'>): readonly SingleStory[] {
  return [
    { name: 'every gate approves', phase: undefined, act: { type: 'approve' }, isRepeated: true },
    ...plan.phases.flatMap(storiesOf),
  ];
}

/** Returns the script of a story. */
export function singleScript({ work }: Pick<Pipeline, 'work'>, story: SingleStory, own: OwnSteps): Script {
  let made = 0;
  const next = (): number => (made += 1);
  const { act } = story;
  let isDone = false;
  /** True if the worker of a phase does the act of the story now. */
  const isDue = (phase: string, of: 'reviews' | 'checks'): boolean => {
    const isIts =
      phase === story.phase && act.type !== 'failed task' && (of === 'checks') === (act.type === 'failed check');
    if (!isIts || (isDone && !story.isRepeated)) return false;
    isDone = true;
    return true;
  };
  return {
    input: own.input ?? (work.input && sample(work.input)),
    tasks: {
      '*': ({ phase, task }: TaskContext) =>
        act.type === 'failed task' && phase === story.phase
          ? fails(`The task has failed: ${next()}`)
          : sample(work.phases.get(phase)?.tasks.get(task)?.output, next()),
      ...own.tasks,
    },
    reviews: {
      '*': ({ phase }: ReviewContext) => (isDue(phase, 'reviews') ? decisionOf(act, `Change ${next()}.`) : approve()),
    },
    checks: {
      '*': ({ phase }: ReviewContext) => !isDue(phase, 'checks') || `Change ${next()}.`,
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
    const what = act.type === 'rewind' ? `back to ${act.target}` : act.type;
    return { name: `${phase}: ${what}, ${isRepeated ? 'always' : 'once'}`, phase, act, isRepeated };
  };
  const both = (act: Act): readonly SingleStory[] => [story(act, false), story(act, true)];
  const tasks = [story({ type: 'failed task' }, true)];
  if (!gate) return tasks;
  const checks = gate.checks.length > 0 ? both({ type: 'failed check' }) : [];
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
  ];
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
    case 'approve':
    case 'failed check':
    case 'failed task':
      return approve();
  }
}
