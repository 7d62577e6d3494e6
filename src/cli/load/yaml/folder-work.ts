/**
 * Tasks, checks and reviewers that work in folders of their own.
 *
 * @module
 */
import { command } from '../../../actors/command/command.ts';
import { agentReviewer } from '../../../agents/work/agent-reviewer.ts';
import { agentRetry } from '../../../agents/work/patience.ts';
import { unreportedBy } from '../../../agents/work/unreported.ts';
import type { ArrangedPlan } from '../../../fleet/arrange-plan.ts';
import type { FleetOptions } from '../../../fleet/fleet-options.ts';
import { earlierSubtask, integrationIn, readBase, readIntegration } from '../../../fleet/level-outputs.ts';
import { afterConflicts } from '../../../fleet/level-review.ts';
import { inFolder, openForReading } from '../../../fleet/review-folder.ts';
import type { Slots } from '../../../actors/work/slots.ts';
import { doSubtask } from '../../../fleet/subtask-work.ts';
import type { Subtask } from '../../../fleet/work-plan.ts';
import { fit, MOST_MATERIAL } from '../../../llm/call/fit.ts';
import { taskMessages } from '../../../llm/work/task-messages.ts';
import { task } from '../../../model/definition/define.ts';
import type { Check, ReviewContext } from '../../../model/handlers/phase.ts';
import type { AnyTask, TaskContext } from '../../../model/handlers/task.ts';
import { OWN_TASKS } from '../../../model/plan/level.ts';
import type { Workspaces } from '../../../workspaces/port.ts';
import { agentOf } from './build-agent.ts';
import { buildCheck } from './build-check.ts';
import { lineOf, optionsOf } from './build-command.ts';
import { commonOf, type TaskFields, type WorkFields } from './build-work.ts';
import type { CheckFields } from './check-schema.ts';

/** Facts that the work of a phase depends on. */
export interface FolderSetting {
  readonly workspace: Workspaces;
  /** The pipeline in words, for agents. */
  readonly overview: string;
  readonly goal: string;
  readonly slots: Slots;
  /** The tasks of agents of the phase. */
  readonly subtasks: readonly Subtask[];
}

/** The work of the agents of a phase as a plan of one level. */
export function planOf({ goal, overview, subtasks }: FolderSetting): ArrangedPlan {
  return { goal, plan_markdown: overview, subtasks, levels: [subtasks], delays: [] };
}

/** Builds a task of an agent. Its output is a commit with its changes. */
export function folderAgent(setting: FolderSetting, subtask: Subtask, fields: TaskFields): AnyTask {
  const { agent: given = 'claude', permissions } = fields;
  const { timeout, retry, ...common } = commonOf(fields);
  const agent = agentOf(given);
  const options: FleetOptions = { ...fleetOptions(setting), agent, permissions, timeout };
  const { slots } = setting;
  const plan = planOf(setting);
  return task(fields.name, {
    ...common,
    description: subtask.description,
    after: [OWN_TASKS.base, ...(fields.after ?? [])],
    unreported: unreportedBy(agent),
    // The time of an agent begins when its folder is ready.
    timeout: 0,
    retry: agentRetry(retry),
    run: (context: TaskContext) => doSubtask({ options, plan, subtask, agent, slots }, withMaterial(context)),
  });
}

/** Builds a task that is a command, in a folder with the work so far. Its changes are dropped. @param isLast True if it comes after agents. */
export function folderCommand(setting: FolderSetting, fields: TaskFields, isLast: boolean): AnyTask {
  return task(fields.name, {
    ...commonOf(fields),
    description: fields.description,
    after: [OWN_TASKS.base, ...(isLast ? [OWN_TASKS.integrate] : []), ...(fields.after ?? [])],
    run: commandIn(setting, fields, ({ context }: TaskContext) =>
      isLast ? readIntegration(context[OWN_TASKS.integrate]).commit : readBase(context[OWN_TASKS.base]).base,
    ),
  });
}

/** Builds a check, in a new folder with the work of the phase. */
export function folderCheck(setting: FolderSetting, fields: CheckFields): Check {
  const made = buildCheck(fields, '.');
  if (fields.use === 'matchesSchema') return made;
  return {
    ...made,
    run: (context) => {
      const { commit, base } = integrationIn(context.outputs);
      return inFolder(fleetOptions(setting), commit, context, async ({ cwd, env }) => {
        const own: CheckFields =
          fields.use === 'nonEmptyDiff'
            ? { ...fields, base: fields.base ?? base }
            : 'command' in fields
              ? { ...fields, env: { ...env, ...fields.env } }
              : fields;
        return buildCheck(own, cwd).run(context);
      });
    },
  };
}

