/**
 * Planning: an architect splits a goal into subtasks, and agents carry the plan out.
 *
 * @module
 */
import { z } from 'zod';
import type { Agent } from '../agents/agent.ts';
import { agentTask } from '../agents/work/agent-task.ts';
import { approve } from '../model/decision/decision.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import { needsRework } from '../model/handlers/needs-rework.ts';
import { definePipeline, phase, task, type Pipeline } from '../model/definition/define.ts';
import type { Check } from '../model/handlers/phase.ts';
import type { TaskContext } from '../model/handlers/task.ts';
import { HAND_OVER } from '../model/plan/level.ts';
import type { Estimate } from '../model/plan/options.ts';
import type { Limits } from '../model/plan/policy-schema.ts';
import { mayStart, PLAN } from './approval.ts';
import { arrangePlan, readPlan } from './arrange-plan.ts';
import { compilePlan } from './compile-plan.ts';
import { refuseOptions, type FleetOptions } from './fleet-options.ts';
import { boundLines } from './plan-bounds.ts';
import { PlanInvalidError, problemLine } from './plan-invalid-error.ts';
import { openForAgent } from './review-folder.ts';
import { tellAtStart } from './start-notes.ts';
import { planSchema, type WorkPlan } from './work-plan.ts';

/** Options of `planGoal`: those of the fleet, and of the planning. */
export interface PlanGoalOptions extends FleetOptions {
  /** The agent that makes the plan. @default the agent of the subtasks, if it is one for all */
  readonly architect?: Agent | undefined;
  /** Estimated maximum usage of one try of the architect. */
  readonly architectEstimate?: Estimate | undefined;
  /** True if the plan only has to be approved, and nobody carries it out. @default false */
  readonly planOnly?: boolean | undefined;
}

/**
 * Makes a pipeline that plans a goal and carries the plan out: an architect makes a plan, a person approves it with its worst case, and
 * a run of the compiled plan does the work. A run that is rejected sends the plan back once, with the reason.
 *
 * An invalid plan goes back to the architect with all of its problems.
 *
 * @throws PhasegateError `DEFINITION_INVALID` if there is no architect, or an agent cannot do the work; `PIPELINE_INVALID` as `compilePlan`
 *   does.
 */
export function planGoal(goal: string, options: PlanGoalOptions): Pipeline {
  refuseOptions(options);
  const { architect, planOnly = false, approval = true } = options;
  const agent = architect ?? options.agent;
  if (typeof agent === 'function') throw noArchitect();
  // An agent, reviewer, limit or policy that cannot do the work is refused before an architect is paid.
  if (!planOnly && typeof options.agent !== 'function') compilePlan({ goal, subtasks: [] }, options);
  const notes = new WeakMap<TaskContext, readonly string[]>();
  const plan = agentTask(PLAN, {
    agent,
    description: instructions(goal),
    output: planSchema,
    estimate: options.architectEstimate,
    retry: options.retry,
    prompt: (context) => withNotes(context.prompt, notes.get(context) ?? []),
    workspace: async (context) => {
      const begun = await options.workspace.start({
        run: options.branch ?? context.run,
        ahead: 1,
        signal: context.signal,
      });
      const facts = begun.notes.map(({ text }) => text);
      notes.set(context, facts);
      tellAtStart(context, facts);
      return openForAgent(options, begun.base, context);
    },
  });
  const compiled = (made: WorkPlan, { run }: Pick<TaskContext, 'run'>, limits = options.limits) =>
    compilePlan(made, {
      ...options,
      limits,
      name: `${options.name ?? 'fleet'}-work`,
      approval: false,
      branch: options.branch ?? run,
    });
  const bounds = task('bounds', {
    description: 'State the most that the plan can take.',
    after: [plan],
    run: (context: TaskContext) => {
      const made = readPlan(context.context[PLAN]);
      return { bounds: boundsOf(made, options, () => compiled(made, context)) };
    },
  });
  const planning = phase(PLAN, {
    tasks: [plan, bounds],
    review: { checks: [validPlan(options)], ...(approval && { by: mayStart }), maxRetries: 3 },
  });
  if (planOnly) return definePipeline({ name: PLAN, limits: options.limits, phases: [planning] });
  const work = phase('work', {
    after: [planning],
    tasks: (define) => [
      define('fleet', {
        // Limits of usage and time bound both runs together, so that a retry can raise them.
        pipeline: (context) =>
          orSentBack(() => compiled(readPlan(context.inputs[PLAN]?.[PLAN]), context, ofOneRun(options.limits))),
        outcome({ status, run, reason, error, outputs }) {
          if (status === 'completed') return { run, ...handedOver(outputs, run) };
          if (status === 'rejected')
            throw needsRework(PLAN, `The work was rejected: ${reason ?? error?.message ?? 'see its run'} (run ${run})`);
          throw new Error(`The run of the plan ended ${status}: ${reason ?? error?.message ?? `see run ${run}`}`);
        },
      }),
    ],
    // The gates of the run have judged the work. This one only lets a rejection send the plan back.
    review: { by: () => approve(), maxPredecessorRetries: 1 },
  });
  return definePipeline({
    name: options.name ?? 'fleet',
    policy: { onLimit: options.policy?.onLimit },
    limits: options.limits,
    phases: [planning, work],
  });
}

