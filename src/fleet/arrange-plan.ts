/**
 * Arrangement of a work plan: validation, and the levels in which its subtasks work.
 *
 * @module
 */
import { PlanInvalidError } from './plan-invalid-error.ts';
import { planProblems } from './plan-problems.ts';
import { commonFiles } from './touched-paths.ts';
import { PLAN_LIMITS, planSchema, type Subtask, type WorkPlan, type WorkPlanInput } from './work-plan.ts';

/** Options of {@link arrangePlan}. */
export interface ArrangeOptions {
  /**
   * Two subtasks of one level with files in common: the later one waits for the earlier one, or the plan is refused, so that its author
   * corrects it. @default 'serialise'
   */
  readonly overlaps?: 'serialise' | 'refuse' | undefined;
  /** Most subtasks. @default 200 */
  readonly maxSubtasks?: number | undefined;
}

/** A subtask that waits for another one, because both have files in common. */
export interface Delay {
  readonly subtask: string;
  readonly after: string;
  /** One path of each that overlap: that of the subtask, and that of the other. */
  readonly files: readonly [string, string];
}

/** A valid plan with its levels. */
export interface ArrangedPlan extends Omit<WorkPlan, 'phases'> {
  /** The subtasks of each level, in the order of the plan. Those of one level depend on none of it, and share no expected file. */
  readonly levels: readonly (readonly Subtask[])[];
  /** The waits that dependencies alone do not require. */
  readonly delays: readonly Delay[];
}

/**
 * Validates a plan, and computes its levels. A plan without subtasks becomes one subtask with the whole goal.
 *
 * @param plan A {@link WorkPlan}, or any value that claims to be one.
 * @throws PlanInvalidError `PLAN_INVALID` with every problem.
 */
export function arrangePlan(plan: WorkPlanInput, options: ArrangeOptions = {}): ArrangedPlan {
  const { overlaps = 'serialise', maxSubtasks = PLAN_LIMITS.subtasks } = options;
  const read = readPlan(plan);
  const problems = planProblems(read, maxSubtasks);
  if (problems.length > 0) throw new PlanInvalidError(problems);
  const { goal, plan_markdown, subtasks } = read;
  const { levels, delays } = schedule(subtasks.length > 0 ? subtasks : [wholeGoal(goal)]);
  if (overlaps === 'refuse' && delays.length > 0) throw new PlanInvalidError(delays.map(overlapProblem));
  return { goal, plan_markdown, subtasks: levels.flat(), levels, delays };
}

/** Reads a value as a plan, and fills in its defaults. @throws PlanInvalidError `PLAN_INVALID` with every field of the wrong shape. */
export function readPlan(plan: unknown): WorkPlan {
  const parsed = planSchema.safeParse(plan);
  if (parsed.success) return parsed.data;
  throw new PlanInvalidError(
    parsed.error.issues.map(({ path, message }) => ({
      code: 'SHAPE_INVALID',
      message: `${path.join('.') || 'the plan'}: ${message}`,
      hint: 'Correct the value.',
    })),
  );
}

// --- internal ---

/** The subtask of a plan that has none. */
function wholeGoal(goal: string): Subtask {
  const title = goal.length > PLAN_LIMITS.title ? `${goal.slice(0, PLAN_LIMITS.title - 1)}…` : goal;
  return { id: 'goal', title, description: goal, depends_on: [], files_touched: [] };
}

/**
 * Fills one level after the other. A subtask joins the first level after those of its dependencies in which no earlier one of the plan
 * has a file in common with it.
 */
function schedule(subtasks: readonly Subtask[]): Pick<ArrangedPlan, 'levels' | 'delays'> {
  const levels: (readonly Subtask[])[] = [];
  const delays: Delay[] = [];
  const done = new Set<string>();
  let waiting = subtasks;
  while (waiting.length > 0) {
    const level: Subtask[] = [];
    for (const subtask of waiting) {
      if (!subtask.depends_on.every((id) => done.has(id))) continue;
      const delay = firstDelay(subtask, level);
      if (delay) delays.push(delay);
      else level.push(subtask);
    }
    levels.push(level);
    for (const { id } of level) done.add(id);
    waiting = waiting.filter(({ id }) => !done.has(id));
  }
  return { levels, delays };
}

function firstDelay(subtask: Subtask, level: readonly Subtask[]): Delay | undefined {
  for (const other of level) {
    const files = commonFiles(subtask.files_touched, other.files_touched);
    if (files) return { subtask: subtask.id, after: other.id, files };
  }
  return undefined;
}

function overlapProblem({ subtask, after, files: [own, other] }: Delay) {
  return {
    code: 'FILES_OVERLAP',
    message: `subtasks "${after}" and "${subtask}" may work at the same time, and both touch ${JSON.stringify(other)}${own === other ? '' : ` or ${JSON.stringify(own)}`}`,
    hint: `Let "${subtask}" depend on "${after}", or give each its own files.`,
  } as const;
}
