/**
 * One attempt of a phase: its tasks, as wide as their dependencies allow.
 *
 * @module
 */
import type { PromiseActorLogic } from 'xstate';
import { clockOf } from '../machines/actor.ts';
import type { PhaseContext } from '../machines/phase-context.ts';
import type { AttemptOutcome } from '../machines/ports.ts';
import { reportWork } from '../machines/uplink.ts';
import { byName } from '../model/by-name.ts';
import type { PhaseWork, Work } from '../model/compile.ts';
import { errorInfo, PhasegateError } from '../model/errors.ts';
import type { TaskReport } from '../model/event.ts';
import type { TaskPlan } from '../model/plan.ts';
import { asRework } from '../model/rework.ts';
import { check, type StandardSchemaV1 } from '../model/schema.ts';
import type { Inputs, Outputs } from '../model/task-types.ts';
import { about, HandlerContext } from './context.ts';
import { unkept, type Host } from './host.ts';
import { comeToRest, linked, pause, tryTask, type Trial } from './try.ts';
import { createLingering } from './lingering.ts';
import { fromWork, type WorkScope } from './work.ts';

/** Fills the `attempt` port with the tasks of a pipeline. */
export function attemptLogic(
  work: Work,
  lingering = createLingering(),
  host: Host = unkept,
): PromiseActorLogic<AttemptOutcome, PhaseContext> {
  return fromWork(async (scope) => {
    await lingering.rest(scope);
    return lingering.watch(scope, runAttempt(work.phases.get(scope.input.origin.phase.name), scope, host));
  });
}

// --- internal ---

/** What the tasks of one attempt share. */
interface Attempt {
  readonly scope: WorkScope<PhaseContext>;
  readonly host: Host;
  readonly work: PhaseWork;
  readonly inputs: Inputs;
  readonly outputs: Record<string, unknown>;
  /** The first failure; nothing starts after it. */
  failure: AttemptOutcome | undefined;
  onFailure: (() => void) | undefined;
  controller: AbortController | undefined;
}

async function runAttempt(
  work: PhaseWork | undefined,
  scope: WorkScope<PhaseContext>,
  host: Host,
): Promise<AttemptOutcome> {
  const { inputs, origin } = scope.input;
  const { name, tasks } = origin.phase;
  if (!work) return { type: 'failed', error: errorInfo(missingWork(name)) };
  const checked = work.input ? await checkInputs(work.input, scope.input) : { inputs };
  if ('outcome' in checked) return checked.outcome;
  const attempt: Attempt = {
    scope,
    host,
    work,
    inputs: checked.inputs,
    outputs: byName(Object.entries(scope.progress?.outputs ?? {})),
    failure: scope.progress?.failure,
    onFailure: undefined,
    controller: undefined,
  };
  const [only, ...others] = tasks;
  if (only && others.length === 0) await perform(attempt, only);
  else await performAll(attempt, tasks);
  return attempt.failure ?? { type: 'done', outputs: inOrder(tasks, attempt.outputs) };
}

/** Runs every task once those it comes after have ended. */
async function performAll(attempt: Attempt, tasks: readonly TaskPlan[]): Promise<void> {
  const ended = new Map<string, Promise<void>>();
  const failed = new Promise<void>((resolve) => (attempt.onFailure = resolve));
  const all = Promise.all(tasks.map(start));
  // Tasks beside a failed one are told to stop, and are not waited for longer than that takes.
  await Promise.race([all, failed.then(() => comeToRest(all, clockOf(attempt.scope.self)))]);

  function start(task: TaskPlan): Promise<void> {
    const known = ended.get(task.name);
    if (known) return known;
    const before = tasks.filter((one) => task.after.includes(one.name));
    const done =
      before.length === 0 ? perform(attempt, task) : Promise.all(before.map(start)).then(() => perform(attempt, task));
    ended.set(task.name, done);
    return done;
  }
}

