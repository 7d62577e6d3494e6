/**
 * Scripts of rehearsals: the steps of each worker and each person, found by name.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { questionOf } from '../../model/handlers/human.ts';
import type { Limits } from '../../model/plan/policy-schema.ts';
import { cutList } from '../../model/values/counts.ts';
import { nearest } from '../../model/values/nearest.ts';
import type { Crash } from './crash.ts';
import { shapeProblems } from './script-problems.ts';
import { Step, stepOf } from './step.ts';

/**
 * The steps of one worker: a list with one step for each call, or a single step for every call. A step is a value, a function of the
 * context, or the result of `takes`, `fails` and the others. A list is always a list of steps: `[['a', 'b']]` is one step whose value is
 * a list.
 */
export type Steps = unknown;

/** Steps by the name of a worker: `phase.task`, the task or the phase alone if that names one worker, or `*` for all others. */
export type StepsByName = Readonly<Record<string, Steps>>;

/** A script: what each worker and each person does. Workers that it does not name are an error, unless there is a step for `*`. */
export interface Script<I = unknown> {
  /** The input of the run, which the pipeline's schema validates. @default none */
  readonly input?: I | undefined;
  /** Steps of tasks. The schema of a task validates its values. */
  readonly tasks?: StepsByName | undefined;
  /** Steps of reviewers: decisions, or their texts. */
  readonly reviews?: StepsByName | undefined;
  /** Steps of checks: `true`, `false`, or a result with details. */
  readonly checks?: StepsByName | undefined;
  /** Steps of reflect calls: texts. */
  readonly reflections?: StepsByName | undefined;
  /**
   * Answers of people, by phase, by `phase.task` or by limit: decisions or their texts, or the output of a task that is a person. A
   * question without a step is an error.
   */
  readonly people?: StepsByName | undefined;
  /** Points at which the process dies. Another process then resumes the run from its store. @default none */
  readonly crashes?: readonly Crash[] | undefined;
  /** True if a person can be reached when a review fails. @default true if `people` is given */
  readonly attended?: boolean | undefined;
  /** Limits of the run next to those of its pipeline. @default none */
  readonly limits?: Limits | undefined;
  /** Most milliseconds of real time that a function may work at a stretch. @default 10000 */
  readonly realTimeMs?: number | undefined;
}

/** The name of the reflect call of a phase in scripts, however its task is called. */
export const REFLECTOR = 'reflect';

/** Kinds of workers. */
export type WorkerKind = 'tasks' | 'reviews' | 'checks' | 'reflections';

