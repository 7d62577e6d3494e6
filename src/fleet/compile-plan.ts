/**
 * The compiler of work plans: a plan becomes a pipeline.
 *
 * @module
 */
import { agentRetry, refuseAccess } from '../agents/work/patience.ts';
import { refuseUnseenUsage } from '../agents/work/usage-limits.ts';
import { definePipeline, phase, task, type Pipeline } from '../model/definition/define.ts';
import type { AnyPhase } from '../model/handlers/phase.ts';
import type { AnyTask, TaskContext } from '../model/handlers/task.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { policies } from '../model/plan/policy.ts';
import { contentHash } from '../model/values/content-hash.ts';
import { approvalPhase } from './approval.ts';
import { arrangePlan, type ArrangedPlan } from './arrange-plan.ts';
import type { FleetOptions } from './fleet-options.ts';
import { HAND_OVER, INTEGRATION, OWN_TASKS } from './level-outputs.ts';
import { levelReview } from './level-review.ts';
import { integrate, publishLast, takeBase } from './level-tasks.ts';
import { boundLines } from './plan-bounds.ts';
import { createSlots, type Slots } from './slots.ts';
import { descriptionOf } from './subtask-prompt.ts';
import { doSubtask } from './subtask-work.ts';
import type { Subtask, WorkPlanInput } from './work-plan.ts';

/**
 * Compiles a work plan into a pipeline: each level is a phase, and each subtask a task that an agent does in a folder of its own.
 *
 * A level starts from the commit of the level before. Its subtasks work at the same time. Their commits are folded into one, which the gate
 * of the level reviews. The approved commit becomes the branch of the run. Retries, limits, records and inbox are those of any pipeline.
 *
 * @throws PlanInvalidError `PLAN_INVALID` with every problem of the plan; PhasegateError `DEFINITION_INVALID` if an agent cannot do the work,
 *   or an estimate is missing; `PIPELINE_INVALID` for an invalid policy or limit.
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
  if (options.workspace.isShared) throw sharedFolder(options.workspace.name);
  const arranged = arrangePlan(plan, options);
  const { name = 'fleet', policy = policies.phased, limits, concurrency = 4, maxAttempts = 2 } = options;
  const slots = createSlots(concurrency);
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
  const levels: AnyPhase[] = [];
  for (const subtasks of arranged.levels) levels.push(levelOf(setting, subtasks, levels.at(-1)));
  const last = levels.at(-1);
  const work = last ? [...levels, handOver(options, last)] : levels;
  const pipeline = define(work);
  if (!options.approval) return pipeline;
  // The person sees the bounds of the work, which then waits for the approval.
  const approval = approvalPhase(arranged.goal, boundLines(arranged, pipeline));
  return define([approval, ...work.map((one, index) => (index === 0 ? startAfter(one, approval) : one))]);
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

function levelOf(setting: Setting, subtasks: readonly Subtask[], before: AnyPhase | undefined): AnyPhase {
  const { options, plan } = setting;
  const number = plan.levels.indexOf(subtasks) + 1;
  const base = task(OWN_TASKS.base, {
    description: 'Take the commit that this level starts from.',
    run: (context: TaskContext) => takeBase(options, before?.name, context),
  });
  const works = subtasks.map((subtask) => subtaskOf(setting, subtask));
  const merged = task(OWN_TASKS.integrate, {
    description: 'Fold the work of all subtasks into one commit.',
    after: [OWN_TASKS.base, ...works],
    run: (context: TaskContext) => integrate(options, subtasks, context),
  });
  const name = `phase-${number}`;
  const tasks: readonly AnyTask[] = [base, ...works, merged];
  return phase(name, {
    after: before ? [before] : [],
    tasks: () => tasks,
    subscribe: [`${name}/${INTEGRATION}`],
    review: levelReview(options, subtasks),
  });
}

function subtaskOf({ options, plan, slots }: Setting, subtask: Subtask): AnyTask {
  const { limits = {}, estimate, retry } = options;
  const agent = typeof options.agent === 'function' ? options.agent(subtask) : options.agent;
  refuseAccess(subtask.id, agent, 'write');
  refuseUnseenUsage(subtask.id, agent, estimate, limits);
  return task(subtask.id, {
    description: descriptionOf(subtask),
    after: [OWN_TASKS.base],
    estimate,
    // The time of a subtask begins when an agent does, which may wait for its slot.
    timeout: 0,
    retry: agentRetry(retry),
    run: (context: TaskContext) => doSubtask({ options, plan, subtask, agent, slots }, context),
  });
}

function startAfter(first: AnyPhase, before: AnyPhase): AnyPhase {
  return { ...first, options: { ...first.options, after: [before] } };
}

/** The last phase moves the branch to the work that is approved. */
function handOver(options: FleetOptions, last: AnyPhase): AnyPhase {
  return phase(HAND_OVER, {
    after: [last],
    tasks: [
      task('publish', {
        description: 'Move the branch of the run to the approved work.',
        run: (context: TaskContext) => publishLast(options, last.name, context),
      }),
    ],
  });
}
