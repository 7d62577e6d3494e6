/**
 * Whether a definition of the right shape makes sense: names, order, reviews.
 *
 * @module
 */
import { namesOf, reviewersOf, reviewOptions, type Definition } from './definition.ts';
import { findCycle, graphOf, reach, topologicalOrder, type Graph, type GraphNode } from './graph.ts';
import type { PhaseSettings, ReviewOptions } from './phase-types.ts';
import type { Problem } from './problems.ts';
import { nameProblem } from './shape.ts';
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
    ...cycle('the pipeline', graph),
    ...definition.phases.flatMap((phase) => taskProblems(phase.name, phase.options)),
    ...definition.phases.flatMap((phase, index) => gateProblems(phase, graph, acyclic, index)),
  ];
}

// --- internal ---

function emptiness(definition: Definition): readonly Problem[] {
  if (definition.phases.length > 0) return [];
  return [{ code: 'TASKS_EMPTY', where: 'the pipeline', message: 'it has no phases', hint: 'Add at least one phase.' }];
}

function names(where: string, kind: string, list: readonly string[]): readonly Problem[] {
  const seen = new Set<string>();
  return list.flatMap((name): readonly Problem[] => {
    const bad = nameProblem(name);
    if (bad) return [{ ...bad, where: `${where}, ${kind} ${JSON.stringify(name)}` }];
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const message = `the ${kind} name "${name}" is used twice`;
    return [{ code: 'NAME_DUPLICATE', where, message, hint: `Rename one ${kind}.` }];
  });
}

function unknown(node: GraphNode, graph: Graph): readonly Problem[] {
  return node.after
    .filter((name) => !graph.indexOf.has(name))
    .map((name) => ({
      code: 'PREDECESSOR_UNKNOWN',
      where: `phase "${node.name}"`,
      message: `it comes after "${name}", which is not a phase of this pipeline`,
      hint: `Add that phase, or correct the name; the phases are ${quoted(graph.names)}.`,
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

function cycle(where: string, graph: Graph): readonly Problem[] {
  const path = findCycle(graph);
  if (!path) return [];
  const hint = `Drop one dependency on that path, such as "${path.at(-2)}" from the after list of "${path.at(-1)}".`;
  return [{ code: 'CYCLE', where, message: `there is a cycle: ${path.join(' → ')}`, hint }];
}

function taskProblems(phase: string, options: PhaseSettings): readonly Problem[] {
  const where = `phase "${phase}"`;
  const tasks = options.tasks ?? [];
  if (tasks.length === 0) {
    return [{ code: 'TASKS_EMPTY', where, message: 'it has no tasks', hint: 'Give it at least one task.' }];
  }
  const graph = graphOf(tasks.map((task) => ({ name: task.name, after: namesOf(task.options.after) })));
  return [
    ...names(where, 'task', graph.names),
    ...tasks.flatMap((task) => elsewhere(where, task, graph)),
    ...cycle(where, graph),
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
    ...hollow(where, review, reviewers.length),
    ...(acyclic ? targets(where, review, graph, index) : []),
  ];
}

function hollow(where: string, review: ReviewOptions<never, never>, reviewers: number): readonly Problem[] {
  if (reviewers === 0 && (review.checks ?? []).length === 0) {
    const hint = 'Add a reviewer in `by` or a check in `checks`, or leave the review out.';
    return [{ code: 'REVIEW_EMPTY', where, message: 'it has neither reviewers nor checks', hint }];
  }
  if (typeof review.quorum !== 'number' || review.quorum <= reviewers) return [];
  const message = `its quorum is ${review.quorum} but it has ${reviewers} reviewers`;
  return [{ code: 'QUORUM_IMPOSSIBLE', where, message, hint: 'Lower the quorum or add reviewers.' }];
}

function targets(where: string, review: ReviewOptions<never, never>, graph: Graph, index: number): readonly Problem[] {
  if (review.rewindTo === undefined || typeof review.rewindTo === 'string') return [];
  const above = new Set([...reach(graph.before, index)].map((node) => graph.names[node] ?? ''));
  return namesOf(review.rewindTo)
    .filter((name) => !above.has(name))
    .map((name) => ({
      code: 'REWIND_IMPOSSIBLE',
      where,
      message: `it may send back "${name}", which is not upstream`,
      hint: above.size === 0 ? 'This phase has no predecessors to send back.' : `Upstream are ${quoted([...above])}.`,
    }));
}

function quoted(list: readonly string[]): string {
  const some = list.slice(0, 12).map((name) => `"${name}"`);
  return some.join(', ') + (list.length > some.length ? ' and more' : '');
}
