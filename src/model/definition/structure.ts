/**
 * Validation of a well-shaped definition's structure: names, order, reviews.
 *
 * @module
 */
import type { AnyPhase, AnyReview, PhaseSettings } from '../handlers/phase.ts';
import type { AnyTask } from '../handlers/task.ts';
import { counted, cutList } from '../values/counts.ts';
import { graphOf, reach, type Graph, type GraphNode } from '../values/graph.ts';
import { cycles, isAcyclic } from './cycles.ts';
import { estimateProblems } from './estimates.ts';
import { nameProblem, nameProblems } from './names.ts';
import type { Problem } from './pipeline-invalid-error.ts';
import { placeIn, type Path } from './places.ts';
import { needsReflector, recallProblems } from './recall.ts';
import { namesOf, reviewersOf, reviewOptions, type Definition } from './shorthand.ts';

/** Returns every structural problem of a definition whose shape is right. */
export function structureProblems(
  definition: Definition,
  nodes: readonly GraphNode[],
  graph: Graph,
): readonly Problem[] {
  const acyclic = isAcyclic(graph);
  const unknown: Problem[] = [];
  const foreign: Problem[] = [];
  const tasks: Problem[] = [];
  const gates: Problem[] = [];
  const recalls: Problem[] = [];
  // One pass over all phases. Most have nothing to look at, so that most of this file is never compiled.
  const mayBePlain = !needsReflector(definition);
  definition.phases.forEach((phase, index) => {
    if (mayBePlain && isPlain(phase, definition, graph)) return;
    addTo(unknown, unknownPhases(phase, nodes[index], graph, index));
    addTo(foreign, foreignPhases(phase, definition, graph, index));
    addTo(tasks, taskProblems(phase.name, phase.options, index));
    addTo(gates, gateProblems(phase, graph, acyclic, index));
    if (acyclic) addTo(recalls, recallProblems(definition, graph, index));
  });
  return [
    ...emptiness(definition),
    ...nameProblems('the pipeline', 'phase', nodes, ['phases'], graph.indexOf.size),
    ...nameProblems('the pipeline', 'pipeline', [definition], []),
    ...unknown,
    ...foreign,
    ...cycles('the pipeline', nodes, graph, definition.phases, ['phases']),
    ...tasks,
    ...gates,
    ...recalls,
    ...estimateProblems(definition),
  ];
}

// --- internal ---

/** Shared by all phases without problems: a list for each would fill the memory. */
const NO_PROBLEMS: readonly Problem[] = [];

/** True if a phase only comes after phases of this pipeline, and has one task with a usual name. Its review is a function or missing. */
function isPlain({ options }: Definition['phases'][number], { phases }: Definition, { indexOf }: Graph): boolean {
  const { after, review, subscribe, tasks } = options;
  const [only] = tasks ?? [];
  if (!only || tasks.length > 1 || only.options.after || nameProblem(only.name) || subscribe) return false;
  if (review && typeof review !== 'function') return false;
  for (let at = 0; at < (after?.length ?? 0); at++) {
    const one = after?.[at];
    const known = one ? indexOf.get(typeof one === 'string' ? one : one.name) : undefined;
    if (known === undefined || (typeof one === 'object' && phases[known] !== one)) return false;
  }
  return true;
}

function addTo(list: Problem[], some: readonly Problem[]): void {
  if (some.length === 0) return;
  for (const one of some) list.push(one);
}

function emptiness(definition: Definition): readonly Problem[] {
  if (definition.phases.length > 0) return [];
  const hint = 'Add at least one phase.';
  return [{ code: 'TASKS_EMPTY', where: 'the pipeline', message: 'it has no phases', hint, path: ['phases'] }];
}

function unknownPhases(
  { name: own, options }: Definition['phases'][number],
  node: GraphNode | undefined,
  graph: Graph,
  index: number,
): readonly Problem[] {
  if (!node || node.after.every((name) => graph.indexOf.has(name))) return NO_PROBLEMS;
  return node.after
    .filter((name) => !graph.indexOf.has(name))
    .map((name) => ({
      code: 'PREDECESSOR_UNKNOWN',
      where: `phase "${own}"`,
      message: `it comes after "${name}", which is not a phase of this pipeline`,
      hint: `Add that phase, or correct the name; the ${graph.indexOf.size === 1 ? 'only phase is' : 'phases are'} ${quoted([...graph.indexOf.keys()])}.`,
      path: placeIn(['phases', index, 'after'], options.after, name),
    }));
}

/** Reports phase objects in `after` that are not those in the pipeline, as the types of the inputs would be wrong. */
function foreignPhases(
  phase: Definition['phases'][number],
  definition: Definition,
  { indexOf }: Graph,
  index: number,
): readonly Problem[] {
  const { after } = phase.options;
  if (!after?.some((one) => isForeign(one, definition, indexOf))) return NO_PROBLEMS;
  return after
    .filter((one) => isForeign(one, definition, indexOf))
    .map((one): Problem => {
      const name = typeof one === 'string' ? one : one.name;
      const message = `it comes after another phase object named "${name}" than the one in this pipeline`;
      return {
        code: 'PREDECESSOR_UNKNOWN',
        where: `phase "${phase.name}"`,
        message,
        hint: 'Use the same object in both places.',
        path: placeIn(['phases', index, 'after'], after, name),
      };
    });
}

function isForeign(
  one: AnyPhase | string | null | undefined,
  { phases }: Definition,
  indexOf: Graph['indexOf'],
): boolean {
  if (typeof one !== 'object' || one === null) return false;
  const known = indexOf.get(one.name);
  return known !== undefined && phases[known] !== one;
}

