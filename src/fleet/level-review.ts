/**
 * The gate of a level: conflicts, programs, and reviewers of the integrated work.
 *
 * @module
 */
import { commandCheck } from '../actors/command/command-check.ts';
import { agentReviewer } from '../agents/work/agent-reviewer.ts';
import { approve, escalate, reject, type Decision } from '../model/decision/decision.ts';
import { task } from '../model/definition/define.ts';
import { asksPeople, mayAskPeople } from '../model/handlers/person.ts';
import type { AnyReview, Check, ReviewContext } from '../model/handlers/phase.ts';
import type { AnyTask, TaskContext } from '../model/handlers/task.ts';
import type { CheckResult } from '../model/review/check.ts';
import { cutList } from '../model/values/counts.ts';
import type { AgentLevelReviewer, FleetOptions, LevelCheck, LevelReview, LevelReviewer } from './fleet-options.ts';
import {
  fittingChange,
  integrationBefore,
  integrationIn,
  MERGES,
  readSubtask,
  type IntegrationOutput,
} from './level-outputs.ts';
import { inFolder, openForReading } from './review-folder.ts';
import { planText } from './subtask-prompt.ts';
import type { Subtask } from './work-plan.ts';

/** Makes the checks and reviewers of the gate of a level. */
export function levelReview(
  options: FleetOptions,
  { goal, plan_markdown }: LevelReview['plan'],
  subtasks: readonly Subtask[],
): AnyReview {
  const work = { plan: { goal, plan_markdown }, subtasks };
  const { conflicts = 'rework', checks = [], reviewers = [] } = options;
  return {
    checks: [...(conflicts === 'rework' ? [mergesCheck()] : []), ...checks.map((one) => programCheck(options, one))],
    by: [
      ...(conflicts === 'review' ? [] : [mergesReviewer(options)]),
      ...reviewers.map((one) => reviewerOf(options, work, one)),
    ],
  };
}

/** Makes a reviewer decide about conflicts first, as work that is left out is not approved by anybody who does not know of it. */
export function afterConflicts(options: FleetOptions, { name, options: made }: AnyTask): AnyTask {
  const runner: { run(context: TaskContext): unknown } = made;
  const { description, estimate, unreported, timeout, retry } = made;
  const run = (context: ReviewContext) => conflictIn(options, context) ?? runner.run(context);
  return task(name, {
    description,
    estimate,
    unreported,
    timeout,
    retry,
    run: mayAskPeople(made) ? asksPeople(run) : run,
  });
}

// --- internal ---

/** Criteria of a reviewer without its own. */
const CRITERIA =
  'Each subtask does what its description asks, completely and correctly, and changes no file without need. The changes fit together, and nothing that worked before is broken. An issue of one subtask names it as the affected task.';

/** Sends a conflict back once. The second conflict of the same subtask passes this check, and is for a person. */
function mergesCheck(): Check {
  return { name: MERGES, run: (context) => conflictResult(context) };
}

function conflictResult(context: ReviewContext): CheckResult {
  const { conflicts } = integrationIn(context.outputs);
  if (conflicts.length === 0 || isSecond(context)) return true;
  return {
    passed: false,
    requiredChange: fittingChange(conflicts),
    details: conflicts.map(conflictLine).join('\n'),
  };
}

/** True if a subtask conflicts that conflicted in the attempt before. */
function isSecond(context: ReviewContext): boolean {
  const { conflicts, base } = integrationIn(context.outputs);
  const before = integrationBefore(context, base)?.conflicts ?? [];
  return conflicts.some(({ name }) => before.some((other) => other.name === name));
}

/** Decides about conflicts that are not sent back. */
function mergesReviewer(options: FleetOptions): AnyTask {
  return task(MERGES, { run: (context: ReviewContext) => conflictIn(options, context) ?? approve() });
}

