/**
 * The compiler of pipelines: splits a definition into a plan (data) and its functions.
 *
 * @module
 */
import { z } from 'zod';
import type { ChildOptions } from '../handlers/child-pipeline.ts';
import { questionOf } from '../handlers/human.ts';
import type { AnyReview, CheckOptions, PhaseSettings, ReviewContext } from '../handlers/phase.ts';
import type { AnyTask, TaskContext, UsageAmount } from '../handlers/task.ts';
import { readSubscription } from '../plan/artifact-subscription.ts';
import { formerDefaults, noteFormer } from '../plan/former-plan.ts';
import { inboxPolicyOf } from '../plan/inbox-policy.ts';
import type { GatePlan, PhasePlan, Plan, TaskPlan } from '../plan/plan.ts';
import { gatePolicySchema, type Policy } from '../plan/policy-schema.ts';
import { gateDefaults, type FullGatePolicy } from '../plan/policy.ts';
import { graphOf, namesInOrder, reach, type Graph } from '../values/graph.ts';
import type { StandardSchemaV1 } from '../values/standard-schema.ts';
import { shapeProblems } from './fields.ts';
import { PipelineInvalidError } from './pipeline-invalid-error.ts';
import { namesOf, reflectorOf, reviewersOf, reviewOptions, type Definition } from './shorthand.ts';
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
  /** True if a reviewer may approve with other outputs. Only a person may, as the only reviewer. @default false */
  readonly mayEdit?: true;
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

/** Milliseconds per try of a task without a `timeout`: one hour. */
export const DEFAULT_TIMEOUT = 3_600_000;

/**
 * Validates a definition, and splits it into data and functions. The data is deep-frozen, as it has a fingerprint and runs share it.
 *
 * @throws PipelineInvalidError with every problem.
 */
export function compile(definition: Definition): { readonly plan: Plan; readonly work: Work } {
  refuse(definition, shapeProblems(definition));
  const { name, phases, policy = {}, concurrency = 'unlimited' } = definition;
  const nodes = phases.map((phase) => ({ name: phase.name, after: namesOf(phase.options.after) }));
  const graph = graphOf(nodes);
  refuse(definition, structureProblems(definition, nodes, graph));
  const planOf = (general: FullGatePolicy): Plan =>
    Object.freeze({
      name,
      phases: Object.freeze(
        phases.map((phase, index) => planPhase(phase.name, phase.options, general, ancestry(graph, index))),
      ),
      concurrency,
      onFailure: policy.onFailure ?? 'continue',
      onLimit: policy.onLimit ?? 'stop',
      limits: Object.freeze({ ...policy.limits, ...definition.limits }),
      ...(policy.inbox && { inbox: Object.freeze(inboxPolicyOf(policy.inbox)) }),
      ...(definition.version !== undefined && { version: definition.version }),
    });
  const plan = planOf(generalOf(policy, gateDefaults));
  noteFormer(plan, () => planOf(generalOf(policy, { ...gateDefaults, ...formerDefaults })));
  const work = new Map(phases.map((phase) => [phase.name, workOf(phase.options)]));
  return { plan, work: { input: definition.input, phases: work } };
}

// --- internal ---

interface Ancestry {
  readonly predecessors: readonly string[];
  /** All ancestors in topological order. */
  readonly ancestors: readonly string[];
}

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

/** Looks names up lazily: most gates never need their ancestors, and a long chain has very many. */
function ancestry(graph: Graph, index: number): Ancestry {
  return {
    get predecessors() {
      return namesInOrder(graph, graph.before[index] ?? []);
    },
    get ancestors() {
      return namesInOrder(graph, reach(graph.before, index));
    },
  };
}

/** The options of each gate whose phase does not set them. */
function generalOf(policy: Policy, defaults: FullGatePolicy): FullGatePolicy {
  return Object.assign({}, defaults, gateOptionsOf(policy), policy.rewindTo && { rewindTo: policy.rewindTo });
}

