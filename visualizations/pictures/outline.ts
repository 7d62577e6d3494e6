/**
 * What every picture of a pipeline shows: phases with their tasks and gate, and the ways between them.
 *
 * Names come from users, so nodes are called by their position: `p0`, `p0t1`, `p0g`.
 *
 * @module
 */
import type { PhasePlan, Plan, TaskPlan } from '../../src/model/plan/plan.ts';
import { waysBackIn } from '../layout/ways-back.ts';
import { gateLabel } from './gate-label.ts';
import type { PhaseStanding, RunStanding } from './run-standing.ts';

/** One box or diamond. */
export interface OutlineNode {
  readonly id: string;
  /** Lines of text, as the user wrote them. */
  readonly label: readonly string[];
}

/** One phase. */
export interface OutlinePhase {
  readonly id: string;
  readonly name: string;
  /** How it stands, where the picture is of a run. */
  readonly standing: PhaseStanding | undefined;
  readonly tasks: readonly OutlineNode[];
  readonly gate: OutlineNode | undefined;
  /** Pairs of ids: from what comes first to what comes after it. The gate comes after the last tasks. */
  readonly order: readonly (readonly [string, string])[];
  /** Where arrows to the phase end, and where those from it begin. */
  readonly first: string;
  readonly last: string;
}

/** A phase that may send back an earlier one, or has. */
export interface OutlineRewind {
  readonly from: OutlinePhase;
  readonly to: OutlinePhase;
  /** How often, such as `rewind ≤ 2`. */
  readonly label: string;
  /** How often it has. */
  readonly times: number;
}

/** A pipeline as boxes and arrows. */
export interface Outline {
  readonly name: string;
  readonly phases: readonly OutlinePhase[];
  readonly order: readonly (readonly [OutlinePhase, OutlinePhase])[];
  readonly rewinds: readonly OutlineRewind[];
}

/** Outlines a plan. @param standing How a run of it stands, where the picture is of a run. */
export function outlineOf(plan: Plan, standing?: RunStanding): Outline {
  const phases = plan.phases.map((phase, index) => outlinePhase(phase, index, standing?.phases.get(phase.name)));
  const byName = new Map(plan.phases.map(({ name }, index) => [name, phases[index]]));
  const linked = plan.phases.flatMap((phase, index) => {
    const to = phases[index];
    return to ? [{ phase, to }] : [];
  });
  return {
    name: plan.name,
    phases,
    order: linked.flatMap(({ phase, to }) => named(byName, phase.after).map((from) => [from, to] as const)),
    rewinds: waysBackIn(plan, standing).flatMap(({ from, to, label, times }) => {
      const [start, end] = [byName.get(from), byName.get(to)];
      return start && end ? [{ from: start, to: end, label, times }] : [];
    }),
  };
}

/** A text on one line, without characters that no picture shows. */
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