/** Runs a program in a folder of its own with the work of the level. */
function programCheck(options: FleetOptions, { name, line, ...rest }: LevelCheck): Check {
  // Made once here, so that an invalid line is refused when the plan is compiled.
  const { timeout, retries } = commandCheck(name, line, rest);
  return {
    name,
    timeout,
    retries,
    run: (context) => {
      const { commit } = integrationIn(context.outputs);
      return inFolder(options, commit, context, async (folder) => {
        const check = commandCheck(name, line, { ...rest, ...folder });
        return check.run(context);
      });
    },
  };
}

/** The work of a level in words. */
type LevelWork = Pick<LevelReview, 'plan' | 'subtasks'>;

function reviewerOf(options: FleetOptions, work: LevelWork, one: LevelReviewer): AnyTask {
  if ('agent' in one) return agentOf(options, work, one);
  return task(one.name, {
    run: async (context: ReviewContext) =>
      conflictIn(options, context) ?? one.review(await reviewOf(options, work, context)),
  });
}

function agentOf(
  options: FleetOptions,
  work: LevelWork,
  { name, agent, criteria = CRITERIA, estimate }: AgentLevelReviewer,
): AnyTask {
  const levels = new WeakMap<ReviewContext, LevelReview>();
  const reviewer = agentReviewer(name, {
    agent,
    criteria,
    estimate,
    retry: options.retry,
    permissions: options.permissions,
    workspace: async (context) => {
      levels.set(context, await reviewOf(options, work, context));
      return openForReading(options, integrationIn(context.outputs).commit, context);
    },
    material: (context) => materialOf(levels.get(context)),
  });
  return afterConflicts(options, reviewer);
}

/** The decision of every reviewer about work that does not fit together, unless it is for the reviewers to judge. */
function conflictIn({ conflicts = 'rework' }: FleetOptions, { outputs }: ReviewContext): Decision | undefined {
  const found = conflicts === 'review' ? [] : integrationIn(outputs).conflicts;
  if (found.length === 0) return undefined;
  const reason = `The subtasks do not fit together.\n${found.map(conflictLine).join('\n')}`;
  if (conflicts === 'halt') return reject(reason);
  return escalate(`${reason}\nApproving leaves the work of ${names(found)} out. A retry lets it work again.`);
}

async function reviewOf(
  { workspace, conflicts: how }: FleetOptions,
  { plan, subtasks }: LevelWork,
  context: ReviewContext,
): Promise<LevelReview> {
  const { base, commit, conflicts } = integrationIn(context.outputs);
  const difference = await workspace.diff({ from: base, to: commit, signal: context.signal });
  const stray = subtasks.map(({ id }) => [id, readSubtask(context.outputs[id]).outOfScope] as const);
  return {
    context,
    plan,
    subtasks,
    base,
    commit,
    difference,
    outOfScope: Object.fromEntries(stray.filter(([, paths]) => paths.length > 0)),
    conflicts: how === 'review' ? conflicts : [],
  };
}

/** The work of a level, as the material of an agent. */
function materialOf(level: LevelReview | undefined): Readonly<Record<string, unknown>> {
  if (!level) return {};
  const { plan, subtasks, difference, outOfScope, conflicts } = level;
  return {
    outputs: difference.text,
    overall_plan: planText(plan),
    subtasks: subtasks.map(({ id, title, description, files_touched }) => ({ id, title, description, files_touched })),
    ...(Object.keys(outOfScope).length > 0 && { files_that_the_plan_does_not_expect: outOfScope }),
    ...(conflicts.length > 0 && { left_out_because_of_conflicts: conflicts }),
  };
}

/** Most paths of a conflict in a text. */
const MOST_PATHS = 20;

type Conflicts = IntegrationOutput['conflicts'];

function conflictLine({ name, paths }: Conflicts[number]): string {
  return `Subtask "${name}" conflicts with earlier subtasks in ${cutList(paths, MOST_PATHS).join(', ')}.`;
}

function names(conflicts: Conflicts): string {
  return conflicts.map(({ name }) => `"${name}"`).join(', ');
}
