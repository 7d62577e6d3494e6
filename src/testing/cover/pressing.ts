/**
 * Scripts that press on: gates that spend all their retries and rewinds before they approve.
 *
 * @module
 */
import type { Work } from '../../model/definition/compile.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { approve, reject, retry, retryPredecessor, type Decision } from '../../model/decision/decision.ts';
import { needsRework } from '../../model/handlers/needs-rework.ts';
import type { ReviewContext } from '../../model/handlers/phase.ts';
import type { TaskContext } from '../../model/handlers/task.ts';
import type { GatePlan, Plan } from '../../model/plan/plan.ts';
import { countOf } from '../../model/plan/policy.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import { sample, sampleAnswer } from '../rehearsal/sample.ts';
import type { Script } from '../rehearsal/script.ts';

/** A way to press on. */
export interface Manner {
  /** The demand that a gate makes first, as long as it may. */
  readonly first: 'retry' | 'rewind';
  /** The phase that it sends back first: the nearest one before it, or the farthest. */
  readonly target: 'nearest' | 'farthest';
  /** Durations of phases: equal, longer or shorter in the order of the phases, or mixed. Siblings then end at other times. */
  readonly durations: 'equal' | 'longer' | 'shorter' | 'mixed';
  /** True if each review fails as often as the gate asks again: reviewers throw, and people are unsure. */
  readonly fails: boolean;
  /** The only phase whose gate presses on, so that limits of the run are spent on it. @default all */
  readonly only?: string | undefined;
}

/** All ways to press on, the most promising first: of all gates together, and of each gate alone. */
export function mannersOf({ phases }: Plan): readonly Manner[] {
  const alone = phases.flatMap(({ name, gate }) =>
    gate ? TOGETHER.slice(0, 2).map((manner) => ({ ...manner, only: name })) : [],
  );
  return [...TOGETHER.slice(0, 4), ...alone, ...TOGETHER.slice(4)];
}

const TOGETHER: readonly Manner[] = [true, false].flatMap((fails) =>
  (['longer', 'equal', 'shorter', 'mixed'] as const).flatMap((durations) =>
    (['retry', 'rewind'] as const).flatMap((first) =>
      (['nearest', 'farthest'] as const).map((target) => ({ first, target, durations, fails })),
    ),
  ),
);

/** Steps of the user, which win over those that press on. */
export type PressingSteps = Pick<Script, 'input' | 'tasks' | 'checks' | 'reflections' | 'people'>;

/** Names of {@link PressingSteps}. */
export const OWN_STEPS = ['input', 'tasks', 'checks', 'reflections', 'people'] as const;

/** Returns the script of a manner. Outputs and demands are always new, so that no loop is detected in them. */
export function pressingScript(
  { plan, work }: Pick<Pipeline, 'plan' | 'work'>,
  manner: Manner,
  own: PressingSteps = {},
): Script {
  let made = 0;
  const next = (): number => (made += 1);
  const presses = (phase: string): boolean => manner.only === undefined || manner.only === phase;
  const budgets = budgetsOf(plan);
  const pressed = (about: Worked): Decision | undefined => {
    if (!presses(about.about)) return undefined;
    const demand = demandOf(budgets.left(about), manner, `Demand ${next()}`);
    if (demand) budgets.spend(about, demand);
    return demand;
  };
  const unsure = unsureAnswers(plan);
  const places = new Map(plan.phases.map(({ name }, index) => [name, index]));
  return {
    input: own.input ?? (work.input && sample(work.input)),
    tasks: {
      '*': async ({ phase, task, attempt, generation, wait }: TaskContext) => {
        await wait(durationOf(manner.durations, places.get(phase) ?? 0, places.size));
        const demand = isJudge(plan, phase, task) ? pressed({ about: phase, attempt, generation }) : undefined;
        if (demand?.type === 'retryPredecessor') throw needsRework(demand.phase, demand.feedback);
        return sample(work.phases.get(phase)?.tasks.get(task)?.output, next());
      },
      ...own.tasks,
    },
    reviews: {
      '*': (context: ReviewContext) => {
        if (!presses(context.phase)) return approve();
        if (manner.fails && asksLeft(plan, context) > 0) throw unavailable();
        return demandOf(context, manner, `Demand ${next()}`) ?? approve();
      },
    },
    checks: {
      '*': (context: ReviewContext) =>
        !presses(context.phase) ||
        gateOf(plan, context.phase)?.reviewers.length !== 0 ||
        !mayRetry(context) ||
        `Demand ${next()}`,
      ...own.checks,
    },
    reflections: { '*': () => `Reflection ${next()}`, ...own.reflections },
    people: {
      '*': (item: InboxItem) => {
        if (item.kind !== 'review') return answerOf(work, item, next());
        if (manner.fails && presses(item.about) && unsure(item)) return { ...retry(`Demand ${next()}`), confidence: 0 };
        return pressed(item) ?? approve();
      },
      ...own.people,
    },
  };
}

