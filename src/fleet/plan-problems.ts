/**
 * Problems of a work plan whose shape is valid.
 *
 * @module
 */
import { nameProblem } from '../model/definition/names.ts';
import { OWN_TASKS } from '../model/plan/level.ts';
import { findCycle, graphOf, type Graph } from '../model/values/graph.ts';
import type { PlanProblem } from './plan-invalid-error.ts';
import { plainPath } from './touched-paths.ts';
import type { Subtask, WorkPlan } from './work-plan.ts';

/** Finds every problem of a plan. */
export function planProblems({ subtasks, phases }: WorkPlan, maxSubtasks: number): readonly PlanProblem[] {
  // A plan that is far too long is not looked at, as its problems would be as many.
  if (subtasks.length > maxSubtasks) return [tooMany(subtasks.length, maxSubtasks)];
  const graph = graphOf(subtasks.map(({ id, depends_on }) => ({ name: id, after: depends_on })));
  const cycle = findCycle(graph);
  return [
    ...idProblems(subtasks),
    ...subtasks.flatMap((subtask) => [...dependencyProblems(subtask, graph), ...pathProblems(subtask)]),
    ...(cycle && cycle.length > 2 ? [cyclic(cycle)] : []),
    ...(cycle || !phases ? [] : phaseProblems(phases, levelsOf(subtasks, graph))),
  ];
}

// --- internal ---

function tooMany(found: number, most: number): PlanProblem {
  return {
    code: 'SUBTASKS_TOO_MANY',
    message: `it has ${found} subtasks, and ${most} at most are allowed`,
    hint: 'Join small subtasks, or split the goal into several plans.',
  };
}

function idProblems(subtasks: readonly Subtask[]): readonly PlanProblem[] {
  const seen = new Set<string>();
  return subtasks.flatMap(({ id }): readonly PlanProblem[] => {
    if (Object.hasOwn(OWN_TASKS, id)) {
      const hint = 'Give it another id, as every level has a task of that name.';
      return [{ code: 'ID_INVALID', message: `subtask "${id}" has a reserved id`, hint }];
    }
    const problem = nameProblem(id);
    if (problem) {
      const message = `the id ${JSON.stringify(id)} cannot be the name of a task: ${problem.message}`;
      return [{ code: 'ID_INVALID', message, hint: 'Use letters and digits, such as "2a".' }];
    }
    const isTwice = seen.has(id);
    seen.add(id);
    const message = `two subtasks have the id "${id}"`;
    return isTwice ? [{ code: 'ID_DUPLICATE', message, hint: 'Give each subtask an id of its own.' }] : [];
  });
}

function dependencyProblems({ id, depends_on }: Subtask, { indexOf }: Graph): readonly PlanProblem[] {
  return [...new Set(depends_on)].flatMap((other): readonly PlanProblem[] => {
    if (other === id) {
      return [
        { code: 'DEPENDENCY_CYCLE', message: `subtask "${id}" depends on itself`, hint: 'Remove that dependency.' },
      ];
    }
    if (indexOf.has(other)) return [];
    const message = `subtask "${id}" depends on ${JSON.stringify(other)}, which is not in the plan`;
    return [{ code: 'DEPENDENCY_UNKNOWN', message, hint: 'Name the id of another subtask, or remove it.' }];
  });
}

function pathProblems({ id, files_touched }: Subtask): readonly PlanProblem[] {
  return files_touched
    .filter((path) => plainPath(path) === undefined)
    .map((path) => ({
      code: 'PATH_INVALID',
      message: `subtask "${id}" touches ${JSON.stringify(path)}, which is not in the repository`,
      hint: 'Write paths relative to the top of the repository, without "..".',
    }));
}

function cyclic(cycle: readonly string[]): PlanProblem {
  return {
    code: 'DEPENDENCY_CYCLE',
    message: `subtasks depend on each other: ${cycle.join(' → ')}`,
    hint: 'Remove one of these dependencies.',
  };
}

/** The ids of each level, by dependencies alone. */
function levelsOf(subtasks: readonly Subtask[], { before, rank, names }: Graph): readonly (readonly string[])[] {
  const levels: string[][] = [];
  const levelOf = new Map<number, number>();
  const inOrder = subtasks.map((_, index) => index).toSorted((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0));
  for (const index of inOrder) {
    const level = Math.max(-1, ...(before[index] ?? []).map((one) => levelOf.get(one) ?? -1)) + 1;
    levelOf.set(index, level);
    (levels[level] ??= []).push(names[index] ?? '');
  }
  return levels;
}

function phaseProblems(
  given: WorkPlan['phases'] = [],
  computed: readonly (readonly string[])[],
): readonly PlanProblem[] {
  const text = (levels: readonly (readonly string[])[]) => JSON.stringify(levels.map((level) => level.toSorted()));
  if (text(given) === text(computed)) return [];
  return [
    {
      code: 'PHASES_DIFFER',
      message: `its phases are ${JSON.stringify(given)}, and its dependencies make ${JSON.stringify(computed)}`,
      hint: 'Leave `phases` out, or correct the dependencies.',
    },
  ];
}