function planPhase(name: string, options: PhaseSettings, general: FullGatePolicy, kin: Ancestry): PhasePlan {
  const mode = options.mode ?? 'dependencies';
  const review = reviewOptions(options.review);
  const subscribe = (options.subscribe ?? []).flatMap((one) => readSubscription(one, [name, ...kin.ancestors]) ?? []);
  const plan: PhasePlan = {
    name,
    after: list(namesOf(options.after)),
    mode,
    tasks: Object.freeze(
      options.tasks.map((task, index) => planTask(task, mode === 'sequential' ? options.tasks[index - 1] : undefined)),
    ),
    gate: review ? planGate(review, general, kin) : null,
  };
  if (subscribe.length > 0) Object.assign(plan, { subscribe: Object.freeze(subscribe) });
  return Object.freeze(options.version === undefined ? plan : Object.assign(plan, { version: options.version }));
}

function planTask({ name, options }: AnyTask, previous?: AnyTask): TaskPlan {
  const plan = {
    name,
    description: options.description ?? '',
    after: list([...new Set([...namesOf(options.after), ...(previous ? [previous.name] : [])])]),
    attempts: options.retry?.attempts ?? 1,
    backoff: options.retry?.backoff ? Object.freeze({ ...options.retry.backoff }) : NOTHING,
    timeout: timeoutOf(options),
    estimate: options.estimate ? Object.freeze({ ...options.estimate }) : NOTHING,
  };
  return Object.freeze(options.version === undefined ? plan : { ...plan, version: options.version });
}

/** People have the time that their question gives, and a run has that of its own tasks. */
function timeoutOf(options: AnyTask['options']): number {
  if (questionOf(options)) return 0;
  return options.timeout ?? (options.pipeline ? 0 : DEFAULT_TIMEOUT);
}

/** Shares one empty list, as most lists of most plans are empty. */
function list(names: readonly string[]): readonly string[] {
  return names.length === 0 ? NONE : Object.freeze(names);
}

const NONE: readonly never[] = Object.freeze([]);
const NOTHING = Object.freeze({});

function planGate(options: AnyReview, general: FullGatePolicy, kin: Ancestry): GatePlan {
  const reviewers = reviewersOf(options).map((one) => planTask(one));
  const reflector = reflectorOf(options);
  const { quorum = 'all', checks = [] } = options;
  const rewindTo = options.rewindTo ?? general.rewindTo;
  const allowed = typeof rewindTo === 'string' ? undefined : new Set(namesOf(rewindTo));
  const scope = rewindTo === 'predecessors' ? 'predecessors' : 'ancestors';
  const baseline = checks.flatMap((check) => (check.baseline ? check.name : []));
  // Object.assign instead of spread: a run reads gates at every step, and V8 reads spread objects slowly.
  const gate = Object.assign({}, general, gateOptionsOf(options), {
    rewindTo: scope,
    checks: list(checks.map((check) => check.name)),
    ...(baseline.length > 0 && { baseline: list(baseline) }),
    reviewers: Object.freeze(reviewers),
    ...(reflector && { reflect: planTask(reflector) }),
    quorum: quorum === 'all' ? reviewers.length : quorum,
    targets: list(
      scope === 'predecessors' ? kin.predecessors : kin.ancestors.filter((name) => allowed?.has(name) ?? true),
    ),
  } as const);
  return Object.freeze(gate);
}

/** Returns only the options of a gate, and only those that are set. */
function gateOptionsOf(options: object) {
  return gateOptionsSchema.parse(
    Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  );
}

const gateOptionsSchema = z.object(gatePolicySchema.omit({ rewindTo: true }).shape);

function workOf(options: PhaseSettings): PhaseWork {
  const review = reviewOptions(options.review);
  const reflector = review && reflectorOf(review);
  return {
    input: options.input,
    tasks: new Map(options.tasks.map((task) => [task.name, taskWork(task)])),
    checks: new Map((review?.checks ?? []).map((one): [string, CheckWork] => [one.name, one])),
    reviewers: new Map((review ? reviewersOf(review) : []).map((one) => [one.name, taskWork(one)])),
    reflect: reflector && taskWork(reflector),
  };
}

function taskWork({ options }: AnyTask): TaskWork {
  // Methods are compared bivariantly: `phase()` has checked that the handlers fit their phase.
  const { retryable, jitter } = options.retry ?? {};
  const { unreported } = options;
  return {
    runner: options,
    output: options.output,
    retryable,
    ...(jitter !== undefined && { jitter }),
    ...(unreported && { unreported }),
  };
}
