/**
 * Static analysis of a pipeline: its worst case, and problems of its shape.
 *
 * @module
 */
import type { Work } from '../definition/compile.ts';
import { peopleIn, type PersonOf } from '../definition/people.ts';
import { planGraph, type GatePlan, type PhasePlan, type Plan, type TaskPlan } from '../plan/plan.ts';
import { countOf, isOver } from '../plan/policy.ts';
import { byName } from '../values/by-name.ts';
import { reach, topologicalOrder, type Graph } from '../values/graph.ts';
import { countStarts, type Starts } from './worst-case-starts.ts';

/** The worst case of one phase. It excludes decisions of people, which have no limits. */
export interface PhaseBound {
  readonly phase: string;
  /** Fresh starts: the first, and one for each time that another phase sends it back or invalidates it. */
  readonly starts: number;
  /** Executions of all its tasks; tries of a single task are not counted. */
  readonly attempts: number;
  /**
   * Most times that each reviewer is asked, by name. A person neither fails nor answers without a decision. So the review of a person is
   * asked again only for too little confidence (`minConfidence`). By a plan alone, no reviewer is known to be a person.
   */
  readonly reviews: Readonly<Record<string, number>>;
  /** US dollars, from the estimates of its tasks, reviewers and reflect call; `null` if one has no estimate. */
  readonly costUsd: number | null;
  readonly tokens: number | null;
}

/** A remark on the shape of a pipeline. */
export interface AnalysisFinding {
  readonly code: 'EDGE_REDUNDANT' | 'GATE_DEAD' | 'GATE_LENIENT' | 'LIMIT_TOO_LOW' | 'UNBOUNDED';
  /** Names of the phases that it is about. */
  readonly phases: readonly string[];
  readonly message: string;
}

/** The analysis of a pipeline before it runs. */
export interface Analysis {
  /** Phases by their distance from the start: the phases of one level can run at the same time. */
  readonly levels: readonly (readonly string[])[];
  /** One longest chain of phases, first to last. */
  readonly criticalPath: readonly string[];
  readonly bounds: readonly PhaseBound[];
  /** True if attempts, reviews and tries of single tasks are all bounded. Decisions of people are not counted. */
  readonly bounded: boolean;
  /** Sums over all phases. */
  readonly worst: {
    readonly attempts: number;
    readonly reviews: number;
    readonly costUsd: number | null;
    readonly tokens: number | null;
  };
  readonly findings: readonly AnalysisFinding[];
}

/** Analyses a pipeline, or its plan. */
export function analyze(pipeline: Plan | { readonly plan: Plan; readonly work?: Work }): Analysis {
  const { plan, work } = 'plan' in pipeline ? pipeline : { plan: pipeline, work: undefined };
  const personOf = peopleIn(work);
  const graph = planGraph(plan);
  const starts = countStarts(plan, graph);
  const bounds = plan.phases.map((phase, index) => boundOf(plan, phase, starts[index] ?? FIRST, personOf));
  const bounded = plan.phases.every((phase, index) => isBounded(phase, bounds[index]));
  return {
    ...layout(graph),
    bounds,
    bounded,
    worst: {
      attempts: sum(bounds.map((bound) => bound.attempts)),
      reviews: sum(bounds.flatMap((bound) => Object.values(bound.reviews))),
      costUsd: total(bounds.map((bound) => bound.costUsd)),
      tokens: total(bounds.map((bound) => bound.tokens)),
    },
    findings: [
      ...redundantEdges(graph),
      ...deadGates(plan),
      ...lenientGates(plan),
      ...lowLimits(plan),
      ...unbounded(plan, bounds),
    ],
  };
}

// --- internal ---

const FIRST: Starts = { gated: 1, ungated: 0 };

