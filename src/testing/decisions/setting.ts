/**
 * Facts of a pipeline that the model of decisions needs, computed once.
 *
 * @module
 */
import type { Work } from '../../model/definition/compile.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { questionOf, type HumanOptions } from '../../model/handlers/human.ts';
import { planGraph, type GatePlan, type PhasePlan, type Plan, type TaskPlan } from '../../model/plan/plan.ts';
import { countOf } from '../../model/plan/policy.ts';
import { between, reach, topologicalOrder, type Graph } from '../../model/values/graph.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import type { DecisionKind } from './decision.ts';

/** A task or a reviewer. */
export interface Worker {
  readonly name: string;
  readonly plan: TaskPlan;
  /** The question, if it is a person. */
  readonly question: HumanOptions | undefined;
}

/** The gate of a phase. */
export interface GateFacts {
  readonly plan: GatePlan;
  readonly maxRetries: number;
  readonly maxRewinds: number;
  readonly maxErrors: number;
  readonly reviewers: readonly Worker[];
  /** The reviewers who decide, while all others approve: so many that the others are too few for the quorum. */
  readonly deciders: readonly Worker[];
  /** True if the first of them can fail, or answer without a verdict, while people among them are unsure. A person cannot. */
  readonly isFallible: boolean;
  /** True if a demand of a person among them can have too little confidence. */
  readonly mayBeUnsure: boolean;
  /** The person whose silence alone decides; `undefined` if there is none. */
  readonly mute: Worker | undefined;
  /** The check that throws, if no reviewer can. */
  readonly breaker: string | undefined;
  /** Checks that run before the tasks, too. */
  readonly baseline: readonly string[];
  /** True if a person decides when a review is unavailable. */
  readonly reachesPerson: boolean;
  /** The reach of a commit that answers a demand: 0 its requester, 1 changed readers, 2 all. */
  readonly spread: number;
}

/** One phase. */
export interface Seat {
  readonly index: number;
  readonly name: string;
  readonly plan: PhasePlan;
  readonly gate: GateFacts | null;
  readonly tasks: readonly Worker[];
  /** The first task that is no person; `undefined` if there is none. */
  readonly machine: Worker | undefined;
  readonly above: ReadonlySet<number>;
  /** Limits of usage or time that its tasks can spend while no other phase works. */
  readonly spends: readonly LimitName[];
  /** All descendants, in definition order. */
  readonly below: readonly number[];
  readonly next: readonly number[];
}

/** A pipeline, as the model sees it. */
export interface Setting {
  readonly plan: Plan;
  readonly work: Work;
  readonly graph: Graph;
  readonly seats: readonly Seat[];
  /** Indices of the phases in topological order. */
  readonly byRank: readonly number[];
  readonly kinds: ReadonlySet<DecisionKind>;
  /** Most phases at work. */
  readonly room: number;
  /** True if alternating rewinds are a loop for a gate. */
  readonly findsLoops: boolean;
  /** Phases between two, in definition order. */
  readonly between: (from: number, to: number) => readonly number[];
  /** The place of a phase in the order of decisions. */
  readonly order: readonly number[];
}

/** Returns the facts of a pipeline. @param kinds The decisions of paths. @param order The order in which phases decide. */
export function settingOf(
  { plan, work }: Pick<Pipeline, 'plan' | 'work'>,
  kinds: ReadonlySet<DecisionKind>,
  order: readonly number[] = plan.phases.map((_, index) => index),
): Setting {
  const graph = planGraph(plan);
  const seats = plan.phases.map((phase, index) => seatOf(plan, phase, index, graph, work));
  const known = new Map<number, readonly number[]>();
  return {
    plan,
    work,
    graph,
    seats,
    byRank: topologicalOrder(graph),
    kinds,
    room: countOf(plan.concurrency),
    findsLoops: seats.some(({ gate }) => gate !== null && gate.plan.loopAfter !== 'unlimited'),
    order,
    between(from, to) {
      const key = from * seats.length + to;
      const found = known.get(key) ?? between(graph, from, to);
      known.set(key, found);
      return found;
    },
  };
}

/** Returns a phase by its name. */
export function seatNamed({ seats, graph }: Setting, name: string): Seat | undefined {
  return seats[graph.indexOf.get(name) ?? -1];
}

// --- internal ---

function seatOf(whole: Plan, plan: PhasePlan, index: number, graph: Graph, work: Work): Seat {
  const its = work.phases.get(plan.name);
  const tasks = plan.tasks.map((task) => workerOf(task, its?.tasks.get(task.name)?.runner));
  const ofGate = plan.gate?.reviewers.map((one) => workerOf(one, its?.reviewers.get(one.name)?.runner)) ?? [];
  const machine = tasks.find(({ question }) => !question);
  return {
    index,
    name: plan.name,
    plan,
    gate: plan.gate && factsOf(plan.gate, ofGate),
    tasks,
    machine,
    spends: machine ? spendsOf(whole, plan, machine) : [],
    above: reach(graph.before, index),
    below: [...reach(graph.next, index)].toSorted((a, b) => a - b),
    next: graph.next[index] ?? [],
  };
}

function workerOf(plan: TaskPlan, runner: { readonly run: unknown } | undefined): Worker {
  return { name: plan.name, plan, question: questionOf(runner) };
}

/**
 * Lists the limits that a task can spend. A limit that holds the run is spent only before reviewers are asked: they wait until a person
 * lifts it. The time of a run is spent only if one limit counts it, and the task may take so long.
 */
function spendsOf({ limits, onLimit }: Plan, { gate }: PhasePlan, { plan: { timeout } }: Worker): readonly LimitName[] {
  if (onLimit === 'escalate' && (gate?.reviewers.length ?? 0) === 0) return [];
  const times = TIMES.filter((name) => limits[name] !== undefined);
  const fits = times.filter((name) => times.length === 1 && (timeout === 0 || timeout > (limits[name] ?? 0) + 1));
  return [...AMOUNTS.filter((name) => limits[name] !== undefined), ...fits];
}

const AMOUNTS = ['tokens', 'costUsd'] as const;
const TIMES = ['durationMs', 'deadlineMs'] as const;

const REACHES = ['requester', 'changed', 'all'] as const;

function factsOf(plan: GatePlan, reviewers: readonly Worker[]): GateFacts {
  const machines = reviewers.filter(({ question }) => !question);
  const people = reviewers.filter(({ question }) => question);
  const deciders = [...machines, ...people].slice(0, Math.max(0, reviewers.length - plan.quorum + 1));
  const hasPerson = deciders.some(({ question }) => question);
  const mayBeUnsure = hasPerson && plan.minConfidence > 0;
  // Of several answers that are missing, the records have the first.
  const first = reviewers.find((one) => deciders.includes(one));
  const isFallible = first !== undefined && !first.question && (!hasPerson || mayBeUnsure);
  const isAlone = plan.quorum === reviewers.length;
  return {
    plan,
    maxRetries: countOf(plan.maxRetries),
    maxRewinds: countOf(plan.maxPredecessorRetries),
    maxErrors: countOf(plan.maxReviewErrors),
    reviewers,
    deciders,
    isFallible,
    mayBeUnsure,
    mute: isAlone ? people.find(({ question }) => question?.expireAfterMs !== undefined) : undefined,
    breaker: isFallible ? undefined : plan.checks[0],
    baseline: plan.baseline ?? [],
    // A rehearsal of a path is stored, and nobody attends it.
    reachesPerson: plan.inbox.queue !== undefined || plan.onReviewUnavailable === 'escalate',
    spread: REACHES.indexOf(plan.invalidate),
  };
}
