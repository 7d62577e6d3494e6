/**
 * Whether a definition of the right shape makes sense: names, order, reviews.
 *
 * @module
 */
import { namesOf, reviewersOf, reviewOptions, type Definition } from './definition.ts';
import { findCycle, graphOf, reach, topologicalOrder, type Graph, type GraphNode } from './graph.ts';
import type { AnyReview, PhaseSettings } from './phase-types.ts';
import type { Problem } from './problems.ts';
import { nameProblem } from './names.ts';
import type { AnyTask } from './task-types.ts';

/** Everything that is wrong with a definition whose shape is right. */
export function structureProblems(definition: Definition, nodes: readonly GraphNode[]): readonly Problem[] {
  const graph = graphOf(nodes);
  const acyclic = topologicalOrder(graph).length === nodes.length;
  return [
    ...emptiness(definition),
    ...names(
      'the pipeline',
      'phase',
      nodes.map((node) => node.name),
    ),
    ...names('the pipeline', 'pipeline', [definition.name]),
    ...nodes.flatMap((node) => unknown(node, graph)),
    ...impostors(definition),
    ...cycles('the pipeline', nodes),
    ...definition.phases.flatMap((phase) => taskProblems(phase.name, phase.options)),
    ...definition.phases.flatMap((phase, index) => gateProblems(phase, graph, acyclic, index)),
  ];
}

// --- internal ---

function emptiness(definition: Definition): readonly Problem[] {
  if (definition.phases.length > 0) return [];
  return [{ code: 'TASKS_EMPTY', where: 'the pipeline', message: 'it has no phases', hint: 'Add at least one phase.' }];
}

function names(scope: string, kind: string, list: readonly string[]): readonly Problem[] {
  const counts = new Map<string, number>();
  for (const name of list) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].flatMap(([name, count]): readonly Problem[] => {
    const own = `${kind} ${JSON.stringify(name)}`;
    const bad = nameProblem(name);
    const where = scope === 'the pipeline' ? own : `${scope}, ${own}`;
    if (bad) return [{ ...bad, where }];
    if (count === 1) return [];
    const message = `the ${kind} name "${name}" is used ${count === 2 ? 'twice' : `${count} times`}`;
    return [{ code: 'NAME_DUPLICATE', where: scope, message, hint: 'Give each a name of its own.' }];
  });
}

function unknown(node: GraphNode, graph: Graph): readonly Problem[] {
  return node.after
    .filter((name) => !graph.indexOf.has(name))
    .map((name) => ({
      code: 'PREDECESSOR_UNKNOWN',
      where: `phase "${node.name}"`,
      message: `it comes after "${name}", which is not a phase of this pipeline`,
      hint: `Add that phase, or correct the name; the ${graph.indexOf.size === 1 ? 'only phase is' : 'phases are'} ${quoted([...graph.indexOf.keys()])}.`,
    }));
}

/** A phase object in `after` that is not the one in the pipeline would make the types of its inputs wrong. */
function impostors(definition: Definition): readonly Problem[] {
  const members = new Map<string, unknown>(definition.phases.map((phase) => [phase.name, phase]));
  return definition.phases.flatMap((phase) =>
    (phase.options.after ?? [])
      .filter(
        (one) => typeof one === 'object' && one !== null && members.has(one.name) && members.get(one.name) !== one,
      )
      .map((one): Problem => {
        const name = typeof one === 'string' ? one : one.name;
        const message = `it comes after another phase object named "${name}" than the one in this pipeline`;
        return {
          code: 'PREDECESSOR_UNKNOWN',
          where: `phase "${phase.name}"`,
          message,
          hint: 'Use the same object in both places.',
        };
      }),
  );
}

/** One cycle, and one of what is left without it, and so on. */
function cycles(where: string, nodes: readonly GraphNode[]): readonly Problem[] {
  const found: Problem[] = [];
  let left = nodes;
  while (found.length < MOST_CYCLES) {
    const path = findCycle(graphOf(left));
    if (!path) break;
    const members = new Set(path);
    left = left.filter((node) => !members.has(node.name));
    const [before = '', last = ''] = path.slice(-2);
    const hint =
      path.length === 2
        ? `Drop "${last}" from its own after list.`
        : `Drop one dependency on that path, such as "${before}" from the after list of "${last}".`;
    found.push({ code: 'CYCLE', where, message: `there is a cycle: ${shorten(path).join(' → ')}`, hint });
  }
  return found;
}

const MOST_CYCLES = 10;

function shorten(path: readonly string[]): readonly string[] {
  if (path.length <= 12) return path;
  return [...path.slice(0, 5), `(${path.length - 10} more)`, ...path.slice(-5)];
}

