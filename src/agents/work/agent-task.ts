/**
 * A task that an agent does.
 *
 * @module
 */
import type { z } from 'zod';
import { answerForm, readJson, unwrapped, type AnswerForm } from '../../llm/call/answer-schema.ts';
import { refuseMaxAnswer } from '../../llm/call/answer-limit.ts';
import { fit, MOST_MATERIAL, refuseMaterial } from '../../llm/call/fit.ts';
import { allInputs } from '../../llm/work/task-material.ts';
import { taskMessages } from '../../llm/work/task-messages.ts';
import { personOf } from '../../model/handlers/person.ts';
import type { PoolOption } from '../../model/handlers/pool.ts';
import type { AnyTask, Inputs, RetryPolicy, Task, TaskContext } from '../../model/handlers/task.ts';
import type { Estimate } from '../../model/plan/options.ts';
import { check } from '../../model/values/standard-schema.ts';
import { TEXT_LIMITS } from '../../model/values/text-limits.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { Agent, AgentResult } from '../agent.ts';
import type { PermissionPolicy } from '../permission.ts';
import { formText, jsonIn, problemIn } from './answer.ts';
import { asksBy } from './ask-permission.ts';
import { agentRetry, AGENT_TIMEOUT, refuseAccess } from './patience.ts';
import { repairPrompt } from './repair.ts';
import { unreportedBy } from './unreported.ts';
import { takeTurn, type TurnWork } from './take-turn.ts';
import { inWorkspace, refuseWorkspace, type Workspace, type WorkspaceOption } from './workspace.ts';

/** Options of {@link agentTask}. */
export interface AgentTaskOptions<S extends z.ZodType | undefined = z.ZodType | undefined> extends PoolOption {
  readonly agent: Agent;
  /** The directory of the work, or a function that opens it for each try. */
  readonly workspace: WorkspaceOption<TaskContext>;
  /** The task in words. The agent gets it after the revision, if there is one. @default '' */
  readonly description?: string | undefined;
  /**
   * The whole prompt in place of the description and the material. `context.prompt` has the revision, which the text should contain.
   *
   * @default `context.prompt`, then the material
   */
  readonly prompt?: ((context: TaskContext) => string | Promise<string>) | undefined;
  /** Schema of the answer, which is then JSON. @default the answer is text */
  readonly output?: S;
  /**
   * Material for the agent next to the description, by heading. Reading `inputs` of phases that do not directly precede makes the phase
   * depend on them.
   *
   * @default the input of the run, the outputs of all ancestors, and those of the tasks in `after`
   */
  readonly material?: ((context: TaskContext) => Readonly<Record<string, unknown>>) | undefined;
  /** Most characters of material, as JSON. Above that it is cut, with a warning (`MATERIAL_CUT`). @default 300000 */
  readonly maxMaterial?: number | undefined;
  /** Most characters of the answer. A longer one is a failed try. @default 1000000 */
  readonly maxAnswerChars?: number | undefined;
  /** Permissions beyond the files of the workspace. @default none */
  readonly permissions?: PermissionPolicy | undefined;
  /**
   * True if records have the prompt and the answer of each turn, as an artifact of at most 65536 characters a text, with secrets masked.
   *
   * @default false
   */
  readonly recordCalls?: boolean | undefined;
  /** Tasks of the same phase whose outputs it needs. */
  readonly after?: readonly (AnyTask | string)[] | undefined;
  /**
   * Tries of a turn that fails. A refusal, and a limit of the agent, are not tried again.
   *
   * @default 3 tries, after at most 5 and 20 seconds (`jitter`), or the delay that a limit of the provider states, up to 6 hours
   */
  readonly retry?: RetryPolicy | undefined;
  /** Milliseconds per try, with its repair; 0 for none. @default 3600000 (one hour) */
  readonly timeout?: number | undefined;
  /** Estimated maximum usage of one try. An amount that the agent does not report is charged by it, and cannot be limited without it. */
  readonly estimate?: Estimate | undefined;
  /** The version of the task's functions and schemas; see `task()`. */
  readonly version?: string | undefined;
  /** Takes each event of the agent, in order. */
  readonly onEvent?: ((event: AgentEvent, context: TaskContext) => void) | undefined;
}

