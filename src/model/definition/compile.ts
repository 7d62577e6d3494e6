/**
 * The compiler of pipelines: splits a definition into a plan (data) and its functions.
 *
 * @module
 */
import type { ChildOptions } from '../handlers/child-pipeline.ts';
import type { CheckOptions, PhaseSettings, ReviewContext } from '../handlers/phase.ts';
import type { AnyTask, TaskContext, UsageAmount } from '../handlers/task.ts';
import { readSubscription } from '../plan/artifact-subscription.ts';
import { formerDefaults, noteFormer } from '../plan/former-plan.ts';
import { inboxPolicyOf } from '../plan/inbox-policy.ts';
import type { PhasePlan, Plan, TaskPlan } from '../plan/plan.ts';
import { gateDefaults, type FullGatePolicy } from '../plan/policy.ts';
import { graphOf, namesAbove, type Graph, type GraphNode } from '../values/graph.ts';
import { mapOfOne } from '../values/map-of-one.ts';
import type { StandardSchemaV1 } from '../values/standard-schema.ts';
import { shapeProblems } from './fields.ts';
import { PipelineInvalidError } from './pipeline-invalid-error.ts';
import { commonGate, planGate, type CommonGate } from './plan-gate.ts';
import { listOf, planTask } from './plan-task.ts';
import { FUNCTION_REVIEWER, namesOf, reflectorOf, reviewersOf, reviewOptions, type Definition } from './shorthand.ts';
import { structureProblems } from './structure.ts';

/** The functions of one task. */
export interface TaskWork {
  readonly runner: ChildOptions & { run(context: TaskContext): unknown };
  readonly output: StandardSchemaV1 | undefined;
  readonly retryable: ((error: unknown) => boolean) | undefined;
  /** True if waits have jitter when the backoff sets none. It is not in the plan, so stored runs keep their fingerprint. */
  readonly jitter?: boolean | undefined;
  /** Amounts that it uses and does not report. */
  readonly unreported?: readonly UsageAmount[] | undefined;
  /** The pool in which it needs a place. It is not in the plan, so stored runs keep their fingerprint. */
  readonly pool?: string | undefined;
  /** True if a reviewer may approve with other outputs. Only a person may, as the only reviewer. @default false */
  readonly mayEdit?: true;
  /** True if a process that resumes the run goes on with the same try, so that its timeout goes on as well. @default false */
  readonly goesOn?: true;
  /** True if a person is the reviewer: the answer was validated when it was given. @default false */
  readonly byPerson?: true;
}

/** A check with its function. */
export interface CheckWork extends CheckOptions {
  run(context: ReviewContext): unknown;
}

/** The functions of one phase. */
export interface PhaseWork {
  readonly input: StandardSchemaV1 | undefined;
  readonly tasks: ReadonlyMap<string, TaskWork>;
  readonly checks: ReadonlyMap<string, CheckWork>;
  /** Called with a `ReviewContext`, which is a task context with the attempt under review. */
  readonly reviewers: ReadonlyMap<string, TaskWork>;
  /** Called with a `ReflectContext`. */
  readonly reflect: TaskWork | undefined;
}

/** The functions of a pipeline: the input schema, and the work of each phase by name. */
export interface Work {
  readonly input: StandardSchemaV1 | undefined;
  readonly phases: ReadonlyMap<string, PhaseWork>;
}

/** Returns the tasks and reviewers of a pipeline. It copies nothing, as there may be many. */
export function* allWork({ phases }: Work): Generator<TaskWork> {
  for (const { tasks, reviewers } of phases.values()) {
    yield* tasks.values();
    yield* reviewers.values();
  }
}

/** True if a task or a reviewer of a pipeline fulfils a condition. */
export function someWork(all: Work, isIt: (work: TaskWork) => boolean): boolean {
  for (const work of allWork(all)) if (isIt(work)) return true;
  return false;
}

/** Returns work whose tasks and reviewers are replaced. */
export function mapWork(
  work: Work,
  replaced: (its: TaskWork, phase: string, name: string, isReviewer: boolean) => TaskWork,
): Work {
  const phases = new Map<string, PhaseWork>();
  for (const [phase, one] of work.phases) {
    const all = (works: PhaseWork['tasks'], isReviewer: boolean): PhaseWork['tasks'] =>
      new Map([...works].map(([name, its]) => [name, replaced(its, phase, name, isReviewer)]));
    phases.set(phase, { ...one, tasks: all(one.tasks, false), reviewers: all(one.reviewers, true) });
  }
  return { ...work, phases };
}

/**
 * Validates a definition, and splits it into data and functions. The data is deep-frozen, as it has a fingerprint and runs share it.
 *
 * @throws PipelineInvalidError with every problem.
 */