async function perform(attempt: Attempt, plan: TaskPlan): Promise<void> {
  const { scope, work } = attempt;
  const { self, input } = scope;
  const task = work.tasks.get(plan.name);
  if (attempt.failure || scope.isStopped() || Object.hasOwn(attempt.outputs, plan.name)) return;
  if (!task) {
    fail(attempt, missingWork(`${input.origin.phase.name}", task "${plan.name}`));
    return;
  }
  const wait = scope.progress?.waitMs[plan.name] ?? 0;
  if (wait > 0) await pause(clockOf(self), wait, signalOf(attempt));
  const trial: Trial<HandlerContext> = {
    host: attempt.host,
    plan,
    work: task,
    clock: clockOf(self),
    signal: () => signalOf(attempt),
    onStop: scope.onStop,
    context: (signal, isOver) =>
      new HandlerContext({
        scope: input,
        plan,
        role: 'task',
        self,
        inputs: attempt.inputs,
        outputs: contextOf(plan, attempt.outputs),
        signal,
        isOver,
      }),
    onTry: (number) => reportWork(self, startedReport(input, plan, number)),
    onRetry: (number, error, delayMs) =>
      reportWork(self, {
        type: 'task.retrying',
        ...about(input, plan),
        reviewer: false,
        try: number,
        error: errorInfo(error),
        delayMs,
      }),
  };
  const done = await tryTask(trial, scope.progress?.tries[plan.name]);
  if (scope.isStopped()) return;
  if (done.ok) {
    attempt.outputs[plan.name] = done.output;
    reportWork(self, completedReport(input, plan, done.tries, done.output));
  } else {
    const rework = asRework(done.error);
    reportWork(self, {
      type: 'task.failed',
      ...about(input, plan),
      try: done.tries,
      error: errorInfo(done.error),
      ...(rework && { rework: { phase: rework.phase, feedback: rework.feedback } }),
    });
    fail(attempt, done.error);
  }
}

// Written out, as these two are made for every task: an object that is spread and added to costs V8 a hidden class.

function startedReport({ origin, attempt }: PhaseContext, task: TaskPlan, number: number): TaskReport {
  const { phase, generation } = origin;
  return { type: 'task.started', phase: phase.name, generation, attempt, task: task.name, try: number };
}

function completedReport(context: PhaseContext, task: TaskPlan, number: number, output: unknown): TaskReport {
  const { phase, generation } = context.origin;
  const { attempt } = context;
  return { type: 'task.completed', phase: phase.name, generation, attempt, task: task.name, try: number, output };
}

/** Keeps the first failure and stops the tasks beside it. */
function fail(attempt: Attempt, thrown: unknown): void {
  if (attempt.failure) return;
  const rework = asRework(thrown);
  attempt.failure = rework
    ? { type: 'rework', phase: rework.phase, feedback: rework.feedback }
    : { type: 'failed', error: errorInfo(thrown) };
  attempt.controller?.abort(thrown);
  attempt.onFailure?.();
}

/** Aborted with the actor, and by a failed sibling. */
function signalOf(attempt: Attempt): AbortSignal {
  if (!attempt.controller) {
    attempt.controller = linked(attempt.scope.signal());
    if (attempt.failure) attempt.controller.abort();
  }
  return attempt.controller.signal;
}

function contextOf(plan: TaskPlan, outputs: Outputs): Outputs {
  return plan.after.length === 0 ? NOTHING : byName(plan.after.map((name) => [name, outputs[name]]));
}

const NOTHING: Outputs = Object.freeze({});

function inOrder(tasks: readonly TaskPlan[], outputs: Outputs): Outputs {
  if (tasks.length === 1) return Object.freeze(outputs);
  return Object.freeze(byName(tasks.map((task) => [task.name, outputs[task.name]])));
}

type CheckedInputs = { readonly inputs: Inputs } | { readonly outcome: AttemptOutcome };

/** Fails fast where the phase's schema refuses what it is given, and sends back the phase whose output is to blame. */
async function checkInputs(
  schema: StandardSchemaV1,
  { origin: { phase }, inputs }: PhaseContext,
): Promise<CheckedInputs> {
  try {
    const checked = await check(schema, inputs);
    if (checked.ok && isInputs(checked.value)) return { inputs: checked.value };
    const { lines, roots } = checked.ok
      ? { lines: ['(root): the schema did not return an object'], roots: [] }
      : checked.refusal;
    const target = roots.find((name) => phase.gate?.targets.includes(name));
    const problem = `Cannot start phase "${phase.name}" as its input schema refuses what it is given:\n  ${lines.join('\n  ')}`;
    if (target !== undefined) return { outcome: { type: 'rework', phase: target, feedback: lines.join('\n') } };
    const hint = 'Correct the phase that put it out, or let the gate of this phase send it back.';
    return {
      outcome: { type: 'failed', error: errorInfo(new PhasegateError('INPUT_INVALID', problem, { hint })) },
    };
  } catch (thrown) {
    return { outcome: { type: 'failed', error: errorInfo(thrown) } };
  }
}

function isInputs(value: unknown): value is Inputs {
  return typeof value === 'object' && value !== null;
}

function missingWork(where: string): PhasegateError {
  return new PhasegateError('DEFINITION_INVALID', `Cannot run phase "${where}" as the definition has no work for it`, {
    hint: 'Run a plan with the pipeline that it was made from.',
  });
}
