/**
 * The compiler of work plans: a plan becomes a pipeline.
 *
 * @module
 */
import { agentRetry, refuseAccess } from '../agents/work/patience.ts';
import { unreportedBy } from '../agents/work/unreported.ts';
import { definePipeline, phase, task, type Pipeline } from '../model/definition/define.ts';
import type { AnyPhase } from '../model/handlers/phase.ts';
import type { AnyTask, TaskContext } from '../model/handlers/task.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { HAND_OVER, levelName, OWN_TASKS, subtaskDescription } from '../model/plan/level.ts';
import { policies } from '../model/plan/policy.ts';
import { contentHash } from '../model/values/content-hash.ts';
import { approvalPhase } from './approval.ts';
import { arrangePlan, type ArrangedPlan } from './arrange-plan.ts';
import { refuseOptions, type FleetOptions } from './fleet-options.ts';
import { foldersAfter } from './folders-ahead.ts';
import { INTEGRATION } from './level-outputs.ts';
import { createLevelEnd, type LevelEnd } from './level-end.ts';
import { levelReview } from './level-review.ts';
import { integrate, publishLast, takeBase, type LevelBefore } from './level-tasks.ts';
import { boundLines } from './plan-bounds.ts';
import { createSlots, type Slots } from '../actors/work/slots.ts';
import { asksBy } from '../agents/work/ask-permission.ts';
import { doSubtask } from './subtask-work.ts';
import type { Subtask, WorkPlanInput } from './work-plan.ts';

/**
 * Compiles a work plan into a pipeline: each level is a phase, and each subtask a task that an agent does in a folder of its own.
 *
 * A level starts from the commit of the level before. Its subtasks work at the same time. Their commits are folded into one, which the gate
 * of the level reviews. The approved commit becomes the branch of the run. Retries, limits, records and inbox are those of any pipeline.
 *
 * @throws PlanInvalidError `PLAN_INVALID` with every problem of the plan; PhasegateError `DEFINITION_INVALID` for an invalid option, or if an
 *   agent cannot do the work; `PIPELINE_INVALID` for an invalid policy or limit, and for a limit without an estimate that it needs.
 *
 * @example
 * ```ts
 * const pipeline = compilePlan(plan, {
 *   workspace: gitWorkspace(),
 *   agent: jsonlAgent('claude'),
 *   checks: [{ name: 'tests', line: ['npm', 'test'], kind: 'test' }],
 *   reviewers: [{ name: 'judge', agent: jsonlAgent('codex') }],
 * });
 * ```
 */
export function compilePlan(plan: WorkPlanInput, options: FleetOptions): Pipeline {
  refuseOptions(options);
  if (options.workspace.isShared) throw sharedFolder(options.workspace.name);
  const arranged = arrangePlan(plan, options);
  const { name = 'fleet', policy = policies.phased, limits, concurrency = 4, maxAttempts = 2 } = options;
  const slots = createSlots(concurrency, options.workspace.maxCount);
  const setting = { options, plan: arranged, slots };
  const define = (phases: readonly AnyPhase[]) =>
    definePipeline({
      name,
      policy: { ...policy, maxRetries: maxAttempts - 1 },
      limits,
      phases,
      // Prompts have these texts, and the descriptions of tasks do not.
      version: contentHash([arranged.goal, arranged.plan_markdown]).slice(0, 12),
    });
  const pipeline = define(phasesOf(setting));
  if (!options.approval) return pipeline;
  // The person sees the bounds of the work, which then waits for the approval.
  const approval = approvalPhase(arranged.goal, boundLines(arranged, pipeline));
  return define([approval, ...phasesOf(setting, approval)]);
}

// --- internal ---

function sharedFolder(name: string): PhasegateError {
  const problem = `Cannot carry out a plan in workspaces "${name}" as they are one folder for all`;
  return new PhasegateError('DEFINITION_INVALID', problem, {
    hint: 'Use isolation clone or worktree: agents, checks and reviewers need folders of their own.',
  });
}

interface Setting {
  readonly options: FleetOptions;
  readonly plan: ArrangedPlan;
  readonly slots: Slots;
}

/** Makes the phases of a plan: its levels, each after the one before, and the hand-over. @param approval The phase that they wait for. */
function phasesOf(setting: Setting, approval?: AnyPhase): readonly AnyPhase[] {
  const levels: AnyPhase[] = [];
  for (const subtasks of setting.plan.levels) levels.push(levelOf(setting, subtasks, levels.at(-1), approval));
  const last = levels.at(-1);
  return last ? [...levels, handOver(setting, last)] : levels;
}

/** Returns the level before that of a number, which counts from 1. */
function levelBefore({ levels }: ArrangedPlan, number: number): LevelBefore {
  return { phase: levelName(number - 1), subtasks: levels[number - 2] ?? [] };
}

function levelOf(
  setting: Setting,
  subtasks: readonly Subtask[],
  before: AnyPhase | undefined,
  approval: AnyPhase | undefined,
): AnyPhase {
  const { options, plan } = setting;
  const first = approval ? [approval] : [];
  const number = plan.levels.indexOf(subtasks) + 1;
  const base = task(OWN_TASKS.base, {
    description: 'Take the commit that this level starts from.',
    run: (context: TaskContext) =>
      takeBase(options, { before: before && levelBefore(plan, number), delays: plan.delays }, context),
  });
  const end = options.onFailure === 'finish-level' ? createLevelEnd(agentRetry(options.retry)) : undefined;
  const works = subtasks.map((subtask) => subtaskOf(setting, subtask, end));
  const merged = task(OWN_TASKS.integrate, {
    description: 'Fold the work of all subtasks into one commit.',
    after: [OWN_TASKS.base, ...works],
    run: (context: TaskContext) => integrate(options, subtasks, context),
  });
  const name = levelName(number);
  const tasks: readonly AnyTask[] = [base, ...works, merged];
  return phase(name, {
    after: before ? [before] : first,
    tasks: () => tasks,
    subscribe: [`${name}/${INTEGRATION}`],
    review: levelReview(options, plan, subtasks),
  });
}

function subtaskOf({ options, plan, slots }: Setting, subtask: Subtask, end: LevelEnd | undefined): AnyTask {
  const { estimate, retry } = options;
  const agent = typeof options.agent === 'function' ? options.agent(subtask) : options.agent;
  refuseAccess(subtask.id, agent, 'write');
  const ahead = foldersAfter(options, plan, subtask);
  return task(subtask.id, {
    description: subtaskDescription(subtask),
    after: [OWN_TASKS.base],
    estimate,
    unreported: unreportedBy(agent),
    // The time of a subtask begins when an agent does, which may wait for its slot.
    timeout: 0,
    retry: agentRetry(retry),
    run: asksBy(options.permissions, (context: TaskContext) => {
      const work = () => doSubtask({ options, plan, subtask, agent, slots, ahead }, context);
      return end ? end(context, work) : work();
    }),
  });
}

/** The last phase moves the branch to the work that is approved. */
function handOver({ options, plan }: Setting, last: AnyPhase): AnyPhase {
  return phase(HAND_OVER, {
    after: [last],
    tasks: [
      task('publish', {
        description: 'Move the branch of the run to the approved work.',
        run: (context: TaskContext) => publishLast(options, levelBefore(plan, plan.levels.length + 1), context),
      }),
    ],
  });
}