export function compile(definition: Definition): { readonly plan: Plan; readonly work: Work } {
  refuse(definition, shapeProblems(definition));
  const { name, phases, policy = {}, concurrency = 'unlimited' } = definition;
  const nodes = phases.map((phase) => ({
    name: phase.name,
    after: listOf(namesOf(phase.options.after)),
    options: phase.options,
  }));
  const graph = graphOf(nodes);
  refuse(definition, structureProblems(definition, nodes, graph));
  const planOf = (defaults: FullGatePolicy): Plan => {
    const common = commonGate(policy, defaults);
    return Object.freeze({
      name,
      phases: Object.freeze(nodes.map((node, index) => planPhase(node, common, graph, index))),
      concurrency,
      onFailure: policy.onFailure ?? 'continue',
      onLimit: policy.onLimit ?? 'stop',
      limits: Object.freeze({ ...policy.limits, ...definition.limits }),
      ...(policy.inbox && { inbox: Object.freeze(inboxPolicyOf(policy.inbox)) }),
      ...(definition.version !== undefined && { version: definition.version }),
    });
  };
  const plan = planOf(gateDefaults);
  noteFormer(plan, () => planOf({ ...gateDefaults, ...formerDefaults }));
  const work = new Map<string, PhaseWork>();
  for (const phase of phases) work.set(phase.name, workOf(phase.options));
  return { plan, work: { input: definition.input, phases: work } };
}

// --- internal ---

function refuse(definition: Definition, problems: PipelineInvalidError['problems']): void {
  if (problems.length > 0) throw new PipelineInvalidError(nameOf(definition), problems);
}

/** Reads the name for the error. `undefined` if a hostile definition throws. */
function nameOf(definition: Definition): unknown {
  try {
    return definition?.name;
  } catch {
    return undefined;
  }
}

/** A phase of a definition, as a node of its graph. */
interface PhaseNode extends GraphNode {
  readonly options: PhaseSettings;
}

function planPhase({ name, after, options }: PhaseNode, common: CommonGate, graph: Graph, index: number): PhasePlan {
  const { review } = options;
  const mode = options.mode ?? 'dependencies';
  const tasks =
    mode === 'sequential'
      ? options.tasks.map((task, at) => planTask(task, options.tasks[at - 1]))
      : options.tasks.map(planAlone);
  const plan: PhasePlan = {
    after,
    gate: review ? planGate(review, common, graph, index, after) : null,
    mode,
    name,
    tasks: Object.freeze(tasks),
  };
  const subscribe = options.subscribe?.flatMap(
    (one) => readSubscription(one, [name, ...namesAbove(graph, index)]) ?? [],
  );
  if (subscribe && subscribe.length > 0) Object.assign(plan, { subscribe: Object.freeze(subscribe) });
  return Object.freeze(options.version === undefined ? plan : Object.assign(plan, { version: options.version }));
}

function planAlone(task: AnyTask): TaskPlan {
  return planTask(task);
}

function workOf(options: PhaseSettings): PhaseWork {
  const { input, tasks } = options;
  if (typeof options.review === 'function') {
    // A function alone, as most gates have.
    const reviewer = { runner: { run: options.review }, output: undefined, retryable: undefined };
    const reviewers = mapOfOne<string, TaskWork>(FUNCTION_REVIEWER, reviewer);
    return { input, tasks: worksOf(tasks), checks: NO_CHECKS, reviewers, reflect: undefined };
  }
  const review = reviewOptions(options.review);
  const reflector = review && reflectorOf(review);
  return {
    input,
    tasks: worksOf(tasks),
    checks: review?.checks ? new Map(review.checks.map((one) => [one.name, one])) : NO_CHECKS,
    reviewers: review ? worksOf(reviewersOf(review)) : NO_WORK,
    reflect: reflector && taskWork(reflector),
  };
}

const NO_WORK: PhaseWork['reviewers'] = new Map();
const NO_CHECKS: PhaseWork['checks'] = new Map();

function worksOf(tasks: readonly AnyTask[]): ReadonlyMap<string, TaskWork> {
  const [only] = tasks;
  if (only && tasks.length === 1) return mapOfOne(only.name, taskWork(only));
  const works = new Map<string, TaskWork>();
  for (const task of tasks) works.set(task.name, taskWork(task));
  return works;
}

function taskWork({ options }: AnyTask): TaskWork {
  // Methods are compared bivariantly: `phase()` has checked that the handlers fit their phase.
  const { retryable, jitter } = options.retry ?? NO_RETRY;
  const { output, unreported, pool } = options;
  const work: TaskWork = { runner: options, output, retryable };
  if (jitter !== undefined) Object.assign(work, { jitter });
  if (unreported) Object.assign(work, { unreported });
  if (pool !== undefined) Object.assign(work, { pool });
  return work;
}

const NO_RETRY: NonNullable<AnyTask['options']['retry']> = {};