/** Builds a reviewer, in a new folder with the work of the phase. An agent that changes a file has not reviewed. */
export function folderReviewer(setting: FolderSetting, name: string, fields: WorkFields): AnyTask {
  return afterConflicts(fleetOptions(setting), reviewerOf(setting, name, fields));
}

// --- internal ---

function reviewerOf(setting: FolderSetting, name: string, fields: WorkFields): AnyTask {
  const common = commonOf(fields);
  if (!('agent' in fields) || fields.agent === undefined) {
    const { description } = fields;
    const commitOf = ({ outputs }: ReviewContext) => integrationIn(outputs).commit;
    return task(name, { ...common, description, run: commandIn(setting, fields, commitOf) });
  }
  const { prompt = '', permissions } = fields;
  const changes = new WeakMap<ReviewContext, string>();
  const options = fleetOptions(setting);
  return agentReviewer(name, {
    ...common,
    agent: agentOf(fields.agent, { isCompared: true }),
    criteria: prompt,
    permissions,
    workspace: async (context) => {
      const { base, commit } = integrationIn(context.outputs);
      const { text } = await setting.workspace.diff({ from: base, to: commit, signal: context.signal });
      changes.set(context, text);
      return openForReading(options, commit, context);
    },
    material: (context) => ({
      outputs: { ...worded(context.outputs), changes: changes.get(context) ?? '' },
      ...(context.input !== undefined && context.input !== null && { input: context.input }),
      tasks: setting.subtasks.map(({ id, description }) => ({ id, description })),
    }),
  });
}

/** Options of the functions of fleets. The agent of each task replaces this one. */
export function fleetOptions({ workspace }: Pick<FolderSetting, 'workspace'>): FleetOptions {
  return { workspace, agent: agentOf('claude') };
}

/** Creates the function of a command that runs in a folder with a commit. */
function commandIn<C extends TaskContext>(
  setting: FolderSetting,
  fields: WorkFields,
  commitOf: (context: C) => string,
) {
  const { command: words = [], output = 'text', ...rest } = { output: undefined, ...fields };
  const line = lineOf({ command: words });
  const runIn = (cwd: string, env: Readonly<Record<string, string>>) => {
    const options = optionsOf({ ...rest, command: words, timeout: undefined, env: { ...env, ...rest.env } }, cwd);
    return command(line, { ...options, output });
  };
  // Made once here, so that an invalid line is refused when the file is loaded.
  runIn('.', {});
  return (context: C): Promise<unknown> =>
    inFolder(fleetOptions(setting), commitOf(context), context, ({ cwd, env }) => runIn(cwd, env)(context));
}

/** Adds the outputs that an agent may read to its prompt. */
function withMaterial(context: TaskContext): TaskContext {
  const { input, inputs, prompt } = context;
  const earlier = Object.fromEntries(Object.entries({ ...inputs }).map(([name, outputs]) => [name, worded(outputs)]));
  const material = {
    'Input of the run': input,
    'Outputs of earlier phases': onlySome(earlier),
    'Outputs of earlier tasks of this phase': onlySome(worded(context.context)),
  };
  const messages = taskMessages({ prompt, fitted: fit(material, MOST_MATERIAL), instructions: '', form: undefined });
  const text = messages.map(({ content }) => content).join('\n\n');
  return new Proxy(context, { get: (all, key): unknown => (key === 'prompt' ? text : Reflect.get(all, key, all)) });
}

/** The outputs of tasks in words: of agents their last words, and none of the tasks that only handle commits. */
function worded(outputs: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(([name]) => !Object.hasOwn(OWN_TASKS, name))
      .map(([name, output]) => [name, earlierSubtask(output)?.summary ?? output]),
  );
}

/** Leaves empty objects out. */
function onlySome(record: Readonly<Record<string, unknown>>): unknown {
  const some = Object.entries(record).filter(
    ([, value]) => typeof value !== 'object' || value === null || Object.keys(value).length > 0,
  );
  return some.length === 0 ? undefined : Object.fromEntries(some);
}