function taskProblems(phase: string, options: PhaseSettings, index: number): readonly Problem[] {
  const tasks = options.tasks ?? [];
  const [only] = tasks;
  // Most phases have one task, which needs no graph.
  if (only && tasks.length === 1 && !nameProblem(only.name) && namesOf(only.options.after).length === 0)
    return NO_PROBLEMS;
  const where = `phase "${phase}"`;
  const path = ['phases', index, 'tasks'];
  if (tasks.length === 0) {
    return [{ code: 'TASKS_EMPTY', where, message: 'it has no tasks', hint: 'Give it at least one task.', path }];
  }
  const nodes = tasks.map((task) => ({ name: task.name, after: namesOf(task.options.after) }));
  const graph = graphOf(nodes);
  const sequential = options.mode === 'sequential';
  return [
    ...nameProblems(where, 'task', tasks, path),
    ...tasks.flatMap((task, at) => unknownTasks(where, task, graph, [...path, at, 'after'])),
    ...cycles(where, nodes, graph, tasks, path),
    ...(sequential ? tasks.flatMap((task, at) => laterTasks(where, task, graph, at, path)) : []),
  ];
}

function unknownTasks(where: string, task: AnyTask, graph: Graph, path: Path): readonly Problem[] {
  return namesOf(task.options.after)
    .filter((name) => !graph.indexOf.has(name))
    .map((name) => ({
      code: 'NOT_UPSTREAM',
      where: `${where}, task "${task.name}"`,
      message: `it comes after "${name}", which is not a task of this phase`,
      hint: 'Name a task of the same phase; outputs of earlier phases are in `inputs`.',
      path: placeIn(path, task.options.after, name),
    }));
}

function laterTasks(where: string, task: AnyTask, graph: Graph, index: number, path: Path): readonly Problem[] {
  return namesOf(task.options.after)
    .filter((name) => (graph.indexOf.get(name) ?? -1) > index)
    .map((name) => ({
      code: 'NOT_UPSTREAM',
      where: `${where}, task "${task.name}"`,
      message: `it comes after "${name}", which runs later in a sequential phase`,
      hint: `Move "${name}" up, or use mode "dependencies".`,
      path: placeIn([...path, index, 'after'], task.options.after, name),
    }));
}

function gateProblems(
  phase: Definition['phases'][number],
  graph: Graph,
  acyclic: boolean,
  index: number,
): readonly Problem[] {
  // A function alone has a name from phasegate, and no options.
  if (typeof phase.options.review === 'function') return NO_PROBLEMS;
  const review = reviewOptions(phase.options.review);
  if (!review) return NO_PROBLEMS;
  const where = `phase "${phase.name}", review`;
  const path = ['phases', index, 'review'];
  const reviewers = reviewersOf(review);
  return [
    ...nameProblems(where, 'reviewer', reviewers, [...path, 'by']),
    ...nameProblems(where, 'check', review.checks ?? [], [...path, 'checks']),
    ...reviewers.flatMap((one, at) => orderedReviewer(where, one, [...path, 'by', at, 'after'])),
    ...emptyReview(where, review, reviewers.length, path),
    ...(acyclic ? targets(where, review, graph, index) : []),
  ];
}

function orderedReviewer(where: string, reviewer: AnyTask, path: Path): readonly Problem[] {
  const after = namesOf(reviewer.options.after);
  if (after.length === 0) return [];
  const message = `it comes after ${quoted(after)}, but reviewers are asked at the same time, when all tasks are done`;
  const hint = 'Leave `after` out; the outputs of the tasks are in `outputs`.';
  return [{ code: 'NOT_UPSTREAM', where: `${where}, reviewer "${reviewer.name}"`, message, hint, path }];
}

function emptyReview(where: string, review: AnyReview, reviewers: number, path: Path): readonly Problem[] {
  if (reviewers === 0 && (review.checks ?? []).length === 0) {
    const hint = 'Add a reviewer in `by` or a check in `checks`, or leave the review out.';
    return [{ code: 'REVIEW_EMPTY', where, message: 'it has neither reviewers nor checks', hint, path }];
  }
  if (typeof review.quorum !== 'number' || review.quorum <= reviewers) return [];
  const count = reviewers === 0 ? 'no reviewers' : counted(reviewers, 'reviewer');
  const message = `its quorum is ${review.quorum} but it has ${count}`;
  const hint = 'Lower the quorum or add reviewers.';
  return [{ code: 'QUORUM_IMPOSSIBLE', where, message, hint, path: [...path, 'quorum'] }];
}

function targets(where: string, review: AnyReview, graph: Graph, index: number): readonly Problem[] {
  const { rewindTo } = review;
  if (rewindTo === undefined || typeof rewindTo === 'string') return [];
  const above = new Set([...reach(graph.before, index)].map((node) => graph.names[node] ?? ''));
  return namesOf(rewindTo)
    .filter((name) => !above.has(name))
    .map((name) => ({
      code: 'REWIND_IMPOSSIBLE',
      where,
      message: `it may send back "${name}", which is not upstream`,
      hint:
        above.size === 0
          ? 'This phase has no predecessors to send back.'
          : `Upstream ${above.size === 1 ? 'is' : 'are'} ${quoted([...above])}.`,
      path: placeIn(['phases', index, 'review', 'rewindTo'], rewindTo, name),
    }));
}

function quoted(list: readonly string[]): string {
  return cutList(list, 12, (name) => `"${name}"`).join(', ');
}