/** The steps of one worker or person, one for each call. */
export interface StepSource {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** The step sources of a script. */
export interface Cast {
  /** The steps of a worker. Every worker of the pipeline has some. */
  worker(kind: WorkerKind, phase: string, name: string): StepSource;
  /** The steps of the person who is asked; `undefined` if the script has none. */
  person(about: string, task: string | undefined): StepSource | undefined;
}

/**
 * Finds the steps of each worker.
 *
 * @throws PhasegateError `SCRIPT_INVALID` with all names that the pipeline does not have, or that mean several workers, and all workers
 *   without steps.
 */
export function castOf(pipeline: Pick<Pipeline, 'plan' | 'work' | 'name'>, script: Script): Cast {
  const problems = [...shapeProblems(script)];
  if (problems.length > 0) throw refused(pipeline.name, problems);
  const kinds = rolesOf(pipeline).map(
    ({ kind, roles }) => [kind, find(kind, roles, script[kind] ?? {}, problems)] as const,
  );
  const limits = Object.keys(pipeline.plan.limits).concat(Object.keys(script.limits ?? {}));
  const people = find('people', personsOf(pipeline, limits), script.people ?? {}, problems, false);
  if (problems.length > 0) throw refused(pipeline.name, problems);
  const workers = new Map(kinds);
  return {
    worker(kind, phase, name) {
      const found = workers.get(kind)?.get(fullName(phase, name));
      if (!found) throw refused(pipeline.name, [`${kind}: there is no step for "${fullName(phase, name)}"`]);
      return found;
    },
    person: (about, task) => people.get(fullName(about, task)) ?? people.get(about) ?? people.get('*'),
  };
}

/** The name of a worker in scripts. */
export function fullName(phase: string, worker: string | undefined): string {
  return worker === undefined ? phase : `${phase}.${worker}`;
}

// --- internal ---

interface Role {
  readonly phase: string;
  readonly name: string | undefined;
}

function rolesOf({ plan, work }: Pick<Pipeline, 'plan' | 'work'>): readonly {
  readonly kind: WorkerKind;
  readonly roles: readonly Role[];
}[] {
  const rolesIn = (
    names: (one: NonNullable<ReturnType<typeof work.phases.get>>) => Iterable<string>,
  ): readonly Role[] =>
    plan.phases.flatMap(({ name: phase }) => {
      const one = work.phases.get(phase);
      return one ? [...names(one)].map((name) => ({ phase, name })) : [];
    });
  const machines = (workers: ReadonlyMap<string, { readonly runner: { run: unknown } }>): readonly string[] =>
    [...workers].flatMap(([name, { runner }]) => (questionOf(runner) ? [] : name));
  return [
    { kind: 'tasks', roles: rolesIn(({ tasks }) => machines(tasks)) },
    { kind: 'reviews', roles: rolesIn(({ reviewers }) => machines(reviewers)) },
    { kind: 'checks', roles: rolesIn(({ checks }) => checks.keys()) },
    {
      kind: 'reflections',
      roles: plan.phases.flatMap(({ name: phase, gate }) => (gate?.reflect ? [{ phase, name: REFLECTOR }] : [])),
    },
  ];
}

function personsOf({ plan, work }: Pick<Pipeline, 'plan' | 'work'>, limits: readonly string[]): readonly Role[] {
  const asked = plan.phases.flatMap(({ name: phase }): readonly Role[] => {
    const { tasks, reviewers } = work.phases.get(phase) ?? {};
    const people = [...(tasks ?? []), ...(reviewers ?? [])].filter(([, { runner }]) => questionOf(runner));
    return [{ phase, name: undefined }, ...people.map(([name]) => ({ phase, name }))];
  });
  return [...asked, ...limits.map((limit) => ({ phase: limit, name: undefined }))];
}

/** Finds the steps of each role by its full name. Notes problems. @param isWhole True if a role without steps is a problem. */
function find(
  kind: string,
  roles: readonly Role[],
  given: StepsByName,
  problems: string[],
  isWhole = true,
): ReadonlyMap<string, StepSource> {
  const found = new Map<string, StepSource>();
  for (const key of Object.keys(given).filter((one) => one !== '*')) {
    const meant = meantBy(key, roles);
    const [role] = meant;
    if (role === undefined) {
      const known = roles.map(({ phase, name }) => fullName(phase, name));
      const close = nearest(key, [...known, ...roles.flatMap(({ name }) => name ?? [])]);
      problems.push(
        `${kind}: "${key}" is not in the pipeline; ${close === undefined ? `it has ${listed(known)}` : `did you mean "${close}"?`}`,
      );
    } else if (meant.length > 1) {
      const names = meant.map(({ phase, name }) => fullName(phase, name));
      problems.push(`${kind}: "${key}" may mean ${listed(names)}: use one of these names`);
    } else {
      const name = fullName(role.phase, role.name);
      if (found.has(name)) problems.push(`${kind}: "${name}" has steps by two names`);
      found.set(name, { name, steps: stepsOf(given[key]) });
    }
  }
  const rest = Object.hasOwn(given, '*') ? given['*'] : undefined;
  if (rest !== undefined) {
    for (const { phase, name } of roles) {
      const full = fullName(phase, name);
      if (!found.has(full)) found.set(full, { name: full, steps: stepsOf(rest) });
    }
  } else if (isWhole) {
    const left = roles.map(({ phase, name }) => fullName(phase, name)).filter((name) => !found.has(name));
    if (left.length > 0) problems.push(`${kind}: there are no steps for ${listed(left)}`);
  }
  return found;
}

/** The roles that a name may mean: that with this full name, or else all of this phase, and all with this name. */
function meantBy(key: string, roles: readonly Role[]): readonly Role[] {
  const exact = roles.filter(({ phase, name }) => fullName(phase, name) === key);
  return exact.length > 0 ? exact : roles.filter(({ phase, name }) => phase === key || name === key);
}

function stepsOf(given: Steps): readonly Step[] {
  if (Array.isArray(given)) return given.map(stepOf);
  const { end, ...more } = stepOf(given);
  return [new Step(end, { ...more, isRepeated: true })];
}

/** Most names in one line of an error. */
const MOST_NAMES = 10;

function listed(names: readonly string[]): string {
  return cutList(names, MOST_NAMES, (name) => `"${name}"`).join(', ');
}

function refused(pipeline: string, problems: readonly string[]): PhasegateError {
  return new PhasegateError(
    'SCRIPT_INVALID',
    `Cannot rehearse pipeline "${pipeline}" with this script:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    {
      hint: "Give steps by name, or for all others with '*': { tasks: { '*': 'done' }, reviews: { '*': approve() } }.",
    },
  );
}
