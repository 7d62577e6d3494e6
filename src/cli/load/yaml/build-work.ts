/**
 * Construction of tasks and reviewers from a pipeline file.
 *
 * @module
 */
import { command } from '../../../actors/command/command.ts';
import { agentReviewer } from '../../../agents/work/agent-reviewer.ts';
import { agentTask } from '../../../agents/work/agent-task.ts';
import { task } from '../../../model/definition/define.ts';
import type { Inputs, RetryPolicy, Task } from '../../../model/handlers/task.ts';
import type { Backoff } from '../../../model/plan/policy-schema.ts';
import { agentOf } from './build-agent.ts';
import { lineOf, milliseconds, optionsOf } from './build-command.ts';
import type { Duration } from './command-schema.ts';
import type { PipelineFile } from './schema.ts';

/** The parsed keys of a task. */
export type TaskFields = PipelineFile['phases'][number]['tasks'][number];

/** The parsed keys of a gate. */
export type ReviewFields = NonNullable<PipelineFile['phases'][number]['review']>;

/** The parsed keys of a task, of a reviewer or of a reflect call. */
export type WorkFields =
  TaskFields | Exclude<NonNullable<ReviewFields['by']>, readonly unknown[]> | NonNullable<ReviewFields['reflect']>;

/** Builds a task. Commands and agents work in the directory of the file. */
export function buildTask(name: string, fields: WorkFields, directory: string): Task<string, unknown, Inputs> {
  if ('agent' in fields && fields.agent !== undefined) {
    const { agent, prompt, permissions } = fields;
    const after = 'after' in fields ? fields.after : undefined;
    return agentTask(name, {
      ...commonOf(fields),
      agent: agentOf(agent),
      workspace: directory,
      description: prompt,
      permissions,
      after,
    });
  }
  const { description, command: line = [], output = 'text', ...rest } = { output: undefined, ...fields };
  return task(name, {
    ...commonOf(fields),
    description,
    // The timeout is an option of the task, as the plan shows it there.
    run: command(lineOf({ command: line }), {
      ...optionsOf({ ...rest, command: line, timeout: undefined }, directory),
      output,
    }),
    after: 'after' in fields ? fields.after : undefined,
  });
}

/** Builds a reviewer. An agent reads the directory of the file. */
export function buildReviewer(name: string, fields: WorkFields, directory: string): Task<string, unknown, Inputs> {
  if (!('agent' in fields) || fields.agent === undefined) return buildTask(name, fields, directory);
  const { agent, prompt = '', permissions } = fields;
  return agentReviewer(name, {
    ...commonOf(fields),
    agent: agentOf(agent),
    workspace: directory,
    criteria: prompt,
    permissions,
  });
}

/** Returns the name of a reviewer. @param index Its place in the list. */
export function reviewerName({ name }: Pick<WorkFields, 'name'>, index: number): string {
  return name ?? (index === 0 ? 'review' : `review ${index + 1}`);
}

/** Builds waiting times. */
export function buildBackoff({ first, factor, max }: NonNullable<ReviewFields['reviewBackoff']>): Backoff {
  return {
    ...(first !== undefined && { first: milliseconds(first) }),
    ...(factor !== undefined && { factor }),
    ...(max !== undefined && { max: milliseconds(max) }),
  };
}

/** Converts the duration of an object to milliseconds. */
export function buildDuration<T extends object>({
  durationMs,
  ...rest
}: T & { readonly durationMs?: Duration | undefined }) {
  return { ...rest, ...(durationMs !== undefined && { durationMs: milliseconds(durationMs) }) };
}

/** Builds the options that commands and agents have in common. */
export function commonOf({ retry, estimate, timeout, version, pool }: WorkFields) {
  return {
    version,
    pool,
    retry: retry && buildRetry(retry),
    ...(timeout !== undefined && { timeout: milliseconds(timeout) }),
    estimate: estimate && buildDuration(estimate),
  };
}

// --- internal ---

function buildRetry({ attempts, backoff }: NonNullable<WorkFields['retry']>): RetryPolicy {
  return { attempts, backoff: backoff && buildBackoff(backoff) };
}