function boundOf(plan: Plan, phase: PhasePlan, starts: Starts, personOf: PersonOf): PhaseBound {
  const { gate, name, tasks } = phase;
  const { corrections = Infinity, attemptsPerPhase = Infinity } = plan.limits;
  const most = Math.min(corrections + 1, attemptsPerPhase);
  const perStart = gate ? 1 + countOf(gate.maxRetries) : 1;
  const gated = Math.min(starts.gated * perStart, most);
  const attempts = Math.min(gated + starts.ungated, most);
  const askedOf = (reviewer: string): number => {
    const isSure = gate?.minConfidence === 0 && personOf(name, reviewer) !== undefined;
    return isSure ? gated : gated * (1 + countOf(gate?.maxReviewErrors ?? 0));
  };
  const asked = (gate?.reviewers ?? []).map((one) => [one, askedOf(one.name)] as const);
  const own = gate?.reflect ? [...tasks, gate.reflect] : tasks;
  const work = [...own.map((task) => [task, attempts] as const), ...asked];
  return {
    phase: name,
    starts: Math.min(starts.gated + starts.ungated, most),
    attempts,
    reviews: byName(asked.map(([one, times]) => [one.name, times])),
    costUsd: total(work.map(([one, times]) => multiple(one.estimate.costUsd, times * countOf(one.attempts)))),
    tokens: total(work.map(([one, times]) => multiple(one.estimate.tokens, times * countOf(one.attempts)))),
  };
}

function multiple(estimate: number | undefined, count: number): number | null {
  if (estimate === undefined) return null;
  return estimate === 0 ? 0 : estimate * count;
}

function layout(graph: Graph): Pick<Analysis, 'levels' | 'criticalPath'> {
  const depth = graph.names.map(() => 0);
  const from = graph.names.map(() => -1);
  for (const node of topologicalOrder(graph)) {
    for (const target of graph.next[node] ?? []) {
      const reached = (depth[node] ?? 0) + 1;
      if (reached <= (depth[target] ?? 0)) continue;
      depth[target] = reached;
      from[target] = node;
    }
  }
  const levels: string[][] = [];
  depth.forEach((level, node) => (levels[level] ??= []).push(graph.names[node] ?? ''));
  const criticalPath: string[] = [];
  const deepest = depth.reduce((best, level, node) => (level > (depth[best] ?? -1) ? node : best), 0);
  for (let node = deepest; node !== -1; node = from[node] ?? -1) criticalPath.unshift(graph.names[node] ?? '');
  return { levels, criticalPath };
}

/** Finds edges that another path implies. They only matter for rewinds: a direct predecessor may be sent back. */
function redundantEdges(graph: Graph): readonly AnalysisFinding[] {
  const { rank } = graph;
  return graph.before.flatMap((sources, node) => {
    if (sources.length < 2) return [];
    const first = Math.min(...sources.map((source) => rank[source] ?? 0));
    const above = reach(graph.before, sources, (one) => (rank[one] ?? 0) >= first);
    return sources
      .filter((source) => above.has(source))
      .map((source): AnalysisFinding => {
        const [late, early] = [graph.names[node] ?? '', graph.names[source] ?? ''];
        const message = `"${late}" need not name "${early}" in its after list, unless its gate sends it back: another predecessor comes after it`;
        return { code: 'EDGE_REDUNDANT', phases: [early, late], message };
      });
  });
}

/** Finds gates that approve everything. */
function deadGates(plan: Plan): readonly AnalysisFinding[] {
  return plan.phases.flatMap(({ name, gate }): readonly AnalysisFinding[] => {
    if (!gate || !isDead(gate, plan)) return [];
    const message = `The gate of "${name}" can never fire: it has only checks, no retry, and accepts what they refuse`;
    return [{ code: 'GATE_DEAD', phases: [name], message }];
  });
}

function isDead({ reviewers, maxRetries, onExhausted }: GatePlan, { limits }: Plan): boolean {
  const isFrozen = limits.corrections === 0 || limits.attemptsPerPhase === 1;
  const accepts = onExhausted === 'accept' || onExhausted === 'acceptBest';
  return reviewers.length === 0 && !isFrozen && maxRetries === 0 && accepts;
}

