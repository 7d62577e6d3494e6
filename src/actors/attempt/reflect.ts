/**
 * The reflect call of an attempt: it learns from the attempt that was sent back, before the tasks begin.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import type { AttemptOutcome, Progress, Reflected } from '../../machines/phase/ports.ts';
import type { PhaseWork, TaskWork } from '../../model/definition/compile.ts';
import { errorInfo, PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { ReflectContext } from '../../model/handlers/reflector.ts';
import type { Outputs, TaskRevision } from '../../model/handlers/task.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import { LONGEST_REFLECTION, withReflections, type Recollection } from '../../model/revision/revision-extras.ts';
import type { Revision } from '../../model/revision/revision.ts';
import { elided } from '../../model/values/text-limits.ts';
import { warnOf } from '../review/run-check.ts';
import { HandlerContext } from '../work/handler-context.ts';
import { about } from '../work/report-source.ts';
import { runTask, type TaskRunResult } from '../work/run-task.ts';
import type { Try } from '../work/single-try.ts';
import type { Recalled, WorkHost } from '../work/work-host.ts';
import type { WorkScope } from '../work/work-scope.ts';

type AttemptScope = WorkScope<PhaseContext, AttemptOutcome>;

/**
 * Calls the gate's reflect handler once for an attempt, and reports the result. If the call fails, the attempt gets a warning and
 * continues without a reflection.
 *
 * @param then Called with the recollection of the attempt; not called if the work was stopped meanwhile.
 */
export function reflectFirst(
  scope: AttemptScope,
  host: WorkHost,
  work: PhaseWork,
  then: (recollection: Recollection | undefined) => void,
): void {
  const { input, progress } = scope;
  const { origin, revision, background } = input;
  const plan = origin.phase.gate?.reflect;
  const known = background.recollection;
  if (!plan || !work.reflect || !revision) then(known);
  else if (progress?.reflected) then(withReflected(known, progress.reflected));
  else if (hasWorked(origin.phase.tasks, progress)) then(known);
  else {
    const reflecting: Reflecting = { scope, host, plan, work: work.reflect, revision };
    recallFirst(reflecting, known, (recalled) => reflect(reflecting, known, recalled, then));
  }
}

// --- internal ---

/** One reflect call. */
interface Reflecting {
  readonly scope: AttemptScope;
  readonly host: WorkHost;
  readonly plan: TaskPlan;
  readonly work: TaskWork;
  readonly revision: Revision;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** True if tasks had begun in an earlier process. */
function hasWorked(tasks: readonly TaskPlan[], progress: Progress | undefined): boolean {
  return progress !== undefined && tasks.some(({ name }) => name in progress.tries || name in progress.outputs);
}

/** Reads the memories of earlier runs, once in a run: later attempts have them from the first. */
function recallFirst(
  { scope, host }: Reflecting,
  known: Recollection | undefined,
  then: (recalled: readonly Recalled[]) => void,
): void {
  if (known?.reflections || !host.recall) {
    then(NOTHING);
    return;
  }
  const { phase } = scope.input.origin;
  scope.enter();
  const end = (recalled: readonly Recalled[], failure?: unknown) => {
    scope.leave();
    if (scope.isStopped) return;
    scope.guard(() => {
      if (failure !== undefined) warnOf({ scope }, 'MEMORY_UNREADABLE', unreadable(failure));
      then(recalled);
    });
  };
  host.recall(phase.name).then(
    (recalled) => end(recalled),
    (failure: unknown) => end(NOTHING, failure ?? null),
  );
}

function reflect(
  reflecting: Reflecting,
  known: Recollection | undefined,
  recalled: readonly Recalled[],
  then: (recollection: Recollection | undefined) => void,
): void {
  const { scope, host, plan, work, revision } = reflecting;
  const { input, progress } = scope;
  const { phase, generation } = input.origin;
  const before = withReflected(known, { recalled });
  const conclude = (reflection: string | undefined) => {
    const reflected: Reflected = {
      ...(reflection !== undefined && { reflection }),
      ...(recalled.length > 0 && { recalled }),
    };
    scope.report({ type: 'phase.reflected', phase: phase.name, generation, attempt: input.attempt, ...reflected });
    then(withReflected(known, reflected));
  };
  const onEnd = (done: TaskRunResult) => {
    if (scope.isStopped) return;
    const failure = done.ok ? problemOf(done.output) : done.error;
    if (failure !== undefined) warnOf({ scope }, 'REFLECTION_FAILED', failed(plan, failure));
    conclude(failure === undefined && done.ok ? elided(String(done.output).trim(), LONGEST_REFLECTION) : undefined);
  };
  const taskRun = {
    scope,
    host,
    plan,
    work,
    role: 'reflect',
    inputs: input.inputs,
    outputs: input.previous ?? {},
    isAlone: true,
    context: (one: Try) => new ReflectorContext(one, revision, before?.reflections ?? NOTHING),
    onRetry: (number: number, error: unknown, delayMs: number) =>
      scope.report({
        type: 'task.retrying',
        ...about(input, plan),
        reviewer: false,
        try: number,
        error: errorInfo(error),
        delayMs,
      }),
    onEnd,
  } as const;
  const wait = progress?.waitMs[plan.name] ?? 0;
  const number = progress?.tries[plan.name];
  if (wait > 0) scope.pause(wait, () => runTask(taskRun, number));
  else runTask(taskRun, number);
}

/** The recollection of an attempt, with its new reflections. */
function withReflected(
  known: Recollection | undefined,
  { reflection, recalled = [] }: Reflected,
): Recollection | undefined {
  const more = [...recalled.map((one) => one.reflection), ...(reflection === undefined ? [] : [reflection])];
  if (more.length === 0) return known;
  return { ...known, reflections: withReflections(known?.reflections ?? [], more) };
}

/** The context of a reflect handler. */
class ReflectorContext extends HandlerContext implements ReflectContext {
  readonly outputs: Outputs;
  readonly feedback: string;
  readonly rejected: number;
  readonly reflections: readonly string[];
  readonly #scope: PhaseContext;
  readonly #revision: Revision;

  constructor(one: Try, revision: Revision, reflections: readonly string[]) {
    super(one);
    this.outputs = one.trial.outputs;
    this.feedback = revision.feedback;
    this.rejected = revision.history.at(-1)?.attempt ?? revision.attempt - 1;
    this.reflections = reflections;
    this.#scope = one.trial.scope.input;
    this.#revision = revision;
  }

  override get prompt(): string {
    const { tasks } = this.#scope.origin.phase;
    const [only] = tasks;
    if (only && tasks.length === 1) return only.description;
    return tasks.map(({ name, description }) => `### ${name}\n${description}`).join('\n\n');
  }

  override get revision(): TaskRevision {
    return this.#revision;
  }
}

/** The defect of a reflect handler's output; `undefined` if it has none. */
function problemOf(output: unknown): unknown {
  if (typeof output === 'string' && output.trim() !== '') return undefined;
  const found = output === null || output === '' ? 'empty' : typeof output === 'string' ? 'blank' : 'not a text';
  return new PhasegateError('OUTPUT_INVALID', `Cannot use a reflection as it is ${found}`, {
    hint: 'Return a text from the reflect call: the changes for the next attempt, with reasons.',
  });
}

function failed({ name }: TaskPlan, error: unknown): string {
  return `The attempt continues without a reflection as "${name}" failed: ${errorInfo(error).message}`;
}

function unreadable(error: unknown): string {
  return `The attempt continues without memories of earlier runs as they could not be read: ${errorInfo(error).message}`;
}