function taskProblems(phase: string, options: PhaseSettings): readonly Problem[] {
  const where = `phase "${phase}"`;
  const tasks = options.tasks ?? [];
  if (tasks.length === 0) {
    return [{ code: 'TASKS_EMPTY', where, message: 'it has no tasks', hint: 'Give it at least one task.' }];
  }
  const nodes = tasks.map((task) => ({ name: task.name, after: namesOf(task.options.after) }));
  const graph = graphOf(nodes);
  return [
    ...names(where, 'task', graph.names),
    ...tasks.flatMap((task) => elsewhere(where, task, graph)),
    ...cycles(where, nodes),
    ...(options.mode === 'sequential' ? tasks.flatMap((task, index) => backwards(where, task, graph, index)) : []),
  ];
}

function elsewhere(where: string, task: AnyTask, graph: Graph): readonly Problem[] {
  return namesOf(task.options.after)
    .filter((name) => !graph.indexOf.has(name))
    .map((name) => ({
      code: 'NOT_UPSTREAM',
      where: `${where}, task "${task.name}"`,
      message: `it comes after "${name}", which is not a task of this phase`,
      hint: 'Name a task of the same phase; outputs of earlier phases are in `inputs`.',
    }));
}

function backwards(where: string, task: AnyTask, graph: Graph, index: number): readonly Problem[] {
  return namesOf(task.options.after)
    .filter((name) => (graph.indexOf.get(name) ?? -1) > index)
    .map((name) => ({
      code: 'NOT_UPSTREAM',
      where: `${where}, task "${task.name}"`,
      message: `it comes after "${name}", which runs later in a sequential phase`,
      hint: `Move "${name}" up, or use mode "dependencies".`,
    }));
}

function gateProblems(
  phase: Definition['phases'][number],
  graph: Graph,
  acyclic: boolean,
  index: number,
): readonly Problem[] {
  const review = reviewOptions(phase.options.review);
  if (!review) return [];
  const where = `phase "${phase.name}", review`;
  const reviewers = reviewersOf(review).map((one) => one.name);
  return [
    ...names(where, 'reviewer', reviewers),
    ...names(
      where,
      'check',
      (review.checks ?? []).map((one) => one.name),
    ),
    ...reviewersOf(review).flatMap((one) => ordered(where, one)),
    ...hollow(where, review, reviewers.length),
    ...(acyclic ? targets(where, review, graph, index) : []),
  ];
}

function ordered(where: string, reviewer: AnyTask): readonly Problem[] {
  const after = namesOf(reviewer.options.after);
  if (after.length === 0) return [];
  const message = `it comes after ${quoted(after)}, but reviewers are asked at the same time, when all tasks are done`;
  const hint = 'Leave `after` out; the outputs of the tasks are in `outputs`.';
  return [{ code: 'NOT_UPSTREAM', where: `${where}, reviewer "${reviewer.name}"`, message, hint }];
}

function hollow(where: string, review: AnyReview, reviewers: number): readonly Problem[] {
  if (reviewers === 0 && (review.checks ?? []).length === 0) {
    const hint = 'Add a reviewer in `by` or a check in `checks`, or leave the review out.';
    return [{ code: 'REVIEW_EMPTY', where, message: 'it has neither reviewers nor checks', hint }];
  }
  if (typeof review.quorum !== 'number' || review.quorum <= reviewers) return [];
  const count = reviewers === 0 ? 'no reviewers' : reviewers === 1 ? '1 reviewer' : `${reviewers} reviewers`;
  const message = `its quorum is ${review.quorum} but it has ${count}`;
  return [{ code: 'QUORUM_IMPOSSIBLE', where, message, hint: 'Lower the quorum or add reviewers.' }];
}

function targets(where: string, review: AnyReview, graph: Graph, index: number): readonly Problem[] {
  if (review.rewindTo === undefined || typeof review.rewindTo === 'string') return [];
  const above = new Set([...reach(graph.before, index)].map((node) => graph.names[node] ?? ''));
  return namesOf(review.rewindTo)
    .filter((name) => !above.has(name))
    .map((name) => ({
      code: 'REWIND_IMPOSSIBLE',
      where,
      message: `it may send back "${name}", which is not upstream`,
      hint:
        above.size === 0
          ? 'This phase has no predecessors to send back.'
          : `Upstream ${above.size === 1 ? 'is' : 'are'} ${quoted([...above])}.`,
    }));
}

function quoted(list: readonly string[]): string {
  const some = list.slice(0, 12).map((name) => `"${name}"`);
  return some.join(', ') + (list.length > some.length ? ' and more' : '');
}
