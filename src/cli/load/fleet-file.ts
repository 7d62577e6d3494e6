/**
 * Fleet files: a goal or a plan, and the agents that carry it out, as JSON.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { readPlan } from '../../fleet/arrange-plan.ts';
import { compilePlan } from '../../fleet/compile-plan.ts';
import type { FleetOptions } from '../../fleet/fleet-options.ts';
import { planGoal } from '../../fleet/plan-goal.ts';
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { limitsSchema } from '../../model/plan/policy-schema.ts';
import { gitWorkspace } from '../../workspaces/operations/git-workspace.ts';
import { jsonIn, utf8In } from '../options/parse-json.ts';
import { agent as agentSchema, permissions, type AgentFields } from './yaml/agent-schema.ts';
import { agentOf } from './yaml/build-agent.ts';

/** The schema of a fleet file. */
export const fleetFileSchema = z.strictObject({
  goal: z.string().regex(/\S/u).max(10_000).optional(),
  plan: z.unknown().optional(),
  /** True if the plan is only made and approved. */
  planOnly: z.boolean().optional(),
  agent: agentSchema,
  architect: agentSchema.optional(),
  reviewers: z.array(agentSchema).optional(),
  criteria: z.string().optional(),
  /** Lines for the shell. */
  checks: z.array(z.string().regex(/\S/u)).optional(),
  approval: z.boolean().optional(),
  maxAttempts: z.int().min(1).max(20).optional(),
  concurrency: z.int().min(1).max(100).optional(),
  conflicts: z.enum(['rework', 'review', 'halt']).optional(),
  rework: z.enum(['reset', 'continue']).optional(),
  onFailure: z.enum(['halt', 'finish-level']).optional(),
  overlaps: z.enum(['serialise', 'refuse']).optional(),
  timeout: z.int().min(0).optional(),
  estimate: z
    .strictObject({ tokens: z.number().positive().optional(), costUsd: z.number().positive().optional() })
    .optional(),
  limits: limitsSchema.optional(),
  permissions: permissions.optional(),
  /** The folder of the repository, relative to the file. @default that of the file */
  repository: z.string().optional(),
  isolation: z.enum(['clone', 'worktree']).optional(),
  base: z.enum(['head', 'head+dirty']).optional(),
  include: z.array(z.string()).optional(),
  setup: z.string().optional(),
  teardown: z.string().optional(),
  /** The folder of the workspaces. @default a state folder of the user */
  root: z.string().optional(),
});

/** A fleet file as data. */
export type FleetFile = z.infer<typeof fleetFileSchema>;

/** Most bytes of a fleet file. */
const MOST_BYTES = 4_000_000;

/**
 * Loads a fleet file as a pipeline.
 *
 * @throws PhasegateError `DEFINITION_INVALID` that says what is wrong with the file; `PLAN_INVALID` for its plan.
 */
export async function loadFleet(file: string, path: string): Promise<Pipeline> {
  const bytes = await readFile(path);
  if (bytes.length > MOST_BYTES) throw invalid(file, `it has more than ${MOST_BYTES} bytes`);
  const text = utf8In(bytes, `"${file}"`);
  const value = jsonIn(text, 'DEFINITION_INVALID', `Cannot load fleet "${file}" as it is no JSON`, HINT);
  return fleetIn(file, value, dirname(path));
}

/**
 * Makes the pipeline of a fleet file's value.
 *
 * @param file Its name, for messages.
 * @param directory The folder that relative paths start from.
 * @throws PhasegateError as `loadFleet` does.
 */
export function fleetIn(file: string, value: unknown, directory: string): Pipeline {
  const parsed = fleetFileSchema.safeParse(value);
  if (parsed.success) return fleetPipeline(file, parsed.data, directory);
  const lines = parsed.error.issues.map((one) => `${one.path.join('.') || 'the file'}: ${one.message}`);
  throw invalid(file, `it has ${lines.length === 1 ? 'a problem' : 'problems'}:\n  ${lines.join('\n  ')}`);
}

/**
 * Makes the pipeline of a fleet.
 *
 * @param directory The folder that relative paths start from.
 * @throws PhasegateError `DEFINITION_INVALID`; `PLAN_INVALID` for its plan.
 */
export function fleetPipeline(file: string, given: FleetFile, directory: string): Pipeline {
  // Workspaces refuse a reviewer that changes a file, so any program may be one.
  const agentFor = (one: AgentFields) => agentOf(one, { isCompared: true });
  const {
    goal,
    plan,
    planOnly,
    agent,
    architect,
    reviewers = [],
    criteria,
    checks = [],
    repository = '.',
    ...rest
  } = given;
  const { isolation, base, include, setup, teardown, root, approval = true, ...common } = rest;
  const options: FleetOptions = {
    ...common,
    approval,
    agent: agentFor(agent),
    reviewers: reviewers.map((one, index) => ({
      name: `reviewer-${index + 1}`,
      agent: agentFor(one),
      criteria,
      estimate: common.estimate,
    })),
    checks: checks.map((line, index) => ({
      name: checks.length === 1 ? 'check' : `check-${index + 1}`,
      line,
      shell: true,
    })),
    workspace: gitWorkspace({
      repository: resolve(directory, repository),
      maxCount: Math.max(LEAST_FOLDERS, 2 * (common.concurrency ?? 0)),
      isolation,
      base,
      include,
      setup,
      teardown,
      root: root === undefined ? undefined : resolve(directory, root),
    }),
  };
  if (goal !== undefined && plan !== undefined) throw invalid(file, 'it has both a goal and a plan');
  if (plan !== undefined) return compilePlan(readPlan(plan), options);
  if (goal === undefined) throw invalid(file, 'it has neither a goal nor a plan');
  return planGoal(goal, {
    ...options,
    planOnly,
    architectEstimate: common.estimate,
    architect: architect === undefined ? undefined : agentFor(architect),
  });
}

// --- internal ---

/** Folders of a repository at once. Those of other runs count, and those that are left for a person to look at. */
const LEAST_FOLDERS = 25;

const HINT = 'A fleet file is a JSON object with `agent`, and `goal` or `plan`. `phasegate fleet` writes one.';

function invalid(file: string, found: string): PhasegateError {
  return new PhasegateError('DEFINITION_INVALID', `Cannot load fleet "${file}" as ${found}`, { hint: HINT });
}