/**
 * A task that an agent does in a directory. Its answer is the output: text, or a value of its `output` schema.
 *
 * The agent gets the prompt of the attempt (the description, after the revision if there is one) and the material. It may read and change
 * files of the directory; `permissions` allow more. Usage and progress are reported. An answer that the schema refuses is repaired once, by
 * a turn that changes nothing.
 *
 * @param name Unique in its phase.
 * @throws PhasegateError `DEFINITION_INVALID` if there is no workspace, the agent cannot change files, an estimate is missing, or JSON Schema
 *   cannot express the schema.
 *
 * @example
 * ```ts
 * const build = agentTask('build', { agent: jsonlAgent('claude'), workspace: 'app', description: 'Add the endpoint.' });
 * ```
 */
export function agentTask<const N extends string, S extends z.ZodType>(
  name: N,
  options: AgentTaskOptions<S> & { readonly output: S },
): Task<N, z.output<S>, Inputs>;
export function agentTask<const N extends string>(
  name: N,
  options: AgentTaskOptions & { readonly output?: undefined },
): Task<N, string, Inputs>;
export function agentTask<N extends string>(name: N, options: AgentTaskOptions): Task<N, unknown, Inputs> {
  const { agent, workspace, description, output, after, retry, timeout = AGENT_TIMEOUT, estimate } = options;
  const { maxMaterial = MOST_MATERIAL, maxAnswerChars = TEXT_LIMITS.modelAnswer } = options;
  refuseWorkspace(name, workspace);
  refuseAccess(name, agent, 'write');
  refuseMaterial(name, maxMaterial);
  refuseMaxAnswer(name, maxAnswerChars);
  const form = output && answerForm('answer', output);
  const run = (context: TaskContext) =>
    inWorkspace(workspace, context, async (opened) => {
      const work = await workOf(options, { form, maxMaterial, maxAnswerChars, opened }, context);
      const result = await takeTurn(work, context);
      return form ? valueOf(options, form, work, result, context) : result.text;
    });
  return {
    kind: 'task',
    name,
    options: {
      description,
      after,
      output,
      estimate,
      unreported: unreportedBy(agent),
      timeout,
      version: options.version,
      pool: options.pool,
      retry: agentRetry(retry),
      run: asksBy(options.permissions, run),
    },
  };
}

// --- internal ---

interface Setting {
  readonly form: AnswerForm | undefined;
  readonly maxMaterial: number;
  readonly maxAnswerChars: number;
  readonly opened: Workspace;
}

async function workOf(options: AgentTaskOptions, setting: Setting, context: TaskContext): Promise<TurnWork> {
  const { agent, output, permissions = {}, recordCalls = false, onEvent } = options;
  const { form, maxAnswerChars, opened } = setting;
  const prompt = await promptOf(options, setting, context);
  return {
    agent,
    prompt: form ? `${prompt}\n\n${formText(form)}` : prompt,
    access: 'write',
    permissions,
    person: personOf(context),
    schema: form?.schema,
    check: form && ((value) => problemOf(output, unwrapped(form, value))),
    workspace: opened,
    maxAnswerChars,
    recordCalls,
    onEvent: onEvent && ((event) => onEvent(event, context)),
  };
}

async function promptOf(
  { prompt, material = allInputs }: AgentTaskOptions,
  { maxMaterial }: Setting,
  context: TaskContext,
): Promise<string> {
  if (prompt) return prompt(context);
  const fitted = fit(material(context), maxMaterial);
  if (fitted.shown < fitted.whole) {
    const message = `The agent of "${context.task}" is shown ${fitted.shown} of ${fitted.whole} characters of material`;
    context.report({ warning: { code: 'MATERIAL_CUT', message } });
  }
  return taskMessages({ prompt: context.prompt, fitted, instructions: '', form: undefined })
    .map((one) => one.content)
    .join('\n\n');
}

/** The value of an answer. One that the schema refuses is repaired once. */
async function valueOf(
  { agent, output }: AgentTaskOptions,
  form: AnswerForm,
  work: TurnWork,
  result: AgentResult,
  context: TaskContext,
): Promise<unknown> {
  const who = `"${context.task}" of phase "${context.phase}"`;
  const read = (given: AgentResult) => unwrapped(form, readJson(jsonIn(given), who, true));
  const problem = problemIn(() => read(result)) ?? (await problemOf(output, read(result)));
  if (problem === undefined || !agent.access.includes('read')) return read(result);
  const prompt = repairPrompt(form, result.text, problem);
  return read(await takeTurn({ ...work, prompt, access: 'read', permissions: {} }, context));
}

/** The reason why the schema refuses a value; `undefined` if it does not. The task validates the value itself. */
async function problemOf(output: z.ZodType | undefined, value: unknown): Promise<string | undefined> {
  const checked = output && (await check(output, value));
  return !checked || checked.ok ? undefined : checked.refusal.lines.join('; ');
}
