/**
 * The outline of a pipeline that all pictures share: phases with their tasks and gate, and the arrows between them.
 *
 * Names come from users, so nodes have ids by position: `p0`, `p0t1`, `p0g`.
 *
 * @module
 */
import { planGraph, type PhasePlan, type Plan, type TaskPlan } from '../../src/model/plan/plan.ts';
import { waysBackIn } from '../layout/ways-back.ts';
import { gateLabel } from './gate-label.ts';
import type { PhaseStanding, RunStanding } from './run-standing.ts';

/** A box or a diamond. */
export interface OutlineNode {
  readonly id: string;
  /** Lines of text, as the user wrote them. */
  readonly label: readonly string[];
}

/** A phase. */
export interface OutlinePhase {
  readonly id: string;
  readonly name: string;
  /** The status of the phase, if the picture shows a run. */
  readonly standing: PhaseStanding | undefined;
  readonly tasks: readonly OutlineNode[];
  readonly gate: OutlineNode | undefined;
  /** Pairs of ids: the earlier node, then the later one. The gate comes after the last tasks. */
  readonly order: readonly (readonly [string, string])[];
  /** The node that arrows to the phase end at, and the node that arrows from it start at. */
  readonly first: string;
  readonly last: string;
}

/** A phase that may send back an earlier one, or has done so. */
export interface OutlineRewind {
  readonly from: OutlinePhase;
  readonly to: OutlinePhase;
  /** The number of times, for example `rewind ≤ 2`. */
  readonly label: string;
  /** The number of times that it was taken. */
  readonly times: number;
}

/** A pipeline as boxes and arrows. */
export interface Outline {
  readonly name: string;
  /** Phases in the order of work: each comes after all that it depends on. Others keep the order of the plan. */
  readonly phases: readonly OutlinePhase[];
  readonly order: readonly (readonly [OutlinePhase, OutlinePhase])[];
  readonly rewinds: readonly OutlineRewind[];
}

/** Outlines a plan. @param standing The status of a run, if the picture shows one. */
export function outlineOf(plan: Plan, standing?: RunStanding): Outline {
  const { rank } = planGraph(plan);
  const linked = plan.phases
    .map((phase, index) => ({
      phase,
      to: outlinePhase(phase, index, standing?.phases.get(phase.name)),
      at: rank[index] ?? 0,
    }))
    .toSorted((one, other) => one.at - other.at);
  const byName = new Map(linked.map(({ phase: { name }, to }) => [name, to]));
  return {
    name: plan.name,
    phases: linked.map(({ to }) => to),
    order: linked.flatMap(({ phase, to }) => named(byName, phase.after).map((from) => [from, to] as const)),
    rewinds: waysBackIn(plan, standing).flatMap(({ from, to, label, times }) => {
      const [start, end] = [byName.get(from), byName.get(to)];
      return start && end ? [{ from: start, to: end, label, times }] : [];
    }),
  };
}

/** Puts a text on one line, without characters that pictures do not show. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\s]+/gu, ' ').trim();
}

// --- internal ---

function named(
  byName: ReadonlyMap<string, OutlinePhase | undefined>,
  names: readonly string[],
): readonly OutlinePhase[] {
  return names.flatMap((name) => byName.get(name) ?? []);
}

function outlinePhase(
  { name, tasks, gate, mode }: PhasePlan,
  index: number,
  standing: PhaseStanding | undefined,
): OutlinePhase {
  const id = `p${index}`;
  const ids = new Map(tasks.map((task, at) => [task.name, `${id}t${at}`]));
  const order = mode === 'parallel' ? [] : tasks.flatMap((task) => pairs(ids, task));
  const followed = new Set(order.map(([from]) => from));
  const ends = [...ids.values()].filter((task) => !followed.has(task));
  return {
    id,
    name,
    standing,
    tasks: tasks.map((task, at) => ({ id: `${id}t${at}`, label: [task.name] })),
    gate: gate ? { id: `${id}g`, label: gateLabel(gate) } : undefined,
    order: gate ? [...order, ...ends.map((task) => [task, `${id}g`] as const)] : order,
    first: `${id}t0`,
    last: gate ? `${id}g` : (ends.at(-1) ?? `${id}t0`),
  };
}

function pairs(ids: ReadonlyMap<string, string>, task: TaskPlan): readonly (readonly [string, string])[] {
  const to = ids.get(task.name);
  return task.after.flatMap((name) => {
    const from = ids.get(name);
    return from === undefined || to === undefined ? [] : [[from, to] as const];
  });
}