// --- internal ---

function gateOf({ phases }: Plan, phase: string): GatePlan | undefined {
  return phases.find(({ name }) => name === phase)?.gate ?? undefined;
}

type Budget = Pick<ReviewContext, 'retriesLeft' | 'rewindsLeft'>;

/** True for the first task of a phase whose gate has checks only: just a task can send back another phase then. */
function isJudge({ phases }: Plan, phase: string, task: string): boolean {
  const its = phases.find(({ name }) => name === phase);
  return its?.gate?.reviewers.length === 0 && its.tasks[0]?.name === task;
}

/** The work of a phase that is judged. */
type Worked = Pick<InboxItem, 'about' | 'attempt' | 'generation'>;

/** Budgets of gates, for people and tasks, who are not told of them. */
interface Budgets {
  /** Returns what is left. */
  left(work: Worked): Budget;
  spend(work: Worked, demand: Decision): void;
}

function budgetsOf(plan: Plan): Budgets {
  const sentBack: string[] = [];
  const retries = new Map<string, { readonly generation: number; readonly spent: number }>();
  /** Returns the retries since the latest fresh start, which is a new generation, or a restart at attempt 0. */
  const spentBy = ({ about, attempt, generation }: Worked): number => {
    const known = retries.get(about);
    return attempt === 0 || known?.generation !== generation ? 0 : known.spent;
  };
  return {
    left(work) {
      const { maxRetries = 0, maxPredecessorRetries = 0, targets = [] } = gateOf(plan, work.about) ?? {};
      const leftOf = (target: string): number =>
        countOf(maxPredecessorRetries) - sentBack.filter((pair) => pair === pairOf(work.about, target)).length;
      return {
        retriesLeft: countOf(maxRetries) - spentBy(work),
        rewindsLeft: Object.fromEntries(targets.map((target) => [target, leftOf(target)])),
      };
    },
    spend(work, demand) {
      const { about, generation } = work;
      if (demand.type === 'retryPredecessor') sentBack.push(pairOf(about, demand.phase));
      if (demand.type === 'retry') retries.set(about, { generation, spent: spentBy(work) + 1 });
    },
  };
}

function pairOf(from: string, to: string): string {
  return JSON.stringify([from, to]);
}

/** The next demand of a gate; `undefined` if it has none left. */
function demandOf(context: Budget, { first, target }: Manner, demand: string): Decision | undefined {
  const targets = Object.entries(context.rewindsLeft).flatMap(([name, left]) =>
    left > 0 && left < Infinity ? name : [],
  );
  const goal = target === 'nearest' ? targets.at(-1) : targets[0];
  const own = mayRetry(context) ? retry(demand) : undefined;
  const other = goal === undefined ? undefined : retryPredecessor(goal, demand);
  return first === 'retry' ? (own ?? other) : (other ?? own);
}

function mayRetry({ retriesLeft }: Budget): boolean {
  return retriesLeft > 0 && retriesLeft < Infinity;
}

/** Times that a review is still asked again if it fails. The idempotency key ends with the number of the present one. */
function asksLeft(plan: Plan, { phase, idempotencyKey }: ReviewContext): number {
  const most = gateOf(plan, phase)?.maxReviewErrors;
  return typeof most === 'number' ? most + 1 - Number(idempotencyKey.split('/').at(-1)) : 0;
}

/** Makes a function that tells if a person is to be unsure: as often in a row as the gate asks again for too little confidence. */
function unsureAnswers(plan: Plan): (item: Pick<InboxItem, 'about' | 'task'>) => boolean {
  const given = new Map<string, number>();
  return ({ about, task }) => {
    const { maxReviewErrors, minConfidence = 0 } = gateOf(plan, about) ?? {};
    const most = typeof maxReviewErrors === 'number' && minConfidence > 0 ? maxReviewErrors : 0;
    const key = JSON.stringify([about, task]);
    const times = given.get(key) ?? 0;
    given.set(key, times < most ? times + 1 : 0);
    return times < most;
  };
}

function unavailable(): Error {
  return Object.assign(new Error('The reviewer is not available.'), { retryable: false, permanent: false });
}

/** The answer of a person, who approves if that is possible. */
function answerOf(work: Work, item: InboxItem, nth: number): unknown {
  if (item.kind === 'task') return sampleAnswer(work, item, nth);
  return item.empty ? reject('There is nothing to approve.') : approve();
}

/** Virtual milliseconds of the tasks of a phase. @param index The number of the phase in the plan. */
function durationOf(durations: Manner['durations'], index: number, phases: number): number {
  switch (durations) {
    case 'equal':
      return 0;
    case 'longer':
      return (index + 1) * 1000;
    case 'shorter':
      return (phases - index) * 1000;
    case 'mixed':
      return ((index * 7919 + 13) % 101) * 100 + index;
  }
}