/** Finds gates with an option that opens them without an approval; no default does. */
function lenientGates(plan: Plan): readonly AnalysisFinding[] {
  const found = plan.phases.flatMap(({ name, gate }) => {
    const ways = gate && !isDead(gate, plan) ? openings(gate) : [];
    return ways.length > 0 ? { name, ways } : [];
  });
  const [first, ...more] = found;
  if (first === undefined) return [];
  const whose = more.length === 0 ? `The gate of "${first.name}" opens` : `The gates of ${found.length} phases open`;
  const ways = [...new Set(found.flatMap((one) => one.ways))];
  const message = `${whose} without an approval ${ways.join(', ')}; no default does that`;
  return [{ code: 'GATE_LENIENT', phases: found.map(({ name }) => name), message }];
}

/** Lists the ways in which a gate opens without an approval, each with its option. */
function openings({ onExhausted, onUnrecognised, onInvalidTarget, reviewers }: GatePlan): readonly string[] {
  const hasReviewers = reviewers.length > 0;
  const accepts = onExhausted === 'accept' || onExhausted === 'acceptBest';
  const ways = [
    accepts && `when its budget is spent (onExhausted "${onExhausted}")`,
    hasReviewers && onUnrecognised === 'approve' && 'on text without a verdict (onUnrecognised "approve")',
    hasReviewers &&
      onInvalidTarget === 'approve' &&
      'on a target that it may not send back (onInvalidTarget "approve")',
  ];
  return ways.filter((way) => way !== false);
}

/** Finds tasks and reviewers whose estimate for one try exceeds a limit of the whole run. */
function lowLimits(plan: Plan): readonly AnalysisFinding[] {
  const outcome = plan.onLimit === 'stop' ? 'can never begin' : 'begins only when a person lifts the limit';
  return plan.phases.flatMap((phase) =>
    workOf(phase).flatMap(({ name, estimate }) =>
      ESTIMATED.filter(([limit, of]) => isOver(estimate[of] ?? 0, plan.limits[limit])).map(
        ([limit, of]): AnalysisFinding => {
          const message = `"${name}" of phase "${phase.name}" ${outcome}: its estimate of ${estimate[of]} is more than limits.${limit}, which is ${plan.limits[limit]}`;
          return { code: 'LIMIT_TOO_LOW', phases: [phase.name], message };
        },
      ),
    ),
  );
}

/** Limits, and the estimate that has to fit into each. */
const ESTIMATED = [
  ['costUsd', 'costUsd'],
  ['tokens', 'tokens'],
  ['durationMs', 'durationMs'],
  ['deadlineMs', 'durationMs'],
] as const;

function unbounded(plan: Plan, bounds: readonly PhaseBound[]): readonly AnalysisFinding[] {
  const phases = plan.phases.flatMap((phase, index) => (isBounded(phase, bounds[index]) ? [] : phase.name));
  if (phases.length === 0) return [];
  const message =
    'Some phases have no bound, as a count is "unlimited": limits.corrections and limits.attemptsPerPhase bound attempts, only a number bounds maxReviewErrors and the tries of a task';
  return [{ code: 'UNBOUNDED', phases, message }];
}

/** True if attempts, reviews and the tries of every task and reviewer are bounded. */
function isBounded(phase: PhasePlan, bound: PhaseBound | undefined): boolean {
  const tries = workOf(phase).every((one) => one.attempts !== 'unlimited');
  return tries && [bound?.attempts, ...Object.values(bound?.reviews ?? {})].every(Number.isFinite);
}

/** Returns everything that is tried: tasks, reviewers, and the reflect call. */
function workOf({ tasks, gate }: PhasePlan): readonly TaskPlan[] {
  return [...tasks, ...(gate?.reviewers ?? []), ...(gate?.reflect ? [gate.reflect] : [])];
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** Returns the sum, or `null` if a part is unknown. */
function total(values: readonly (number | null)[]): number | null {
  return values.reduce((all, value) => (all === null || value === null ? null : all + value), 0);
}
