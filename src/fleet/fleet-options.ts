/**
 * Options of compiled plans, and their validation.
 *
 * @module
 */
import { z } from 'zod';
import type { CommandCheckOptions } from '../actors/command/command-check.ts';
import type { CommandLine } from '../actors/command/command-line.ts';
import type { Agent } from '../agents/agent.ts';
import type { PermissionPolicy } from '../agents/permission.ts';
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { ReviewContext } from '../model/handlers/phase.ts';
import type { Answer } from '../model/handlers/reviewer-answer.ts';
import type { RetryPolicy } from '../model/handlers/task.ts';
import type { Estimate } from '../model/plan/options.ts';
import type { Count, Limits, Policy } from '../model/plan/policy-schema.ts';
import type { Difference, Workspaces } from '../workspaces/port.ts';
import type { ArrangeOptions } from './arrange-plan.ts';
import type { Subtask, WorkPlan } from './work-plan.ts';

/** Options of `compilePlan`. */
export interface FleetOptions extends ArrangeOptions {
  /** The folders in which the agents work, such as `gitWorkspace()`. */
  readonly workspace: Workspaces;
  /** The agent of every subtask, or a function that chooses one. */
  readonly agent: Agent | ((subtask: Subtask) => Agent);
  /** Reviewers of every level. All of them have to approve. @default none: checks alone decide */
  readonly reviewers?: readonly LevelReviewer[] | undefined;
  /** Programs that have to end with exit code 0 in the integrated work of a level, before its reviewers. @default none */
  readonly checks?: readonly LevelCheck[] | undefined;
  /** Attempts of a level, the first included. @default 2 */
  readonly maxAttempts?: number | undefined;
  /** Most agents that work at the same time. @default 4 */
  readonly concurrency?: Count | undefined;
  /**
   * Subtasks of one level that change the same lines. `rework`: the later one works again, on top of the others, and a person decides
   * about a second conflict. `review`: the reviewers see the conflict and decide. `halt`: the level is rejected.
   *
   * @default 'rework'
   */
  readonly conflicts?: 'rework' | 'review' | 'halt' | undefined;
  /**
   * The files that a subtask has when it works again. `reset`: those that its earlier attempt started with. `continue`: those that its
   * earlier attempt ended with. After a conflict, it has the work of the others in any case.
   *
   * @default 'reset'
   */
  readonly rework?: 'reset' | 'continue' | undefined;
  /** Permissions of agents beyond the files of their workspace. @default none */
  readonly permissions?: PermissionPolicy | undefined;
  /** Tries of an agent that fails. @default 3, with the delays of `agentTask` */
  readonly retry?: RetryPolicy | undefined;
  /**
   * A subtask that has failed for good fails its level. `halt`: the other subtasks of the level are stopped, and their folders are left.
   * `finish-level`: those that have begun, or wait for a turn, end first, so that their work is kept as commits.
   *
   * @default 'halt'
   */
  readonly onFailure?: 'halt' | 'finish-level' | undefined;
  /** Milliseconds for an agent to do a subtask, from its start; 0 for none. @default 3600000 (one hour) */
  readonly timeout?: number | undefined;
  /** Estimated maximum usage of one try of a subtask. Needed if a limit counts an amount that the agent does not report. */
  readonly estimate?: Estimate | undefined;
  /** Limits of the run. @default none */
  readonly limits?: Limits | undefined;
  /** Policy of the run and its gates. `maxAttempts` sets `maxRetries`. @default policies.phased: one retry, then everything halts */
  readonly policy?: Policy | undefined;
  /** True if a person has to approve the plan before an agent starts. @default false; of `planGoal` true */
  readonly approval?: boolean | undefined;
  /** Name of the pipeline. @default 'fleet' */
  readonly name?: string | undefined;
  /** Name of the branch of the work, `phasegate/<name>`. @default the id of the run */
  readonly branch?: string | undefined;
}

/** A program that checks the integrated work of a level. */
export interface LevelCheck extends Omit<CommandCheckOptions, 'cwd' | 'env' | 'baseline'> {
  /** Name of the check in records, such as `tests`. */
  readonly name: string;
  readonly line: CommandLine;
}

/** A reviewer of a level: an agent that reads the work, or a function. */
export type LevelReviewer = AgentLevelReviewer | FunctionLevelReviewer;

/** A reviewer that is an agent. It works in a folder with the integrated work, and changes nothing. */
export interface AgentLevelReviewer {
  readonly name: string;
  readonly agent: Agent;
  /** Criteria for the work, in words. @default the description of each subtask is done, correct and within its files */
  readonly criteria?: string | undefined;
  /** Estimated maximum usage of one try. */
  readonly estimate?: Estimate | undefined;
}

/** A reviewer that is a function. */
export interface FunctionLevelReviewer {
  readonly name: string;
  /** An issue with `affectedTask`, the id of a subtask, lets only that one work again. */
  review(level: LevelReview): Answer | Promise<Answer>;
}

/** The work of a level under review. */
export interface LevelReview {
  readonly context: ReviewContext;
  /** The whole plan in words. */
  readonly plan: Pick<WorkPlan, 'goal' | 'plan_markdown'>;
  /** The subtasks of the level. */
  readonly subtasks: readonly Subtask[];
  /** Id of the commit that the level started from, and of the one with all of its work. */
  readonly base: string;
  readonly commit: string;
  /** Changes of the level, as far as they fit. */
  readonly difference: Difference;
  /** Changed files that a subtask was not expected to change, by its id. */
  readonly outOfScope: Readonly<Record<string, readonly string[]>>;
  /** Subtasks whose work is left out, with the paths in conflict. Empty unless `conflicts` is `review`. */
  readonly conflicts: readonly { readonly name: string; readonly paths: readonly string[] }[];
}

/**
 * Refuses invalid options, as programs in JavaScript can give any.
 *
 * @throws PhasegateError `DEFINITION_INVALID` with every invalid option.
 */
export function refuseOptions(options: FleetOptions): void {
  const parsed = schema.safeParse(options);
  if (parsed.success) return;
  const found = parsed.error.issues.map(({ path, message }) => `\`${path.join('.') || 'options'}\`: ${message}`);
  throw new PhasegateError(
    'DEFINITION_INVALID',
    `Cannot make a fleet as its options are invalid: ${found.join('; ')}`,
    {
      hint: 'Correct them. The type `FleetOptions` has their meaning and defaults.',
    },
  );
}

// --- internal ---

const rule = z.enum(['allow', 'reject', 'ask']).optional();

/** The options that are data and have no other check. Agents, limits, policies and gates have their own. */
const schema = z.object({
  workspace: z.custom(
    (value) => typeof value === 'object' && value !== null,
    'expected workspaces, as of gitWorkspace()',
  ),
  agent: z.custom(isAgent, "expected an agent, as of jsonlAgent('claude'), or a function of a subtask"),
  maxAttempts: z.int().min(1).optional(),
  concurrency: z.union([z.literal('unlimited'), z.int().min(1)]).optional(),
  conflicts: z.enum(['rework', 'review', 'halt']).optional(),
  rework: z.enum(['reset', 'continue']).optional(),
  onFailure: z.enum(['halt', 'finish-level']).optional(),
  overlaps: z.enum(['serialise', 'refuse']).optional(),
  timeout: z.number().min(0).optional(),
  permissions: z.object({ commands: rule, outside: rule, network: rule }).optional(),
});

function isAgent(value: unknown): boolean {
  return typeof value === 'function' || (typeof value === 'object' && value !== null && 'access' in value);
}