// --- internal ---

/** Compiles a plan. One that a person has edited was not checked, so an invalid one goes back with all of its problems. */
function orSentBack(compile: () => Pipeline): Pipeline {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof PlanInvalidError)) throw error;
    throw needsRework(PLAN, `The plan is invalid:\n${error.problems.map(problemLine).join('\n')}`);
  }
}

/** The limits that count in one run alone. */
function ofOneRun({ corrections, perPair, attemptsPerPhase }: Limits = {}): Limits {
  return {
    ...(corrections !== undefined && { corrections }),
    ...(perPair !== undefined && { perPair }),
    ...(attemptsPerPhase !== undefined && { attemptsPerPhase }),
  };
}

/** The branch and the commit of a run that has completed. A person may have skipped phases, and with them the last one. */
function handedOver(outputs: Readonly<Record<string, unknown>>, run: string) {
  const parsed = handOverSchema.safeParse(outputs[HAND_OVER]);
  if (parsed.success) return parsed.data.publish;
  throw new Error(`The run of the plan handed nothing over, as a phase of it was skipped: see run ${run}`);
}

const handOverSchema = z.object({ publish: z.object({ branch: z.string(), commit: z.string() }) });

function noArchitect(): PhasegateError {
  return new PhasegateError('DEFINITION_INVALID', 'Cannot plan a goal as there is no architect', {
    hint: 'Give an `architect`, as `agent` is a function of a subtask.',
  });
}

function boundsOf(plan: WorkPlan, options: FleetOptions, compiled: () => Pipeline): readonly string[] {
  try {
    return boundLines(arrangePlan(plan, options), compiled());
  } catch (error) {
    // The check of the gate lists the problems, so that they reach the architect.
    if (error instanceof PlanInvalidError) return [];
    throw error;
  }
}

/** Sends an invalid plan back with all of its problems. */
function validPlan(options: FleetOptions): Check {
  return {
    name: 'valid plan',
    run({ outputs }) {
      try {
        arrangePlan(readPlan(outputs[PLAN]), options);
        return true;
      } catch (error) {
        if (!(error instanceof PlanInvalidError)) throw error;
        const details = error.problems.map(problemLine).join('\n');
        return { passed: false, requiredChange: 'Correct every problem of the plan.', details };
      }
    },
  };
}

/** Adds facts about the repository to the prompt of the architect. */
function withNotes(prompt: string, notes: readonly string[]): string {
  return notes.length === 0 ? prompt : `${prompt}\n\n${notes.map((note) => `- ${note}`).join('\n')}`;
}

function instructions(goal: string): string {
  return `You are the architect. Read the repository in the working directory, and plan how to reach this goal:

${goal}

Split the work into subtasks. Each is done by an agent of its own, who sees the whole plan and the repository, but not your thoughts. Agents of subtasks that do not depend on each other work at the same time, so give each its own files in "files_touched", and let a subtask that needs another's work depend on it. Prefer few subtasks: one is enough for a small goal. Write the whole plan for readers as Markdown in "plan_markdown". Leave "phases" out. Change no files.`;
}
